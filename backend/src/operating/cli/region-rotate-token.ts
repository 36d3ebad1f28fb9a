import { rotateRegionToken } from '../../monitoring/regions/index.ts'
import type { Task } from './command.ts'
import { withDatabase } from './database.ts'

export const regionRotateToken: Task = {
  name: 'region rotate-token',
  summary: "replace the token of a region's probes and print the new one once",
  parameters: ['id'],
  run: (call, context) => {
    const { id = '' } = call.parameters
    return withDatabase(context, async (db) => {
      const token = await rotateRegionToken({ db, clock: context.clock }, id)
      return { json: { id, token }, text: token }
    })
  },
}
