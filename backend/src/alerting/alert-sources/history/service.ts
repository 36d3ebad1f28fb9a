import type { AddAlertHistoryBody, AlertHistoryAnswer } from '@vedette/shared'
import { type Actor, auditEntry, recordAudit } from '../../../access/audit/index.ts'
import { type Principal, tenantOf } from '../../../access/auth/index.ts'
import { findMembersByEmail } from '../../../access/members/index.ts'
import { inTransaction } from '../../../platform/db/index.ts'
import { invalid, notFound } from '../../../platform/errors.ts'
import { idOfTextAt } from '../../../platform/ids.ts'
import type { SeriesSubject } from '../../alerts/index.ts'
import { addEnded, type EndedStory, prepareMonths } from '../../incidents/index.ts'
import { fingerprintOf, severityOf } from '../alert.ts'
import { evidenceOf, namedOf, targetOf } from '../apply.ts'
import { findAlertSubjects } from '../join.ts'
import { type OpeningAlert, openingOf } from '../plan.ts'
import type { SourceDeps } from '../service.ts'
import * as store from '../store.ts'
import { addedOf, emailOf, endedFaults, peopleOf, type ReadAlert, readEnded, timelineOf, toReceived } from './ended.ts'

const MAX_FAULTS = 20

/**
 * Adds alerts that another tool had, as resolved incidents of the source with their timelines. What was added before stays as it is, and
 * nobody is notified. Throws not_found across organizations, validation_error.
 */
export async function addHistory(
  deps: Pick<SourceDeps, 'db' | 'clock'>,
  actor: Actor<Principal>,
  id: string,
  { alerts }: AddAlertHistoryBody,
): Promise<AlertHistoryAnswer> {
  const tenant = tenantOf(actor.principal)
  const at = new Date(deps.clock.now())
  if (!(await store.findSource(deps.db, tenant.number, id))) throw notFound()
  const faults = endedFaults(alerts, at.getTime())
  if (faults.length > 0) throw invalid(...faults.slice(0, MAX_FAULTS))
  const read = alerts.map(readEnded)
  await prepareMonths(deps.db, read.flatMap(instantsOf))
  return inTransaction(deps.db, async (db) => {
    const source = await store.lockSource(db, tenant.number, id)
    if (!source) throw notFound()
    const openings = read.map((one) => {
      const alert = toReceived(one)
      const news = { fingerprint: fingerprintOf(id, alert.key), alert, severity: severityOf(source, alert) }
      return openingOf(source, news, at.getTime())
    })
    const subjects = await findAlertSubjects(db, tenant.number, openings)
    const members = await findMembersByEmail(db, tenant.number, peopleOf(read))
    const userOf = (by: string | null | undefined) => (by ? (members.get(emailOf(by)) ?? null) : null)
    const stories = read.map((one, index) => {
      const opening = openings[index] as OpeningAlert
      return toStory(source, one, opening, subjects.get(opening.fingerprint), { userOf, at })
    })
    const added = await addEnded(db, tenant.number, id, stories)
    if (added > 0) {
      const details = { name: source.name, count: added }
      await recordAudit(db, tenant.number, actor, auditEntry('alert_source.history_added', 'alertSource', id, details), at)
    }
    return { added, present: alerts.length - added }
  })
}

/** Pure. */
function toStory(
  { id: sourceId, name }: Pick<store.SourceRow, 'id' | 'name'>,
  ended: ReadAlert,
  opening: OpeningAlert,
  subject: SeriesSubject | undefined,
  { userOf, at }: { userOf: (by: string | null | undefined) => string | null; at: Date },
): EndedStory {
  const { fingerprint: series, external, severity, summary } = opening
  const target = targetOf(series, subject)
  const { openedMs, acknowledgedMs, resolvedMs, alert } = ended
  const named = subject && { [subject.type]: namedOf(subject) }
  return {
    incident: {
      id: idOf(sourceId, ended),
      at: new Date(openedMs),
      rule_id: sourceId,
      series,
      external,
      severity,
      summary,
      target_type: target.type,
      target_id: target.id,
      target_name: subject?.name ?? external.name,
      acknowledged_at: acknowledgedMs === null ? null : new Date(acknowledgedMs),
      acknowledged_by: acknowledgedMs === null ? null : userOf(alert.acknowledged_by),
      resolved_at: new Date(resolvedMs),
      evidence: { ...evidenceOf(opening), ...named, ...addedOf(at.getTime()) },
    },
    events: timelineOf(name, summary, ended).map(({ atMs, by, ...event }) => ({
      ...event,
      at: new Date(atMs),
      actorId: userOf(by),
    })),
  }
}

/** The same alert of the other tool is the same incident, however often it is added. */
const idOf = (sourceId: string, { alert, openedMs }: ReadAlert): string =>
  idOfTextAt(JSON.stringify([sourceId, alert.id, openedMs]), openedMs)

const instantsOf = ({ openedMs, acknowledgedMs, resolvedMs, comments }: ReadAlert): number[] => [
  openedMs,
  acknowledgedMs ?? openedMs,
  resolvedMs,
  ...comments.map(({ atMs }) => atMs),
]
