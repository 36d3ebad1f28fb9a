import type { Db } from '../platform/db/index.ts'
import { type CompactionLag, readLag } from './progress.ts'
import { countMarks, oldestMark } from './rollup/index.ts'

export interface StorageState extends CompactionLag {
  /** Hours of servers that got samples after they were put together, and do not hold them yet. */
  lateHours: number
  /** When the oldest of those samples came, ms; undefined when there are none. */
  oldestLateMs: number | undefined
}

/** How the putting together of samples stands. Reads and changes nothing. */
export async function readStorage(db: Db, nowMs: number): Promise<StorageState> {
  const [lag, lateHours, oldestLateMs] = await Promise.all([readLag(db, nowMs), countMarks(db), oldestMark(db)])
  return { ...lag, lateHours, oldestLateMs }
}
