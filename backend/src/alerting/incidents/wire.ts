import { type IncidentItem, type IncidentListItem, type IncidentTarget, toTimestamp } from '@vedette/shared'
import { encodeId } from '../../platform/ids.ts'
import type { AffectedTarget, IncidentRow, StoryRow } from './store.ts'

const instantOrNull = (at: Date | null) => at && toTimestamp(at.getTime())

type TargetColumns = Pick<IncidentRow, 'target_type' | 'target_id' | 'target_name'>

const toTarget = ({ target_type: type, target_id: id, target_name: name }: TargetColumns): IncidentTarget => ({
  type,
  id: encodeId(type, id),
  name,
})

/** An incident that stands for its story; each of `affected` has the number of all. */
export function toStoryItem(
  row: Omit<StoryRow, 'evidence'>,
  affected: readonly (TargetColumns & Pick<AffectedTarget, 'total'>)[],
): IncidentListItem {
  const targets = { total: affected[0]?.total ?? 0, targets: affected.map(toTarget) }
  return { ...toIncidentItem(row), incident_count: row.incident_count, affected: targets }
}

/** An incident as in lists. */
export function toIncidentItem(row: Omit<IncidentRow, 'evidence'>): IncidentItem {
  return {
    id: encodeId('incident', row.id),
    rule_id: encodeId('alertRule', row.rule_id),
    target: toTarget(row),
    status: row.status,
    severity: row.severity,
    summary: row.summary,
    silenced: row.silenced,
    parent_id: row.parent_id && encodeId('incident', row.parent_id),
    story_id: row.story_id && encodeId('incident', row.story_id),
    cause: row.cause,
    flapping: row.flapping,
    opened_at: toTimestamp(row.at.getTime()),
    acknowledged_at: instantOrNull(row.acknowledged_at),
    acknowledged_by: row.acknowledged_by && encodeId('user', row.acknowledged_by),
    resolved_at: instantOrNull(row.resolved_at),
  }
}
