import { oneLine, toTimestamp } from '@vedette/shared'
import { encodeId } from '../../platform/ids.ts'
import type { Task } from './command.ts'
import { withDatabase } from './database.ts'
import { listAllOrganizations } from './operator-store.ts'

export const orgList: Task = {
  name: 'org list',
  summary: 'list the organizations with their plans, members and servers',
  run: (_call, context) =>
    withDatabase(context, async (db) => {
      const organizations = (await listAllOrganizations(db)).map(
        ({ id, name, plan, members, servers, created_at: createdAt }) => ({
          id: encodeId('organization', id),
          name,
          plan,
          members,
          servers,
          created_at: toTimestamp(createdAt.getTime()),
        }),
      )
      const lines = organizations.map(
        ({ id, name, plan, members, servers }) =>
          `${id}  ${plan.padEnd(10)}  ${members} members, ${servers} servers  ${oneLine(name)}`,
      )
      return { json: { organizations }, text: lines.join('\n') || 'no organization yet' }
    }),
}
