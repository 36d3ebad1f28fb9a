import { joinDatabase } from '../database.ts'
import { keepAllPartitions, startMaintenance } from '../maintenance.ts'
import type { Service } from './command.ts'
import { readSettings } from './database.ts'

export const work: Service = {
  name: 'work',
  summary: 'the background jobs alone, without API: partitions, retention',
  start: async (world) => {
    const settings = readSettings(world)
    const log = world.createLog(settings.logLevel)
    const database = await joinDatabase(settings, world.clock, log, true)
    const { db } = database.pool
    try {
      await keepAllPartitions(db, log, world.clock.now())
    } catch (error) {
      await database.stop()
      throw error
    }
    const jobs = startMaintenance(db, world.clock, log)
    world.announce('ready work')
    return {
      stop: async () => {
        await Promise.all(jobs.map((job) => job.stop()))
        await database.stop()
      },
    }
  },
}
