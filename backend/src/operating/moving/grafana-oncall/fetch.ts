import type { ApiClient, SaveFile } from '../api.ts'
import { withFileName } from '../fetch/ids.ts'
import { findPages, type Paging, readPages } from '../fetch/pages.ts'
import { type Json, objectOf, textOf, wordOf } from '../json.ts'
import type { Range } from '../tool.ts'

const LISTS = ['users', 'on_call_shifts', 'escalation_chains', 'escalation_policies', 'integrations', 'routes'] as const
/** Older installations do not have all of them. */
const OPTIONAL = ['personal_notification_rules', 'webhooks'] as const

/** Saves an installation as its public API answers, with the final shifts of the schedules. Calendars are not fetched. */
export async function fetchGrafanaOnCall(client: ApiClient, save: SaveFile, range: Range): Promise<void> {
  for (const name of LISTS) save(`${name}.json`, { results: await readPages(client, listAt(`/api/v1/${name}`)) })
  for (const name of OPTIONAL) {
    const results = await findPages(client, listAt(`/api/v1/${name}`))
    if (results !== undefined) save(`${name}.json`, { results })
  }
  const schedules = withFileName(client, await readPages(client, listAt('/api/v1/schedules')), 'schedule', 'id')
  save('schedules.json', { results: schedules })
  await client.forEach(schedules, async (schedule) => {
    const id = textOf(schedule['id'])
    const results = await findPages(client, listAt(finalShiftsOf(id, range)))
    if (results !== undefined) save(`schedules/${id}/final_shifts.json`, { results })
    for (const file of calendarsOf(schedule))
      client.miss(`the calendar of ${textOf(schedule['name'])}`, `save it as schedules/${file}`)
  })
}

function calendarsOf(schedule: Json): string[] {
  const id = textOf(schedule['id'])
  const own = wordOf(schedule['type']) === 'ical' ? [`${id}.ics`] : []
  return textOf(schedule['ical_url_overrides']) === '' ? own : [...own, `${id}-overrides.ics`]
}

/** Its link to the next page names the address behind a proxy: only that there is one is of use. */
export const listAt = (first: string): Paging => ({
  first,
  itemsOf: (answer) => objectOf(answer)['results'],
  nextOf: (answer, page) =>
    textOf(objectOf(answer)['next']) === '' ? undefined : `${first}${first.includes('?') ? '&' : '?'}page=${page + 1}`,
})

const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10)

/** Whole days of UTC, the last one included. */
const finalShiftsOf = (id: string, { fromMs, toMs }: Range): string =>
  `/api/v1/schedules/${id}/final_shifts?start_date=${dayOf(fromMs)}&end_date=${dayOf(toMs)}`
