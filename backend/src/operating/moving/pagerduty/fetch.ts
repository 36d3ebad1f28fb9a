import { toTimestamp } from '@vedette/shared'
import type { ApiClient, SaveFile } from '../api.ts'
import { withFileName } from '../fetch/ids.ts'
import { type Paging, readPages } from '../fetch/pages.ts'
import { type Json, objectOf, textOf } from '../json.ts'
import type { Range } from '../tool.ts'

/** Saves an account as the REST API answers, with the rendered entries of the schedules. */
export async function fetchPagerDuty(client: ApiClient, save: SaveFile, range: Range): Promise<void> {
  const saveList = async (name: string, query = '') => save(`${name}.json`, { [name]: await readList(client, name, query) })
  await saveList('users', '&include[]=contact_methods&include[]=notification_rules')
  const schedules = withFileName(client, await readList(client, 'schedules', ''), 'schedule', 'id')
  save('schedules.json', { schedules })
  await client.forEach(schedules, (schedule) => fetchSchedule(client, save, textOf(schedule['id']), range))
  await saveList('escalation_policies')
  // Their keys are cut; their ends show a person which sender it is.
  await saveList('services', '&include[]=integrations')
  await saveList('maintenance_windows', '&filter=open')
}

const PAGE = 100

const readList = (client: ApiClient, name: string, query: string): Promise<Json[]> => readPages(client, listAt(name, query))

export const listAt = (name: string, query: string): Paging => ({
  first: pathOf(name, query, 0),
  itemsOf: (answer) => objectOf(answer)[name],
  nextOf: (answer, page) => (objectOf(answer)['more'] === true ? pathOf(name, query, page * PAGE) : undefined),
})

const pathOf = (name: string, query: string, offset: number): string => `/${name}?limit=${PAGE}&offset=${offset}${query}`

async function fetchSchedule(client: ApiClient, save: SaveFile, id: string, { fromMs, toMs }: Range): Promise<void> {
  const query = `since=${encodeURIComponent(toTimestamp(fromMs))}&until=${encodeURIComponent(toTimestamp(toMs))}`
  const answer = await client.find(`/schedules/${id}?${query}`)
  if (answer !== undefined) save(`schedules/${id}.json`, answer)
  const overrides = await client.find(`/schedules/${id}/overrides?${query}`)
  if (overrides !== undefined) save(`schedules/${id}/overrides.json`, overrides)
}
