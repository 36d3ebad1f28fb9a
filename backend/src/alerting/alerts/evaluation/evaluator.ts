/** Evaluates rules from time to time. */
export interface Evaluator {
  /** Whether there is something to do. Asks nobody, so that it can be called every second. */
  isDue(): boolean
  /** Evaluates what is due. */
  evaluate(): Promise<void>
  /** When there is something to do next, as far as is known, ms. */
  dueMs(): number
}
