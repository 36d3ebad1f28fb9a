import { isDeepStrictEqual } from 'node:util'
import {
  type CreateEscalationPolicyBody,
  type EscalationPolicy,
  type EscalationPolicyList,
  type EscalationRecipients,
  type PatchEscalationPolicyBody,
  toTimestamp,
} from '@vedette/shared'
import { type Actor, auditEntry, recordAudit } from '../../access/audit/index.ts'
import { type Principal, type Tenant, tenantOf } from '../../access/auth/index.ts'
import { filterRecipients, findReachable } from '../notifications/index.ts'
import { findMembers, instantAhead } from '../on-call/index.ts'
import { refuseOverBound } from '../../access/plans/index.ts'
import { type Db, inTransaction, type PageRequest } from '../../platform/db/index.ts'
import { type OwnFaults, requireNoFaults } from '../../platform/http/index.ts'
import { restoreDeleted } from '../../operating/deletions/index.ts'
import { takeOutPolicy } from '../../operating/references/index.ts'
import { conflict, invalid, notFound } from '../../platform/errors.ts'
import { encodeId, newId } from '../../platform/ids.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { zoneFaults } from '../../platform/time/instant.ts'
import { isActive } from './next-step.ts'
import { readSteps, stepFaults } from './read-steps.ts'
import { findStepPeople } from './recipients.ts'
import * as store from './store.ts'
import { toPolicy } from './wire.ts'

export interface EscalationDeps {
  db: Db
  clock: Clock
}

/** One page of the organization's escalation policies, newest first. */
export async function listPolicies(
  { db }: Pick<EscalationDeps, 'db'>,
  tenant: Tenant,
  request: PageRequest,
): Promise<EscalationPolicyList> {
  const { total, rows } = await store.listPolicies(db, tenant.number, request)
  return { escalation_policies: rows.map(toPolicy), total, page: request.page, limit: request.limit }
}

/** Throws not_found across organizations. */
export async function getPolicy({ db }: Pick<EscalationDeps, 'db'>, tenant: Tenant, id: string): Promise<EscalationPolicy> {
  const row = await store.findPolicy(db, tenant.number, id)
  if (!row) throw notFound()
  return toPolicy(row)
}

/** Throws validation_error. */
export async function createPolicy(
  deps: EscalationDeps,
  actor: Actor<Principal>,
  body: CreateEscalationPolicyBody,
): Promise<EscalationPolicy> {
  const tenant = tenantOf(actor.principal)
  requireNoFaults(ownPolicyFaults, body)
  return inTransaction(deps.db, async (db) => {
    const policy = columnsOf(NEW, body, await readSteps(db, tenant.number, body.steps))
    const [id, at] = [newId(), new Date(deps.clock.now())]
    await refuseOverBound(db, tenant.number, 'escalation_policy')
    await store.insertPolicy(db, tenant.number, { ...policy, id }, at)
    const entry = auditEntry('escalation_policy.created', 'escalationPolicy', id, { name: body.name })
    await recordAudit(db, tenant.number, actor, entry, at)
    return getPolicy({ db }, tenant, id)
  })
}

/** Changes what the body names, and validates the result. Throws not_found across organizations, validation_error. */
export async function patchPolicy(
  deps: EscalationDeps,
  actor: Actor<Principal>,
  id: string,
  body: PatchEscalationPolicyBody,
): Promise<EscalationPolicy> {
  const tenant = tenantOf(actor.principal)
  return inTransaction(deps.db, async (db) => {
    const before = await store.findPolicy(db, tenant.number, id)
    if (!before) throw notFound()
    const steps = body.steps && (await readSteps(db, tenant.number, body.steps))
    const row = await store.lockPolicy(db, tenant.number, id)
    if (!row) throw notFound()
    const after = columnsOf(row, body, steps ?? row.steps)
    const changed = (Object.keys(after) as (keyof store.PolicyColumns)[]).filter(
      (name) => !isDeepStrictEqual(row[name], after[name]),
    )
    if (changed.length === 0) return toPolicy(row)
    const at = new Date(deps.clock.now())
    await store.updatePolicy(db, tenant.number, id, after, at)
    const details = { name: after.name, changed: changed.toSorted() }
    await recordAudit(db, tenant.number, actor, auditEntry('escalation_policy.updated', 'escalationPolicy', id, details), at)
    return getPolicy({ db }, tenant, id)
  })
}

/** Throws not_found across organizations, conflict while a rule names it or an incident waits for its next step. */
export async function deletePolicy(deps: EscalationDeps, actor: Actor<Principal>, id: string): Promise<void> {
  const tenant = tenantOf(actor.principal)
  await inTransaction(deps.db, async (db) => {
    const row = await store.lockPolicy(db, tenant.number, id)
    if (!row) throw notFound()
    const { rules, routes, incidents } = await store.countUses(db, tenant.number, id)
    if (rules > 0) throw conflict('Alert rules or SLOs name the policy. Change them first.')
    if (routes > 0) throw conflict('Routes of alert sources name the policy. Change them first.')
    if (incidents > 0) throw conflict(`Open incidents wait for its next step (${incidents}). Acknowledge or resolve them first.`)
    const at = new Date(deps.clock.now())
    await store.deletePolicy(db, tenant.number, id, at, await takeOutPolicy(db, tenant.number, id))
    const entry = auditEntry('escalation_policy.deleted', 'escalationPolicy', id, { name: row.name })
    await recordAudit(db, tenant.number, actor, entry, at)
  })
}

/** Brings a deleted policy back. Throws not_found across organizations, conflict over the bound. */
export async function restorePolicy(deps: EscalationDeps, actor: Actor<Principal>, id: string): Promise<EscalationPolicy> {
  return inTransaction(deps.db, async (db) => {
    await restoreDeleted({ ...deps, db }, actor, id, store.deletedPolicies)
    return getPolicy({ db }, tenantOf(actor.principal), id)
  })
}

/** Whom each step would notify at an instant, now by default. Throws not_found across organizations, validation_error. */
export async function getRecipients(
  { db, clock }: EscalationDeps,
  tenant: Tenant,
  id: string,
  atText?: string,
): Promise<EscalationRecipients> {
  const row = await store.findPolicy(db, tenant.number, id)
  if (!row) throw notFound()
  const at = new Date(atText === undefined ? clock.now() : instantAhead('at', atText, clock.now()))
  const steps = await Promise.all(
    row.steps.map(async (step) => ({
      active: isActive(row, step, at.getTime()),
      channelIds: await filterRecipients(db, tenant.number, step.channel_ids, 'incident.opened'),
      ...(await findStepPeople(db, tenant.number, step, at)),
    })),
  )
  const people = [...new Set(steps.flatMap(({ userIds }) => userIds))]
  const [members, reachable] = await Promise.all([
    findMembers(db, tenant.number, people),
    findReachable(db, tenant.number, people),
  ])
  return {
    at: toTimestamp(at.getTime()),
    steps: steps.map(({ active, channelIds, userIds, gapIds }) => ({
      active,
      channel_ids: channelIds.map((channel) => encodeId('channel', channel)),
      users: userIds.flatMap((userId) => {
        const member = members.get(userId)
        return member ? [{ user_id: encodeId('user', userId), ...member, reachable: reachable.has(userId) }] : []
      }),
      gap_schedule_ids: gapIds.map((schedule) => encodeId('schedule', schedule)),
    })),
  }
}

/** The policy with what a body names. Run it in a transaction. Throws validation_error. */
export async function changedPolicy(
  db: Db,
  tenant: Tenant,
  before: store.PolicyColumns | undefined,
  body: PatchEscalationPolicyBody,
): Promise<store.PolicyColumns> {
  const steps = body.steps && (await readSteps(db, tenant.number, body.steps))
  return columnsOf(before ?? NEW, body, steps ?? before?.steps ?? [])
}

const NEW: store.PolicyColumns = { name: '', time_zone: 'UTC', steps: [], repeats: 0, reopen_seconds: null, tags: [] }

/** Of a new policy. */
export const ownPolicyFaults: OwnFaults = (body) => {
  const { time_zone: timeZone = 'UTC', steps } = body as Partial<CreateEscalationPolicyBody>
  return [...zoneFaults(timeZone), ...(steps ? stepFaults(steps) : [])]
}

/** The columns with these steps, and what else the body names. Throws validation_error. */
function columnsOf(before: store.PolicyColumns, body: PatchEscalationPolicyBody, steps: store.StoredStep[]): store.PolicyColumns {
  const {
    name = before.name,
    time_zone: timeZone = before.time_zone,
    repeats = before.repeats,
    reopen_seconds: reopen = before.reopen_seconds,
    tags = before.tags,
  } = body
  const zone = zoneFaults(timeZone)
  if (zone.length > 0) throw invalid(...zone)
  return { name, time_zone: timeZone, steps, repeats, reopen_seconds: reopen, tags }
}
