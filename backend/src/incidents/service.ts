import { type Incident, type IncidentList, type IncidentStatus, toTimestamp } from '@vedette/shared'
import { type Actor, recordAudit } from '../audit/index.ts'
import { type Principal, type Tenant, tenantOf } from '../auth/index.ts'
import { type Db, inTransaction, type PageRequest } from '../platform/db/index.ts'
import { notFound } from '../platform/errors.ts'
import type { Clock } from '../platform/time/clock.ts'
import { notifyOfStep } from './notify.ts'
import * as store from './store.ts'
import { resolveIncident } from './lifecycle.ts'
import { toIncidentItem } from './wire.ts'

export interface IncidentDeps {
  db: Db
  clock: Clock
}

/** One page of the organization's incidents, newest first; with `status` only those. */
export async function listIncidents(
  { db }: IncidentDeps,
  tenant: Tenant,
  status: IncidentStatus | undefined,
  request: PageRequest,
): Promise<IncidentList> {
  const { total, rows } = await store.listIncidents(db, tenant.number, status, request)
  return { incidents: rows.map(toIncidentItem), total, page: request.page, limit: request.limit }
}

/** The incident with its timeline. Throws not_found across organizations. */
export async function getIncident({ db }: Pick<IncidentDeps, 'db'>, tenant: Tenant, id: string): Promise<Incident> {
  const row = await store.findIncident(db, tenant.number, id)
  if (!row) throw notFound()
  const events = await store.listIncidentEvents(db, tenant.number, id)
  const timeline = events.map(({ at, type, message }) => ({ at: toTimestamp(at.getTime()), type, message }))
  return { ...toIncidentItem(row), evidence: row.evidence, timeline }
}

type IncidentChange = (db: Db, organization: number, at: Date) => Promise<boolean>

/** Acknowledges an open incident; any other stays as it is. Throws not_found across organizations. */
export function acknowledgeIncident(
  deps: IncidentDeps,
  actor: Actor<Principal>,
  id: string,
  comment?: string,
): Promise<Incident> {
  const userId = userOf(actor)
  return changeIncident(deps, actor, id, comment, 'acknowledged', async (db, organization, at) => {
    const incidentAt = await store.markAcknowledged(db, organization, id, userId, at)
    if (!incidentAt) return false
    const event = { type: 'acknowledged', message: 'acknowledged', actorId: userId } as const
    await store.insertIncidentEvent(db, organization, id, event, at)
    await notifyOfStep(db, organization, { type: 'incident.acknowledged', incidentId: id, incidentAt, at })
    return true
  })
}

/** Resolves an incident by hand; a resolved one stays as it is. Throws not_found across organizations. */
export function resolveIncidentManually(
  deps: IncidentDeps,
  actor: Actor<Principal>,
  id: string,
  comment?: string,
): Promise<Incident> {
  return changeIncident(deps, actor, id, comment, 'resolved', async (db, organization, at) => {
    const open = await store.lockOpenIncident(db, organization, id)
    if (!open) return false
    await resolveIncident(db, organization, open, 'resolved manually', at, userOf(actor))
    await store.insertMuted(db, organization, open)
    return true
  })
}

/** Adds a comment to the timeline. Throws not_found across organizations. */
export function commentIncident(deps: IncidentDeps, actor: Actor<Principal>, id: string, comment: string): Promise<Incident> {
  return changeIncident(deps, actor, id, comment, 'commented', async () => false)
}

/** Makes a change and adds the comment, if there is one; what changed is audited. */
async function changeIncident(
  deps: IncidentDeps,
  actor: Actor<Principal>,
  id: string,
  comment: string | undefined,
  verb: string,
  act: IncidentChange,
): Promise<Incident> {
  const tenant = tenantOf(actor.principal)
  await inTransaction(deps.db, async (db) => {
    const row = await store.findIncident(db, tenant.number, id)
    if (!row) throw notFound()
    const at = new Date(deps.clock.now())
    const isChanged = await act(db, tenant.number, at)
    const event = comment === undefined ? undefined : ({ type: 'comment', message: comment, actorId: userOf(actor) } as const)
    if (event) await store.insertIncidentEvent(db, tenant.number, id, event, at)
    if (!isChanged && !event) return
    const entry = { action: `incident.${isChanged ? verb : 'commented'}`, details: { summary: row.summary } }
    await recordAudit(db, tenant.number, actor, { ...entry, target: { kind: 'incident', id } }, at)
  })
  return getIncident(deps, tenant, id)
}

const userOf = ({ principal }: Actor<Principal>): string | null => (principal.kind === 'user' ? principal.userId : null)
