import { toTimestamp } from '@vedette/shared'
import type { ApiClient, SaveFile } from '../api.ts'
import { addDetails, type PastList, readPast, savePast } from '../fetch/past.ts'
import { type Json, listOf, objectOf, partsNamed, textOf, wordOf } from '../json.ts'
import type { Range } from '../tool.ts'
import { listAt } from './fetch.ts'

const INCIDENT = [
  'id',
  'incident_key',
  'title',
  'summary',
  'description',
  'urgency',
  'priority',
  'status',
  'service',
  'html_url',
  'created_at',
  'resolved_at',
  'last_status_change_at',
  'last_status_change_by',
]
const LOG_ENTRY = ['id', 'type', 'created_at', 'agent', 'incident']
const NOTE = ['content', 'created_at', 'user']
/** `offset` and `limit` together are at most this. */
const MOST = 10_000

/** Saves the incidents of a time with their notes, and who acknowledged and resolved them. */
export async function fetchIncidents(client: ApiClient, save: SaveFile, range: Range): Promise<number> {
  const listOfTime = (name: string, query: string, keep: PastList['keep']): PastList => ({
    name,
    keep,
    most: MOST,
    pagingOf: ({ fromMs, toMs }) =>
      listAt(name, `&since=${encodeURIComponent(toTimestamp(fromMs))}&until=${encodeURIComponent(toTimestamp(toMs))}${query}`),
  })
  const keepIncident = (one: Json) => partsNamed(one, INCIDENT)
  const incidents = await readPast(client, listOfTime('incidents', '&sort_by=created_at%3Adesc', keepIncident), range)
  await addDetails(client, 'notes of incidents', incidents, async (incident) => {
    const answer = objectOf(await client.find(`/incidents/${textOf(incident['id'])}/notes`))
    return { notes: listOf(answer['notes']).map((note) => partsNamed(note, NOTE)) }
  })
  savePast(save, 'incidents', incidents)
  const keepEntry = (one: Json) => (/^(?:acknowledge|resolve)/.test(wordOf(one['type'])) ? partsNamed(one, LOG_ENTRY) : undefined)
  savePast(save, 'log_entries', await readPast(client, listOfTime('log_entries', '&is_overview=true', keepEntry), range))
  return incidents.length
}
