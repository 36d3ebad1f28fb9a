import { joinDatabase } from '../database.ts'
import { createPool, distribute } from '../platform/db/index.ts'
import type { Task } from './command.ts'
import { quietLog, readSettings } from './database.ts'

export const migrate: Task = {
  name: 'migrate',
  summary: 'bring the schema of the database up to date; repeating it changes nothing',
  options: {
    distribute: {
      type: 'boolean',
      help: 'spread samples and checks over the nodes of citus as well; nothing else may run meanwhile',
    },
  },
  run: async ({ options }, world) => {
    const settings = readSettings(world)
    const log = quietLog(world, settings)
    const database = await joinDatabase(settings, world.clock, log, { migrates: true })
    const { migrated, directUrl } = database
    // Past a pooler, like the migrations.
    const direct = createPool({ url: directUrl, clock: world.clock, log, max: 1 })
    try {
      const distributed = options['distribute'] === true ? await distribute(direct.db, log) : undefined
      const said = [
        ...(migrated.length > 0 ? [`applied ${migrated.join(', ')}`] : []),
        ...(distributed && distributed.length > 0 ? [`distributed: ${distributed.join(', ')}`] : []),
      ]
      return { json: { applied: migrated, ...(distributed && { distributed }) }, text: said.join('\n') || 'up to date' }
    } finally {
      await direct.end()
      await database.stop()
    }
  },
}
