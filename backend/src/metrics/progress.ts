import type { Db } from '../platform/db/index.ts'
import { firstRegistration } from '../servers/index.ts'
import { dueUntilMs, HOUR_MS, readProgress } from './rollup/index.ts'

/** The job that puts hours together is called late when an hour that was due is still missing after so long. */
const LATE_MS = 2 * HOUR_MS

/** How far hours of samples are put together. */
export interface CompactionLag {
  /** Where the last hour that is done ends, ms; undefined before the first. */
  doneUntilMs: number | undefined
  /** How far behind that is what was due; 0 when nothing is, or nothing can be yet. */
  lagMs: number
  isLate: boolean
}

export async function readLag(db: Db, nowMs: number): Promise<CompactionLag> {
  const { hour } = await readProgress(db)
  const doneUntilMs = hour < 0 ? undefined : (hour + 1) * HOUR_MS
  // Before the first hour is done there is nothing older than the first server.
  const sinceMs = doneUntilMs ?? (await firstRegistration(db))?.getTime() ?? nowMs
  const lagMs = Math.max(0, dueUntilMs(nowMs) - sinceMs)
  return { doneUntilMs, lagMs, isLate: lagMs > LATE_MS }
}
