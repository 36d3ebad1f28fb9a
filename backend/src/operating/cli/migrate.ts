import { joinDatabase } from '../startup/index.ts'
import { createPool, distribute } from '../../platform/db/index.ts'
import type { Task } from './command.ts'
import { quietLog, readSettings } from './database.ts'
import { withProgress } from './progress.ts'

export const migrate: Task = {
  name: 'migrate',
  summary: 'migrate the schema of the database; may be repeated',
  options: {
    distribute: {
      type: 'boolean',
      help: 'also distribute samples and checks over the nodes of Citus; stop all instances first',
    },
  },
  run: async ({ options }, context) => {
    const settings = readSettings(context)
    const log = quietLog(context, settings)
    const database = await withProgress(context, (onMigration) =>
      joinDatabase(settings, context.clock, log, { migrates: true, onMigration }),
    )
    const { migrated, directUrl } = database
    const direct = createPool({ url: directUrl, clock: context.clock, log, max: 1 })
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
