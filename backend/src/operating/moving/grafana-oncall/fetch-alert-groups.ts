import type { ApiClient, SaveFile } from '../api.ts'
import { readPast, savePast } from '../fetch/past.ts'
import { type Json, partsNamed } from '../json.ts'
import type { Range } from '../tool.ts'
import { listAt } from './fetch.ts'

const GROUP = [
  'id',
  'integration_id',
  'title',
  'state',
  'permalinks',
  'created_at',
  'acknowledged_at',
  'acknowledged_by',
  'resolved_at',
  'resolved_by',
]

/** Without a fraction and a zone, as `started_at` has it; UTC. */
const instant = (ms: number): string => new Date(ms).toISOString().slice(0, 19)

/** Saves the alert groups of a time. */
export async function fetchAlertGroups(client: ApiClient, save: SaveFile, range: Range): Promise<number> {
  const pagingOf = ({ fromMs, toMs }: Range) =>
    listAt(`/api/v1/alert_groups?perpage=100&started_at=${instant(fromMs)}_${instant(toMs)}`)
  const keep = (one: Json) => partsNamed(one, GROUP)
  const groups = await readPast(client, { name: 'alert_groups', pagingOf, keep, most: Infinity }, range)
  savePast(save, 'alert_groups', groups)
  return groups.length
}
