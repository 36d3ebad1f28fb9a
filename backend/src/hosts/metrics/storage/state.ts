import type { Db } from '../../../platform/db/index.ts'
import { type CompactionLag, readLag } from './progress.ts'
import { countMarks, oldestMark } from './late-store.ts'

export interface StorageState extends CompactionLag {
  /** Compacted hours of servers with late samples that are not merged yet. */
  lateHours: number
  /** When the oldest of those samples was received, ms; undefined without any. */
  oldestLateMs: number | undefined
}

/** The state of compaction. Read-only. */
export async function readStorage(db: Db, nowMs: number): Promise<StorageState> {
  const [lag, lateHours, oldestLateMs] = await Promise.all([readLag(db, nowMs), countMarks(db), oldestMark(db)])
  return { ...lag, lateHours, oldestLateMs }
}
