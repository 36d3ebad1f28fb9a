import { DAY_MS } from '@vedette/shared'
import type { ApiClient, SaveFile } from '../api.ts'
import { withFileName } from '../fetch/ids.ts'
import { SourceFault } from '../files.ts'
import { type Json, listOf, objectOf, textOf } from '../json.ts'
import type { Range } from '../tool.ts'

const API = '/api-public'
/** As many as it gives out; the first one is today. */
const MAX_DAYS = 123

/** Saves an account as its endpoints answer, with who is on duty in each team. */
export async function fetchSplunkOnCall(client: ApiClient, save: SaveFile, { fromMs, toMs }: Range): Promise<void> {
  const users = withFileName(client, await readList(client, '/v1/user', 'users'), 'user', 'username')
  save('user.json', { users })
  await client.forEach(users, async ({ username }) => {
    const methods = await client.find(`${API}/v1/user/${encodeURIComponent(textOf(username))}/contact-methods`)
    if (methods !== undefined) save(`user/${textOf(username)}/contact-methods.json`, methods)
  })
  const teams = withFileName(client, await readList(client, '/v1/team', 'teams'), 'team', 'slug')
  save('team.json', teams)
  const days = Math.min(MAX_DAYS, Math.ceil((toMs - fromMs) / DAY_MS) + 1)
  await client.forEach(teams, async ({ slug }) => {
    const team = textOf(slug)
    const rotations = await client.find(`${API}/v1/team/${encodeURIComponent(team)}/rotations`)
    if (rotations !== undefined) save(`team/${team}/rotations.json`, rotations)
    const onCall = await client.find(`${API}/v2/team/${encodeURIComponent(team)}/oncall/schedule?daysForward=${days}`)
    if (onCall !== undefined) save(`team/${team}/oncall/schedule.json`, onCall)
  })
  const keys = await client.find(`${API}/v1/org/routing-keys`)
  if (keys !== undefined) save('routing-keys.json', keys)
  await fetchPolicies(client, save)
}

/** A list, or the list of a field; the list of users is in a list. */
async function readList(client: ApiClient, path: string, name: string): Promise<Json[]> {
  const answer = await client.get(API + path)
  const list = Array.isArray(answer) ? answer : objectOf(answer)[name]
  if (!Array.isArray(list)) throw new SourceFault(`GET ${API}${path}: its answer has no list`)
  return listOf(list.flat())
}

async function fetchPolicies(client: ApiClient, save: SaveFile): Promise<void> {
  const named = (await readList(client, '/v1/policies', 'policies')).map((one) => objectOf(one['policy'] ?? one))
  save('policies.json', { policies: named })
  await client.forEach(withFileName(client, named, 'policy', 'slug'), async ({ slug }) => {
    const policy = await client.find(`${API}/v1/policies/${encodeURIComponent(textOf(slug))}`)
    if (policy !== undefined) save(`policies/${textOf(slug)}.json`, policy)
  })
}
