import { queryOptions } from '@tanstack/react-query'
import type { Api } from '../../lib/api.ts'
import { personText } from '../../lib/person.ts'

/** Of a page of the API. */
const MOST = 100

/** What is configured: all that the form changes, and the names of whom a step notifies. */
async function readConfigured({ client, organizationId }: Api, signal: AbortSignal) {
  const [rules, policies, schedules, channels, { members }] = await Promise.all([
    listOf(client.alertRules.all({ limit: MOST }, { signal })),
    listOf(client.escalationPolicies.all({ limit: MOST }, { signal })),
    listOf(client.schedules.all({ limit: MOST }, { signal })),
    listOf(client.channels.all({ limit: MOST }, { signal })),
    client.members.list(organizationId, {}, { signal }),
  ])
  const names = new Map([...schedules, ...channels].map(({ id, name }) => [id, name]))
  for (const member of members) names.set(member.id, personText(member))
  return { rules, policies, members, names }
}
export type Configured = Awaited<ReturnType<typeof readConfigured>>

export const configuredQuery = (api: Api) =>
  queryOptions({
    queryKey: [api.organizationId, 'replays', 'configured'],
    queryFn: ({ signal }) => readConfigured(api, signal),
    refetchOnWindowFocus: false,
  })

async function listOf<Row>(rows: AsyncIterable<Row>): Promise<Row[]> {
  const list: Row[] = []
  for await (const row of rows) list.push(row)
  return list
}
