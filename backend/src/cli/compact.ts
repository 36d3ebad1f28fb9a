import { toTimestamp } from '@vedette/shared'
import { keepAllPartitions } from '../maintenance.ts'
import { compactSamples, readStorage } from '../metrics/index.ts'
import type { Task } from './command.ts'
import { withDatabase } from './database.ts'

export const compact: Task = {
  name: 'compact',
  summary: 'put ended hours and days of samples together now, as a running instance does every two minutes',
  run: (_call, world) =>
    withDatabase(world, async (db, log, pool) => {
      const { hours, days, late } = await compactSamples(pool, world.clock)
      // What the hours hold now need not be kept as pushes.
      await keepAllPartitions(db, log, world.clock.now())
      const { doneUntilMs } = await readStorage(db, world.clock.now())
      const doneUntil = doneUntilMs === undefined ? null : toTimestamp(doneUntilMs)
      return {
        json: { hours, days, late_hours: late, done_until: doneUntil },
        text: `${hours} hours and ${days} days put together, late samples of ${late} hours taken in; done until ${doneUntil ?? 'never'}`,
      }
    }),
}
