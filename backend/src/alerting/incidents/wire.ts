import { type IncidentItem, toTimestamp } from '@vedette/shared'
import { encodeId } from '../../platform/ids.ts'
import type { IncidentRow } from './store.ts'

const instantOrNull = (at: Date | null) => at && toTimestamp(at.getTime())

/** An incident as in lists. */
export function toIncidentItem(row: Omit<IncidentRow, 'evidence'>): IncidentItem {
  return {
    id: encodeId('incident', row.id),
    rule_id: encodeId('alertRule', row.rule_id),
    target: { type: row.target_type, id: encodeId(row.target_type, row.target_id), name: row.target_name },
    status: row.status,
    severity: row.severity,
    summary: row.summary,
    silenced: row.silenced,
    parent_id: row.parent_id && encodeId('incident', row.parent_id),
    flapping: row.flapping,
    opened_at: toTimestamp(row.at.getTime()),
    acknowledged_at: instantOrNull(row.acknowledged_at),
    acknowledged_by: row.acknowledged_by && encodeId('user', row.acknowledged_by),
    resolved_at: instantOrNull(row.resolved_at),
  }
}
