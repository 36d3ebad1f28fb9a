import { listRegions } from '../regions/index.ts'
import type { Task } from './command.ts'
import { withDatabase } from './database.ts'

export const regionList: Task = {
  name: 'region list',
  summary: 'every region, and whether somebody makes its checks',
  run: (_call, world) =>
    withDatabase(world, async (db) => {
      const regions = await listRegions({ db, clock: world.clock })
      const lines = regions.map(({ id, name, status }) => `${id.padEnd(20)}  ${status.padEnd(7)}  ${name}`)
      return { json: { regions }, text: lines.join('\n') || 'no region yet' }
    }),
}
