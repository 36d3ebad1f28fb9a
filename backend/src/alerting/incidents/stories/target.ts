import type { IncidentTarget } from '@vedette/shared'
import type { TableRow } from '../../../platform/db/index.ts'
import { encodeId } from '../../../platform/ids.ts'

/** What says what an incident is about. */
export type TargetColumns = Pick<TableRow<'incident'>, 'target_type' | 'target_id' | 'target_name' | 'series' | 'external'>

/** What an alert source reports is external, also where it is known which server or monitor it is about. */
export function toTarget({
  target_type: type,
  target_id: id,
  target_name: name,
  series,
  external,
}: TargetColumns): IncidentTarget {
  if (external) return { type: 'external', id: encodeId('external', series ?? id), name: external.name, url: external.url }
  return { type, id: encodeId(type, id), name }
}
