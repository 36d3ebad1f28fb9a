import { SOURCE_METRIC, toTimestamp } from '@vedette/shared'
import { type SeriesSubject, suppressExternal } from '../alerts/index.ts'
import {
  acknowledgeStory,
  countBeyond,
  insertIncidentEvent,
  moveEnds,
  type OpeningExternal,
  openIncidents,
  resolveIncidents,
} from '../incidents/index.ts'
import type { Db } from '../../platform/db/index.ts'
import { encodeId, newId } from '../../platform/ids.ts'
import { overflowOf } from './alert.ts'
import { findAlertSubjects, readEvidence } from './join.ts'
import { type AlertPlan, type NewAlert, type OpeningAlert, openingOf, type SourceSettings } from './plan.ts'
import type { OpenRow } from './store.ts'

type Source = SourceSettings & { organization: number }

/** Does what a plan says, with a number of statements that does not follow its alerts. Run it in a transaction that has locked the source. */
export async function applyPlan(
  db: Db,
  source: Source,
  plan: AlertPlan,
  open: readonly OpenRow[],
  { at, beyond }: { at: Date; beyond: number },
): Promise<void> {
  const { organization, id } = source
  const rows = new Map(open.map((row) => [row.series, row]))
  const overflow = rows.get(overflowOf(id))
  const ending = [
    ...plan.resolve,
    ...(plan.endsOverflow ? [{ fingerprint: overflowOf(id), reason: 'fewer alerts than `max_open` are open' }] : []),
  ].flatMap(({ fingerprint, reason }) => {
    const row = rows.get(fingerprint)
    return row ? [{ ...row, reason }] : []
  })
  await resolveIncidents(db, organization, ending, at)
  await openIncidents(db, organization, id, await toIncidents(db, source, plan.open, at), at)
  if (beyond > 0 && plan.beyond.length > 0) await sayBeyond(db, source, overflow, beyond, at)
  if (plan.move.length > 0) await moveEnds(db, organization, id, plan.move)
  for (const { fingerprint, message } of plan.acknowledge) {
    const row = rows.get(fingerprint)
    const event = { type: 'acknowledged', message, actorId: null } as const
    if (row) await acknowledgeStory(db, organization, row.incident_id, { event, userId: null }, at)
  }
  for (const { fingerprint, message } of plan.comment) {
    const row = rows.get(fingerprint)
    if (row) await insertIncidentEvent(db, organization, row.incident_id, { type: 'comment', message }, at)
  }
}

async function toIncidents(db: Db, source: Source, news: readonly NewAlert[], at: Date): Promise<OpeningExternal[]> {
  if (news.length === 0) return []
  const alerts = news.map((one) => openingOf(source, one, at.getTime()))
  const { organization, id: sourceId } = source
  const subjects = await findAlertSubjects(db, organization, alerts)
  const evidence = await readEvidence(db, organization, subjects.values(), at.getTime())
  const targets = alerts.map(({ fingerprint }) => targetOf(fingerprint, subjects.get(fingerprint)))
  const suppressions = await suppressExternal(
    db,
    organization,
    targets.map(({ type, id, series }, index) => {
      const labels = alerts[index]?.external.labels
      return { type, id, series, labels, ruleId: sourceId, metric: SOURCE_METRIC, openedAt: at }
    }),
    at,
  )
  return alerts.map((alert, index) => {
    const target = targets[index] as ReturnType<typeof targetOf>
    const { suppression, parent } = suppressions[index] ?? {}
    const subject = subjects.get(alert.fingerprint)
    return {
      ...incidentOf(source, alert),
      target_type: target.type,
      target_id: target.id,
      target_name: subject?.name ?? alert.external.name,
      silenced: suppression !== undefined,
      parent_id: parent?.incident_id ?? null,
      has_down_parent: parent !== undefined,
      flapping: suppression?.flapping === true,
      evidence: {
        ...evidenceOf(alert),
        ...(subject && { [subject.type]: namedOf(subject) }),
        ...evidence.get(subject?.id ?? ''),
      },
      tags: subject?.tags ?? [],
      reason: suppression?.reason ?? null,
    }
  })
}

export const targetOf = (fingerprint: string, subject: SeriesSubject | undefined) => ({
  type: subject?.type ?? ('external' as const),
  id: subject?.id ?? fingerprint,
  series: fingerprint,
})

export const namedOf = ({ type, id, name }: SeriesSubject) => ({ id: encodeId(type, id), name })

const incidentOf = ({ id }: Source, { fingerprint, external, severity, summary, endsAtMs }: OpeningAlert) => ({
  id: newId(),
  rule_id: id,
  series: fingerprint,
  external,
  severity,
  summary,
  ends_at: endsAtMs === null ? null : new Date(endsAtMs),
})

export const evidenceOf = ({ key, text, startedAtMs, external, labelsCut }: OpeningAlert) => ({
  key,
  text,
  started_at: startedAtMs === null ? null : toTimestamp(startedAtMs),
  labels: external.labels,
  labels_cut: labelsCut,
})

/** Opens the incident that says how many alerts opened none, or counts in it. */
async function sayBeyond(db: Db, source: Source, overflow: OpenRow | undefined, count: number, at: Date): Promise<void> {
  const summary = `${source.name}: ${count} alerts opened no incident, ${source.max_open} are open (max_open)`
  if (overflow) return overflow.is_muted ? undefined : countBeyond(db, source.organization, overflow, count, summary)
  const fingerprint = overflowOf(source.id)
  const incident: OpeningExternal = {
    id: newId(),
    rule_id: source.id,
    series: fingerprint,
    external: { name: source.name, url: null, labels: {}, tags: [...source.tags], group: null },
    severity: 'critical',
    summary,
    ends_at: null,
    target_type: 'external',
    target_id: fingerprint,
    target_name: source.name,
    silenced: false,
    parent_id: null,
    has_down_parent: false,
    flapping: false,
    evidence: { not_opened: count, max_open: source.max_open },
    tags: [],
    reason: null,
  }
  await openIncidents(db, source.organization, source.id, [incident], at)
}

/** Resolves what is open of a source that was disabled or deleted. Run it in a transaction that has locked the source. */
export const resolveAll = (db: Db, organization: number, open: readonly OpenRow[], reason: string, at: Date): Promise<void> =>
  resolveIncidents(
    db,
    organization,
    open.map((row) => ({ ...row, reason })),
    at,
  )
