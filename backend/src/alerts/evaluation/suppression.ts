import { type AlertTargetType, HOUR_MS, MINUTE_MS } from '@vedette/shared'
import type { Clock } from '../../platform/time/clock.ts'
import { type Db, inTransaction } from '../../platform/db/index.ts'
import {
  countIncidents,
  insertIncidentEvent,
  listSuppressed,
  recordHostOffline,
  type SuppressedIncident,
  notifyOfStep,
  markUnsuppressed,
} from '../../incidents/index.ts'
import { appliesTo } from '../rules/rule.ts'
import { endOfWindow } from '../windows/recurrence.ts'
import { listStartedWindows } from '../windows/store.ts'
import { findHost } from './evidence-store.ts'
import { findMonitor, isReportedOffline } from './suppression-store.ts'

/** What an incident is about. */
export interface SuppressionTarget {
  type: AlertTargetType
  id: string
  ruleId: string
  /** Of the rule: an incident for an offline server suppresses others, not itself. */
  metric: string
  openedAt: Date
}

export interface Suppression {
  /** For the timeline. */
  reason: string
  isForHost: boolean
}

/**
 * Why notifications of an incident are suppressed: a maintenance window of the target or of the server that a monitor runs on; that
 * server has an incident for being offline; or the target is flapping and the incident may end at once. Undefined where they are not.
 */
export async function findSuppression(
  db: Db,
  organization: number,
  target: SuppressionTarget,
  at: Date,
): Promise<Suppression | undefined> {
  const monitor = target.type === 'monitor' ? await findMonitor(db, organization, target.id) : undefined
  const serverId = target.type === 'server' ? target.id : (monitor?.server_id ?? undefined)
  const server = serverId === undefined ? undefined : await findHost(db, organization, serverId)
  for (const window of await listStartedWindows(db, organization, at)) {
    const isOf =
      (monitor !== undefined && appliesTo(window, { type: 'monitor', ...monitor })) ||
      (server !== undefined && appliesTo(window, { type: 'server', ...server }))
    if (isOf && endOfWindow(window, at.getTime()) !== undefined)
      return { reason: `notifications suppressed by the maintenance window ${window.name}`, isForHost: false }
  }
  const isOfServer = target.type === 'monitor' || target.metric !== 'status'
  if (server && isOfServer && (await isReportedOffline(db, organization, server.id)))
    return { reason: `notifications suppressed: server ${server.name} is offline`, isForHost: true }
  return findFlapping(db, organization, target, at)
}

/** After so many incidents within an hour the next one is notified only if it lasts. */
const FLAPS = 3
const FLAPPING_MS = HOUR_MS
const LASTING_MS = 5 * MINUTE_MS

async function findFlapping(
  db: Db,
  organization: number,
  { id, ruleId, openedAt }: SuppressionTarget,
  at: Date,
): Promise<Suppression | undefined> {
  if (at.getTime() - openedAt.getTime() >= LASTING_MS) return undefined
  const since = new Date(openedAt.getTime() - FLAPPING_MS)
  if ((await countIncidents(db, organization, { ruleId, targetId: id, since, before: openedAt })) < FLAPS) return undefined
  return { reason: `flapping, ${FLAPS} incidents in the last hour: notified if it lasts 5 minutes`, isForHost: false }
}

const BATCH_SIZE = 200

/**
 * Notifies of incidents that opened suppressed and are still open, once the reason has ended. Each call reviews a batch, and the next
 * call the following one: incidents that stay suppressed do not delay others.
 */
export function createSuppressionReview({ db, clock }: { db: Db; clock: Clock }): () => Promise<void> {
  let last: SuppressedIncident | undefined
  return async () => {
    const at = new Date(clock.now())
    const batch = await listSuppressed(db, last, BATCH_SIZE)
    for (const incident of batch) await inTransaction(db, (transaction) => reviewOne(transaction, incident, at))
    last = batch.length < BATCH_SIZE ? undefined : batch.at(-1)
  }
}

/** After a server is online again, its monitors have this time to recover before they are notified. */
const HOST_RECOVERY_MS = 180_000
const RECORD_EVERY_MS = 60_000

async function reviewOne(db: Db, incident: SuppressedIncident, at: Date): Promise<void> {
  const { organization, target_type: type, target_id: id, rule_id: ruleId, metric } = incident
  const { incident_id: incidentId, incident_at: incidentAt } = incident
  const hostAgoMs = at.getTime() - (incident.host_offline_at?.getTime() ?? Number.NEGATIVE_INFINITY)
  const suppression = await findSuppression(db, organization, { type, id, ruleId, metric, openedAt: incidentAt }, at)
  if (suppression?.isForHost && hostAgoMs >= RECORD_EVERY_MS) await recordHostOffline(db, incident, at)
  if (suppression || hostAgoMs < HOST_RECOVERY_MS || !(await markUnsuppressed(db, incident))) return
  await insertIncidentEvent(db, organization, incidentId, { type: 'unsilenced', message: 'notifications resumed' }, at)
  await notifyOfStep(db, organization, { type: 'incident.opened', incidentId, incidentAt, at })
}
