import { type IncidentEvent, type IncidentItem, type IncidentListItem, type IncidentPerson, toTimestamp } from '@vedette/shared'
import { encodeId } from '../../platform/ids.ts'
import type { AffectedTarget, StoryRow } from './list-store.ts'
import type { IncidentRow, listIncidentEvents } from './store.ts'
import { type TargetColumns, toTarget } from './stories/target.ts'

const instantOrNull = (at: Date | null) => at && toTimestamp(at.getTime())

function toOrigin({
  external,
  target_type: type,
  rule_id: ruleId,
  target_id: targetId,
}: Pick<IncidentRow, 'external' | 'target_type' | 'rule_id' | 'target_id'>): IncidentItem['origin'] {
  if (external) return { type: 'source', id: encodeId('alertSource', ruleId) }
  return type === 'slo' ? { type, id: encodeId('slo', targetId) } : { type: 'rule', id: encodeId('alertRule', ruleId) }
}

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
    rule_id: row.external ? null : encodeId('alertRule', row.rule_id),
    origin: toOrigin(row),
    target: toTarget(row),
    status: row.status,
    severity: row.severity,
    summary: row.summary,
    silenced: row.silenced,
    parent_id: row.parent_id && encodeId('incident', row.parent_id),
    story_id: row.story_id && encodeId('incident', row.story_id),
    cause: row.cause,
    labels: row.external?.labels ?? {},
    flapping: row.flapping,
    opened_at: toTimestamp(row.at.getTime()),
    acknowledged_at: instantOrNull(row.acknowledged_at),
    acknowledged_by: row.acknowledged_by && encodeId('user', row.acknowledged_by),
    resolved_at: instantOrNull(row.resolved_at),
  }
}

type EventRow = Awaited<ReturnType<typeof listIncidentEvents>>[number]

/** An entry of a timeline, with who did it. */
export const toIncidentEvent = ({ at, type, message, user_id: id, email, name }: EventRow): IncidentEvent => ({
  at: toTimestamp(at.getTime()),
  type,
  message,
  ...(id !== null && email !== null && { user: toPerson({ id, email, name }) }),
})

/** A user by the stored id. */
export const toPerson = ({ id, email, name }: { id: string; email: string; name: string | null }): IncidentPerson => ({
  id: encodeId('user', id),
  email,
  name,
})
