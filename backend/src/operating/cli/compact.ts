import { toTimestamp } from '@vedette/shared'
import { keepAllPartitions } from '../../partitions.ts'
import { compactEntities } from '../../hosts/entities/index.ts'
import { compactSamples, readStorage } from '../../hosts/metrics/index.ts'
import { compactSeries } from '../../hosts/series/index.ts'
import { withLongStatements } from '../../platform/db/index.ts'
import type { Task } from './command.ts'
import { withDatabase } from './database.ts'
import { withProgress } from './progress.ts'

export const compact: Task = {
  name: 'compact',
  summary:
    'compact samples of finished hours and days now, series and entities too, as a running instance does every few minutes',
  run: (_call, context) =>
    withDatabase(context, async (db, log, pool) => {
      const { hours, days, late } = await withProgress(context, (reportProgress) =>
        compactSamples(pool, context.clock, { reportProgress }),
      )
      await withLongStatements(async () => {
        await compactEntities(db, context.clock)
        await compactSeries(db, context.clock)
      })
      // Pushes of compacted hours are dropped.
      await keepAllPartitions(db, log, context.clock.now())
      const { doneUntilMs } = await readStorage(db, context.clock.now())
      const doneUntil = doneUntilMs === undefined ? null : toTimestamp(doneUntilMs)
      return {
        json: { hours, days, late_hours: late, done_until: doneUntil },
        text: `compacted ${hours} hours and ${days} days, and the late samples of ${late} hours; ${doneUntil === null ? 'no hour done yet' : `done until ${doneUntil}`}`,
      }
    }),
}
