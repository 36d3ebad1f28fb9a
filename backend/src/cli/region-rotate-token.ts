import { rotateRegionToken } from '../regions/index.ts'
import type { Task } from './command.ts'
import { withDatabase } from './database.ts'

export const regionRotateToken: Task = {
  name: 'region rotate-token',
  summary: "another token for a region's probes, shown this once; the one before is dead",
  parameters: ['id'],
  run: (call, world) => {
    const { id = '' } = call.parameters
    return withDatabase(world, async (db) => {
      const token = await rotateRegionToken({ db }, id)
      return { json: { id, token }, text: token }
    })
  },
}
