import type { CheckDefinition, CheckResult } from '@vedette/shared'
import type { ProberOptions } from './prober.ts'

/** What the thread is made with. */
export interface ThreadData {
  options: ProberOptions
}

/** To the thread. */
export interface Order {
  id: number
  definition: CheckDefinition
  /** Milliseconds since the epoch; at once where it is left out or has passed. */
  startAtMs: number | undefined
}

/** Back from it. */
export type Report = readonly [id: number, result: CheckResult]
