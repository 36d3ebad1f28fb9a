import { toTimestamp } from '@vedette/shared'
import { readAllPartitions } from '../maintenance.ts'
import { readStorage } from '../metrics/index.ts'
import type { PartitionState } from '../platform/db/index.ts'
import type { Task } from './command.ts'
import { readDatabase } from './database.ts'

export const status: Task = {
  name: 'status',
  summary: 'how far samples are put together, what came late, and which partitions stand ready',
  run: (_call, world) =>
    readDatabase(world, async (db) => {
      const now = world.clock.now()
      const storage = await readStorage(db, now)
      const partitions = await readAllPartitions(db, now)
      const compaction = {
        done_until: instant(storage.doneUntilMs),
        lag_seconds: Math.round(storage.lagMs / 1000),
        is_late: storage.isLate,
        late_hours: storage.lateHours,
        oldest_late_at: instant(storage.oldestLateMs),
      }
      const isWell = !storage.isLate && !partitions.some(({ isLate }) => isLate)
      return {
        json: { is_well: isWell, compaction, partitions: partitions.map(toPartition) },
        text: [...toLines(compaction), ...partitions.map(toLine)].join('\n'),
      }
    }),
}

const instant = (ms: number | undefined): string | null => (ms === undefined ? null : toTimestamp(ms))

function toPartition({ table, count, fromMs, untilMs, isLate }: PartitionState) {
  return { table, count, from: instant(fromMs), until: instant(untilMs), is_late: isLate }
}

interface Compaction {
  done_until: string | null
  lag_seconds: number
  is_late: boolean
  late_hours: number
  oldest_late_at: string | null
}

function toLines(compaction: Compaction): string[] {
  const { done_until: doneUntil, lag_seconds: lag, is_late: isLate, late_hours: lateHours, oldest_late_at: oldest } = compaction
  return [
    `samples    put together until ${doneUntil ?? 'never'}, ${lag} s behind${isLate ? '  LATE: the pushes stay, and the disk fills' : ''}`,
    `late       ${lateHours} hours wait for late samples${oldest === null ? '' : `, the oldest since ${oldest}`}`,
  ]
}

function toLine({ table, count, untilMs, isLate }: PartitionState): string {
  const ready = untilMs === undefined ? 'not even for now' : `until ${toTimestamp(untilMs)}`
  return `partitions ${table}: ${count}, ready ${ready}${isLate ? '  LATE: rows without a place are refused' : ''}`
}
