import type { ApiClient, SaveFile } from '../api.ts'
import { addDetails, readPast, savePast } from '../fetch/past.ts'
import { type Json, listOf, objectOf, partsNamed, textOf } from '../json.ts'
import type { Range } from '../tool.ts'
import { dataOf, listAt } from './fetch.ts'

const LISTED = [
  'id',
  'alias',
  'message',
  'tags',
  'source',
  'priority',
  'status',
  'createdAt',
  'updatedAt',
  'report',
  'integration',
]
/** Of one alert alone. */
const DETAILS = ['description', 'details', 'entity']
const NOTE = ['note', 'owner', 'createdAt']
/** `offset` and `limit` together are at most this. */
const MOST = 20_000

/** Saves the alerts of a time with their notes. */
export async function fetchAlerts(client: ApiClient, save: SaveFile, range: Range): Promise<number> {
  const pagingOf = ({ fromMs, toMs }: Range) => {
    const query = encodeURIComponent(`createdAt >= ${fromMs} AND createdAt < ${toMs}`)
    return listAt(client, `/v2/alerts?limit=100&sort=createdAt&order=desc&query=${query}`)
  }
  const keep = (one: Json) => partsNamed(one, LISTED)
  const alerts = await readPast(client, { name: 'alerts', pagingOf, keep, most: MOST }, range)
  await addDetails(client, 'texts and notes of alerts', alerts, async (alert) => {
    const path = `/v2/alerts/${textOf(alert['id'])}`
    const notes = listOf(dataOf(await client.find(`${path}/notes?limit=100`)))
    const details = partsNamed(objectOf(dataOf(await client.find(path))), DETAILS)
    return { ...details, notes: notes.map((note) => partsNamed(note, NOTE)) }
  })
  savePast(save, 'alerts', alerts)
  return alerts.length
}
