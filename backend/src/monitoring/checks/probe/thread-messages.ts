import type { CheckDefinition, CheckResult } from '@vedette/shared'
import type { ProberOptions } from './prober.ts'

/** Start data of the thread. */
export interface ThreadData {
  options: ProberOptions
}

/** Sent to the thread. */
export interface Order {
  id: number
  definition: CheckDefinition
  /** Milliseconds since the epoch; at once when absent or past. */
  startAtMs: number | undefined
}

/** Sent by the thread. */
export type Report = readonly [id: number, result: CheckResult]
