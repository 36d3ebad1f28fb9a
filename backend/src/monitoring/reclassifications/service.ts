import {
  type CreateReclassificationBody,
  DAY_MS,
  MAX_RECLASSIFICATIONS,
  type Reclassification,
  type ReclassificationList,
} from '@vedette/shared'
import { type Actor, actorOf, auditEntry, recordAudit } from '../../access/audit/index.ts'
import { type Principal, type Tenant, tenantOf } from '../../access/auth/index.ts'
import { type Db, inTransaction, type PageRequest } from '../../platform/db/index.ts'
import { conflict, invalid, notFound } from '../../platform/errors.ts'
import { encodeId, newId } from '../../platform/ids.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { instantAt } from '../../platform/time/instant.ts'
import type { Span } from '../../platform/time/spans.ts'
import { findSaid, listSaidOf, recountOwnWeek, settleNewReclassified, toReclassification } from '../checks/index.ts'
import { findMonitorNumber } from '../monitors/index.ts'
import { intervalFaults } from './faults.ts'
import * as store from './store.ts'

export interface ReclassificationDeps {
  db: Db
  clock: Clock
}

/** As long as days of checks are kept. */
const KEPT_MS = 400 * DAY_MS

/** One page of a monitor's, the last in time first. Throws not_found across organizations. */
export async function listReclassifications(
  { db }: Pick<ReclassificationDeps, 'db'>,
  tenant: Tenant,
  monitorId: string,
  page: PageRequest,
): Promise<ReclassificationList> {
  const monitor = await findMonitorNumber(db, tenant.number, monitorId)
  if (monitor === undefined) throw notFound()
  const { total, rows } = await listSaidOf(db, tenant.number, monitor, page)
  return { reclassifications: rows.map(toReclassification), total, ...page }
}

/**
 * Makes the checks of an interval count differently. Throws not_found across organizations, validation_error for an interval that
 * cannot be or that overlaps another one, conflict for one more than a monitor may have.
 */
export async function createReclassification(
  deps: ReclassificationDeps,
  actor: Actor<Principal>,
  monitorId: string,
  body: CreateReclassificationBody,
): Promise<Reclassification> {
  const { number: organization } = tenantOf(actor.principal)
  const [from, to] = [instantAt('from', body.from), instantAt('to', body.to)]
  const span = { fromMs: from.getTime(), toMs: to.getTime() }
  return inTransaction(deps.db, async (db) => {
    const monitor = await findMonitorNumber(db, organization, monitorId, true)
    if (monitor === undefined) throw notFound()
    const at = new Date(deps.clock.now())
    const faults = intervalFaults(span, at.getTime())
    if (faults.length > 0) throw invalid(...faults)
    await refuseOthers(db, organization, monitor, span)
    const { actorKind, actorId } = actorOf(actor.principal)
    const row = { id: newId(), monitor, counts_as: body.as, comment: body.comment, from_at: from, to_at: to, created_at: at }
    await store.insertReclassification(db, { organization, ...row, actor_kind: actorKind, actor_id: actorId })
    const details = { from: body.from, to: body.to, as: body.as, comment: body.comment }
    await recordAudit(db, organization, actor, entryOf('created', monitorId, { id: row.id, ...details }), at)
    await settleNewReclassified(db, organization, { ...row, ...span, as: body.as }, at.getTime())
    return shown(db, organization, monitor, row.id)
  })
}

/** Takes it back: the checks count as they did. Throws not_found across organizations. */
export async function deleteReclassification(
  deps: ReclassificationDeps,
  actor: Actor<Principal>,
  monitorId: string,
  id: string,
): Promise<void> {
  const { number: organization } = tenantOf(actor.principal)
  await inTransaction(deps.db, async (db) => {
    const monitor = await findMonitorNumber(db, organization, monitorId, true)
    if (monitor === undefined) throw notFound()
    const { from, to, as, comment } = await shown(db, organization, monitor, id)
    const at = new Date(deps.clock.now())
    await store.deleteReclassification(db, organization, id)
    await recordAudit(db, organization, actor, entryOf('deleted', monitorId, { id, from, to, as, comment }), at)
    await recountOwnWeek(db, organization, monitor, at.getTime())
  })
}

/** Deletes those of which no check is left. Several processes may run it at once. */
export const deleteOldReclassifications = (db: Db, nowMs: number): Promise<void> =>
  store.deleteEndedBefore(db, new Date(nowMs - KEPT_MS))

/** The object of the action is the monitor. */
const entryOf = (verb: 'created' | 'deleted', monitorId: string, { id, ...details }: { id: string; [name: string]: unknown }) =>
  auditEntry(`reclassification.${verb}`, 'monitor', monitorId, { reclassification: encodeId('reclassification', id), ...details })

async function shown(db: Db, organization: number, monitor: number, id: string): Promise<Reclassification> {
  const row = await findSaid(db, organization, monitor, id)
  if (!row) throw notFound()
  return toReclassification(row)
}

async function refuseOthers(db: Db, organization: number, monitor: number, { fromMs, toMs }: Span): Promise<void> {
  const others = await store.listIntervals(db, organization, monitor)
  const other = others.find((one) => one.from_at.getTime() < toMs && one.to_at.getTime() > fromMs)
  if (other) {
    const times = `${other.from_at.toISOString()} to ${other.to_at.toISOString()}`
    const id = encodeId('reclassification', other.id)
    throw invalid({ path: 'from', message: `overlaps ${id}, ${times}: take that back first` })
  }
  if (others.length >= MAX_RECLASSIFICATIONS)
    throw conflict(`At most ${MAX_RECLASSIFICATIONS} reclassified intervals per monitor are allowed. Take one back first.`)
}
