import { RegionId } from '@vedette/shared'
import { Value } from 'typebox/value'
import { addRegion } from '../../monitoring/regions/index.ts'
import { requireOption, type Task, UsageError } from './command.ts'
import { withDatabase } from './database.ts'

const NAME_MAX_LENGTH = 200

export const regionAdd: Task = {
  name: 'region add',
  summary: 'create a region for a remote probe and print its token once',
  parameters: ['id'],
  options: { name: { type: 'string', value: 'NAME', help: 'display name' } },
  run: (call, context) => {
    const { id = '' } = call.parameters
    const name = requireOption(call, 'name')
    if (name.length > NAME_MAX_LENGTH) throw new UsageError(`--name is longer than ${NAME_MAX_LENGTH} characters`)
    if (!Value.Check(RegionId, id))
      throw new UsageError('the id must be 1 to 63 characters of a-z, 0-9 and -, and must not begin or end with -')
    return withDatabase(context, async (db) => {
      const token = await addRegion({ db, clock: context.clock }, id, name)
      return { json: { id, name, token }, text: token }
    })
  },
}
