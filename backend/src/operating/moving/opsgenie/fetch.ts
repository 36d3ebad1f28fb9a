import { DAY_MS, toTimestamp } from '@vedette/shared'
import type { ApiClient, SaveFile } from '../api.ts'
import { withFileName } from '../fetch/ids.ts'
import { findPages, type Paging, readPages } from '../fetch/pages.ts'
import { fileNameOf } from '../fetch/target-folder.ts'
import { instantOf, type Json, listOf, objectOf, textOf } from '../json.ts'
import type { Range } from '../tool.ts'

/** Saves an account in the form of Opsgenie’s own backup, with the timelines of the schedules. */
export async function fetchOpsgenie(client: ApiClient, save: SaveFile, range: Range): Promise<void> {
  const all = async (path: string, kind: string) =>
    withFileName(client, await readPages(client, listAt(client, path)), kind, 'id')
  const some = async (path: string, kind: string) =>
    withFileName(client, (await findPages(client, listAt(client, path))) ?? [], kind, 'id')
  await client.forEach(await all('/v2/users?limit=100', 'user'), (user) => fetchUser(client, save, user))
  await client.forEach(await all('/v2/teams', 'team'), (team) => fetchTeam(client, save, team))
  await client.forEach(await all('/v2/schedules?expand=rotation', 'schedule'), (schedule) =>
    fetchSchedule(client, save, schedule, range),
  )
  for (const one of await all('/v2/escalations', 'escalation')) save(`escalations/${nameAndId(one)}.json`, one)
  await client.forEach(await some('/v2/integrations', 'integration'), async (one) =>
    save(`integrations/${textOf(one['id'])}.json`, await detailsOf(client, `/v2/integrations/${textOf(one['id'])}`, one)),
  )
  await client.forEach(await some('/v2/maintenance?type=non-expired', 'maintenance'), async (one) =>
    save(`maintenance/${textOf(one['id'])}.json`, await detailsOf(client, `/v2/maintenance/${textOf(one['id'])}`, one)),
  )
  for (const one of await some('/v1/services?limit=100', 'service')) save(`services/${textOf(one['id'])}.json`, one)
  const heartbeats = await client.find('/v2/heartbeats')
  if (heartbeats !== undefined) save('heartbeats.json', heartbeats)
  await fetchRefused(client, save)
}

export const dataOf = (answer: unknown): unknown => objectOf(answer)['data']

export const listAt = (client: ApiClient, first: string): Paging => ({
  first,
  itemsOf: dataOf,
  nextOf: (answer) => {
    const next = textOf(objectOf(objectOf(answer)['paging'])['next'])
    return next === '' ? undefined : client.pathOf(next)
  },
})

const nameAndId = (one: Json): string => `${fileNameOf(textOf(one['name']))}-${textOf(one['id'])}`

/** An item of a list with what its own address has more; the list has its id. */
const detailsOf = async (client: ApiClient, path: string, one: Json): Promise<Json> => ({
  ...one,
  ...objectOf(dataOf(await client.find(path))),
})

async function fetchUser(client: ApiClient, save: SaveFile, one: Json): Promise<void> {
  const id = textOf(one['id'])
  const user = await detailsOf(client, `/v2/users/${id}?expand=contact`, one)
  const rules = listOf(dataOf(await client.find(`/v2/users/${id}/notification-rules`)))
  const notificationRuleList: Json[] = []
  for (const rule of withFileName(client, rules, 'notification rule', 'id')) {
    const steps = await client.find(`/v2/users/${id}/notification-rules/${textOf(rule['id'])}/steps`)
    notificationRuleList.push({ ...rule, steps: listOf(dataOf(steps)) })
  }
  save(`users/${fileNameOf(textOf(one['username']))}-${id}.json`, { user, notificationRuleList })
}

/** Lists have neither the members of a team nor where its alerts go. */
async function fetchTeam(client: ApiClient, save: SaveFile, one: Json): Promise<void> {
  const id = textOf(one['id'])
  const team = await detailsOf(client, `/v2/teams/${id}`, one)
  const teamRoutingRules = listOf(dataOf(await client.find(`/v2/teams/${id}/routing-rules`)))
  save(`teams/${nameAndId(one)}.json`, { team, teamRoutingRules })
}

async function fetchSchedule(client: ApiClient, save: SaveFile, schedule: Json, range: Range): Promise<void> {
  const id = textOf(schedule['id'])
  const scheduleOverrideList = listOf(dataOf(await client.find(`/v2/schedules/${id}/overrides`)))
  save(`schedules/${nameAndId(schedule)}.json`, { schedule, scheduleOverrideList })
  // Nobody is on duty in one that is switched off.
  if (schedule['enabled'] === false) return
  const timeline = await readTimeline(client, id, range)
  if (timeline !== undefined) save(`schedules/${id}/timeline.json`, timeline)
}

const MAX_TIMELINES = 30

/** The timeline of a range; one that ends before is read on from there. */
async function readTimeline(client: ApiClient, id: string, { fromMs, toMs }: Range): Promise<Json | undefined> {
  const rotations: Json[] = []
  let last: Json = {}
  let atMs = fromMs
  for (let count = 0; atMs < toMs; count += 1) {
    const days = Math.ceil((toMs - atMs) / DAY_MS)
    const date = encodeURIComponent(toTimestamp(atMs).replace('.000Z', 'Z'))
    const path = `/v2/schedules/${id}/timeline?date=${date}&interval=${days}&intervalUnit=days`
    const answer = count === 0 ? await client.find(path) : await client.get(path)
    if (answer === undefined) return undefined
    last = objectOf(dataOf(answer))
    rotations.push(...listOf(objectOf(last['finalTimeline'])['rotations']))
    const endMs = instantOf(last['endDate']) ?? toMs
    if (endMs <= atMs || count >= MAX_TIMELINES) {
      client.miss(`/v2/schedules/${id}/timeline`, `ends at ${toTimestamp(endMs)}`)
      return undefined
    }
    atMs = endMs
  }
  return { data: { ...last, finalTimeline: { ...objectOf(last['finalTimeline']), rotations } } }
}

/** What does not come, and is named in the report. */
async function fetchRefused(client: ApiClient, save: SaveFile): Promise<void> {
  const kinds = [
    ['/v2/forwarding-rules', 'forwardings'],
    ['/v2/policies/alert', 'policiesV2'],
    ['/v2/roles', 'custom user roles'],
  ] as const
  for (const [path, folder] of kinds) {
    const found = listOf(dataOf(await client.find(path)))
    for (const one of withFileName(client, found, folder, 'id')) save(`${folder}/${textOf(one['id'])}.json`, one)
  }
}
