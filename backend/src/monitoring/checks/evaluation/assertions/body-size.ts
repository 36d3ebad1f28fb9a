import { counted } from '@vedette/shared'
import { isSatisfied } from '../compare.ts'
import type { AssertionEvaluator } from '../evaluator.ts'

/** Of the decompressed body, of which at most 1 MiB is read. */
export const bodySize: AssertionEvaluator = {
  failure: ({ operator, value }, { bodyBytes = 0 }) =>
    isSatisfied(operator, bodyBytes, value) ? undefined : counted`body of ${bodyBytes} bytes`,
}
