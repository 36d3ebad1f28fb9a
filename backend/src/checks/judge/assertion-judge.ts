import type { Assertion, ErrorDetail } from '@vedette/shared'
import type { Observation } from './observation.ts'
import type { Work } from './work.ts'

/** How one type of assertion is judged. */
export interface AssertionJudge {
  type: string
  /** Of the values that it compares with, for messages. */
  unit?: string
  /** True where a failure alone leaves the target degraded: it answered, and rightly. */
  degradesOnly?: boolean
  /**
   * What was seen in place of what was asserted, as the end of a sentence (`it is 503`); undefined when the assertion holds.
   * What is costly is paid from `work`, which all assertions of a check share.
   */
  failure(assertion: Assertion, observation: Observation, work: Work): string | undefined
  /** What only this judge can find wrong in a definition; the path is a field of the assertion. `work` as in `failure`. */
  fault?(assertion: Assertion, work: Work): ErrorDetail | undefined
}
