import { toTimestamp } from '@vedette/shared'
import { readAllPartitions } from '../../partitions.ts'
import { readStorage } from '../../hosts/metrics/index.ts'
import type { PartitionState } from '../../platform/db/index.ts'
import type { Task } from './command.ts'
import { readDatabase } from './database.ts'

export const status: Task = {
  name: 'status',
  summary: 'show the state of the compaction and of the partitions',
  run: (_call, context) =>
    readDatabase(context, async (db) => {
      const now = context.clock.now()
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
    `compaction ${doneUntil === null ? 'no hour done yet' : `done until ${doneUntil}`}, ${lag} s behind${isLate ? '  LATE: pushes are not dropped, the disk fills' : ''}`,
    `late       ${lateHours} hours with late samples${oldest === null ? '' : `, the oldest since ${oldest}`}`,
  ]
}

function toLine({ table, count, untilMs, isLate }: PartitionState): string {
  const ready = untilMs === undefined ? 'not for now' : `until ${toTimestamp(untilMs)}`
  return `partitions ${table}: ${count}, created ${ready}${isLate ? '  LATE: rows without a partition are refused' : ''}`
}
