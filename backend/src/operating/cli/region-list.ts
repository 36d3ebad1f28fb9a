import { oneLine } from '@vedette/shared'
import { listRegions } from '../../monitoring/regions/index.ts'
import type { Task } from './command.ts'
import { withDatabase } from './database.ts'

export const regionList: Task = {
  name: 'region list',
  summary: 'list the regions and whether a probe is active',
  run: (_call, context) =>
    withDatabase(context, async (db) => {
      const regions = await listRegions({ db, clock: context.clock })
      const lines = regions.map(({ id, name, status }) => `${id.padEnd(20)}  ${status.padEnd(7)}  ${oneLine(name)}`)
      return { json: { regions }, text: lines.join('\n') || 'no region yet' }
    }),
}
