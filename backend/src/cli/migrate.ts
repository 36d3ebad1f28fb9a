import { joinDatabase } from '../database.ts'
import type { Task } from './command.ts'
import { quietLog, readSettings } from './database.ts'

export const migrate: Task = {
  name: 'migrate',
  summary: 'bring the schema of the database up to date; repeating it changes nothing',
  run: async (_call, world) => {
    const settings = readSettings(world)
    const database = await joinDatabase(settings, world.clock, quietLog(world, settings), { migrates: true })
    await database.stop()
    const { migrated } = database
    return { json: { applied: migrated }, text: migrated.length > 0 ? `applied ${migrated.join(', ')}` : 'up to date' }
  },
}
