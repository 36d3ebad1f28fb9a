import { isDeepStrictEqual } from 'node:util'
import {
  BURN_ALERT_NAMES,
  type CreateSloBody,
  MAX_SLO_MONITORS,
  type PatchSloBody,
  type SloDetails,
  type SloList,
} from '@vedette/shared'
import {
  deleteSloRules,
  insertSloRules,
  listSloRules,
  lockChannels,
  lockPolicy,
  restoreSloRules,
  type SloAlerts,
  updateSloRule,
} from '../../alerting/alerts/index.ts'
import { type Actor, auditEntry, recordAudit } from '../../access/audit/index.ts'
import { type Principal, type Tenant, tenantOf } from '../../access/auth/index.ts'
import { resolveIncidentsOf } from '../../alerting/incidents/index.ts'
import { refuseOverBound } from '../../access/plans/index.ts'
import { type Db, inTransaction, type PageRequest } from '../../platform/db/index.ts'
import { requireNoFaults } from '../../platform/http/index.ts'
import { restoreDeleted } from '../../operating/deletions/index.ts'
import { lockReferences } from '../../operating/references/index.ts'
import { invalid, notFound } from '../../platform/errors.ts'
import { newId, parseId } from '../../platform/ids.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { ownSloFaults, recipientFaults, sloFaults, targetFaults } from './faults.ts'
import { readStatus } from './read-status.ts'
import * as store from './store.ts'
import { toSlo } from './wire.ts'

export interface SloDeps {
  db: Db
  clock: Clock
}

/** One page of the organization's SLOs, newest first. */
export async function listSlos({ db }: Pick<SloDeps, 'db'>, tenant: Tenant, request: PageRequest): Promise<SloList> {
  const { total, rows } = await store.listSlos(db, tenant.number, request)
  const rules = await listSloRules(
    db,
    tenant.number,
    rows.map(({ id }) => id),
  )
  const own = Map.groupBy(rules, ({ sloId }) => sloId)
  return { slos: rows.map((row) => toSlo(row, own.get(row.id) ?? [])), total, page: request.page, limit: request.limit }
}

/** Throws not_found across organizations. */
export async function getSlo({ db, clock }: SloDeps, tenant: Tenant, id: string): Promise<SloDetails> {
  const row = await store.findSlo(db, tenant.number, id)
  if (!row) throw notFound()
  const rules = await listSloRules(db, tenant.number, [id])
  return { ...toSlo(row, rules), status: await readStatus(db, tenant.number, row, clock.now()) }
}

/** Creates an SLO with its alerts. Throws validation_error. */
export async function createSlo(deps: SloDeps, actor: Actor<Principal>, body: CreateSloBody): Promise<SloDetails> {
  const tenant = tenantOf(actor.principal)
  requireNoFaults(ownSloFaults, body)
  return inTransaction(deps.db, async (db) => {
    const defaults = { kind: 'availability', threshold_ms: null, period: '30d', time_zone: 'UTC' } as const
    const slo = { ...defaults, ...(await columnsOf(db, tenant, body)) } as store.SloColumns
    const alerts = { ...NO_RECIPIENTS, burnAlerts: BURN_ALERT_NAMES, ...(await alertsOf(db, tenant, body)) }
    const [id, at] = [newId(), new Date(deps.clock.now())]
    await refuseOverBound(db, tenant.number, 'slo')
    await store.insertSlo(db, tenant.number, { ...slo, id }, at)
    await insertSloRules(db, tenant.number, { id, name: slo.name }, alerts, at)
    await recordAudit(db, tenant.number, actor, auditEntry('slo.created', 'slo', id, { name: slo.name }), at)
    return getSlo({ ...deps, db }, tenant, id)
  })
}

/** Changes what the body names, and validates the result. Throws not_found across organizations, validation_error. */
export async function patchSlo(deps: SloDeps, actor: Actor<Principal>, id: string, body: PatchSloBody): Promise<SloDetails> {
  const tenant = tenantOf(actor.principal)
  return inTransaction(deps.db, async (db) => {
    // An unknown SLO is reported before invalid fields; and what an SLO refers to is locked before it.
    if (!(await store.findSlo(db, tenant.number, id))) throw notFound()
    const change = await columnsOf(db, tenant, body)
    const given = await alertsOf(db, tenant, body)
    const row = await store.lockSlo(db, tenant.number, id)
    if (!row) throw notFound()
    requireValid({ ...row, ...change })
    const names = (Object.keys(change) as (keyof store.SloColumns)[]).filter(
      (name) => !isDeepStrictEqual(row[name], change[name]),
    )
    const rules = await listSloRules(db, tenant.number, [id])
    const { channelIds, policyId } = rules[0] ?? NO_RECIPIENTS
    const burnAlerts = rules.filter(({ enabled }) => enabled).map(({ alert }) => alert)
    const before: SloAlerts = { channelIds, policyId, burnAlerts }
    const alerts = { ...before, ...given }
    requireOneKind(alerts)
    const changed = [
      ...names.map((name) => WIRE_NAMES[name] ?? name),
      ...(isDeepStrictEqual(alerts.channelIds, before.channelIds) ? [] : ['channel_ids']),
      ...(alerts.policyId === before.policyId ? [] : ['escalation_policy_id']),
      ...(isDeepStrictEqual(alerts.burnAlerts.toSorted(), before.burnAlerts.toSorted()) ? [] : ['burn_alerts']),
    ]
    if (changed.length === 0) return getSlo({ ...deps, db }, tenant, id)
    const at = new Date(deps.clock.now())
    await store.updateSlo(db, tenant.number, id, change, at)
    const name = change.name ?? row.name
    // A new objective or target is another condition.
    const isRedefined = changed.some((one) => !COSMETIC.has(one))
    for (const rule of rules) {
      const enabled = alerts.burnAlerts.includes(rule.alert)
      const definedAt = isRedefined ? at : rule.definedAt
      await updateSloRule(db, tenant.number, rule.id, { ...alerts, name, enabled, definedAt }, at)
    }
    if (isRedefined) await resolveIncidentsOf(db, tenant.number, [id], 'the SLO was changed', at)
    await recordAudit(db, tenant.number, actor, auditEntry('slo.updated', 'slo', id, { name, changed: changed.toSorted() }), at)
    return getSlo({ ...deps, db }, tenant, id)
  })
}

/** A change of these keeps the open incidents. */
const COSMETIC: ReadonlySet<string> = new Set(['name', 'channel_ids', 'escalation_policy_id', 'window', 'time_zone'])
const WIRE_NAMES: Partial<Record<keyof store.SloColumns, string>> = {
  period: 'window',
  target_id: 'target',
  target_tag: 'target',
}

/** Resolves its open incidents. Throws not_found across organizations. */
export async function deleteSlo(deps: SloDeps, actor: Actor<Principal>, id: string): Promise<void> {
  const tenant = tenantOf(actor.principal)
  await inTransaction(deps.db, async (db) => {
    const row = await store.lockSlo(db, tenant.number, id)
    if (!row) throw notFound()
    const at = new Date(deps.clock.now())
    await deleteSloRules(db, tenant.number, id, at)
    await store.deleteSlo(db, tenant.number, id, at)
    await resolveIncidentsOf(db, tenant.number, [id], 'the SLO was deleted', at)
    await recordAudit(db, tenant.number, actor, auditEntry('slo.deleted', 'slo', id, { name: row.name }), at)
  })
}

/** Brings a deleted SLO back with its alerts. Throws not_found across organizations, conflict over the bound. */
export async function restoreSlo(deps: SloDeps, actor: Actor<Principal>, id: string): Promise<SloDetails> {
  const tenant = tenantOf(actor.principal)
  return inTransaction(deps.db, async (db) => {
    const alerts = (_row: unknown, at: Date) => restoreSloRules(db, tenant.number, id, at)
    await restoreDeleted({ ...deps, db }, actor, id, store.deletedSlos, alerts)
    return getSlo({ ...deps, db }, tenant, id)
  })
}

/** The columns that a body names; a monitor among them is not deleted before the transaction ends. */
async function columnsOf(db: Db, tenant: Tenant, body: PatchSloBody): Promise<Partial<store.SloColumns>> {
  const { name, target, kind, threshold_ms: thresholdMs, objective, window, time_zone: timeZone } = body
  return {
    ...(name !== undefined && { name }),
    ...(kind !== undefined && { kind }),
    ...(thresholdMs !== undefined && { threshold_ms: thresholdMs }),
    ...(objective !== undefined && { objective }),
    ...(window !== undefined && { period: window }),
    ...(timeZone !== undefined && { time_zone: timeZone }),
    ...(target && (await targetOf(db, tenant, target))),
  }
}

async function targetOf(db: Db, tenant: Tenant, target: CreateSloBody['target']) {
  const faults = targetFaults(target)
  if (faults.length > 0) throw invalid(...faults)
  const { id = null, tag = null } = target
  if (id === null) {
    const some = await store.listSloMonitors(db, tenant.number, { target_id: null, target_tag: tag }, MAX_SLO_MONITORS + 1)
    if (some.length > MAX_SLO_MONITORS)
      throw invalid({ path: 'target.tag', message: `must be that of at most ${MAX_SLO_MONITORS} monitors` })
    return { target_id: null, target_tag: tag }
  }
  const parsedId = parseId('monitor', id)
  if (parsedId === undefined || !(await lockReferences(db, 'monitor', tenant.number, [parsedId])).has(parsedId))
    throw invalid({ path: 'target.id', message: 'is not a monitor of this organization' })
  return { target_id: parsedId, target_tag: null }
}

const NO_RECIPIENTS: Pick<SloAlerts, 'channelIds' | 'policyId'> = { channelIds: [], policyId: null }

/** The alerts that a body names; what they refer to is not deleted before the transaction ends. Throws validation_error. */
async function alertsOf(db: Db, tenant: Tenant, body: PatchSloBody): Promise<Partial<SloAlerts>> {
  const { channel_ids: channels, escalation_policy_id: policy, burn_alerts: burnAlerts } = body
  return {
    ...(channels && { channelIds: await lockChannels(db, tenant, channels) }),
    ...(policy !== undefined && { policyId: policy === null ? null : await lockPolicy(db, tenant, policy) }),
    ...(burnAlerts && { burnAlerts }),
  }
}

function requireOneKind({ channelIds, policyId }: SloAlerts): void {
  const faults = recipientFaults(channelIds, policyId)
  if (faults.length > 0) throw invalid(...faults)
}

function requireValid(slo: store.SloColumns): void {
  const faults = sloFaults(slo)
  if (faults.length > 0) throw invalid(...faults)
}
