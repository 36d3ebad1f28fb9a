import type { Db } from '../../../platform/db/index.ts'
import { firstRegistration } from '../../servers/index.ts'
import { dueUntilMs, HOUR_MS } from './schedule.ts'
import { readProgress } from './progress-store.ts'

/** Compaction is late when a due hour is still missing after this time. */
const LATE_MS = 2 * HOUR_MS

/** The progress of the compaction of hours. */
export interface CompactionLag {
  /** The end of the last compacted hour, ms; undefined before the first. */
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
