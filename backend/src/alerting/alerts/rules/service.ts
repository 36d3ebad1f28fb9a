import { isDeepStrictEqual } from 'node:util'
import type { AddedAlertRules, AlertRule, AlertRuleList, CreateAlertRuleBody, PatchAlertRuleBody } from '@vedette/shared'
import { type Actor, auditEntry, recordAudit } from '../../../access/audit/index.ts'
import { type Principal, type Tenant, tenantOf } from '../../../access/auth/index.ts'
import { refuseOverBound } from '../../../access/plans/index.ts'
import type { Clock } from '../../../platform/time/clock.ts'
import { type Db, inTransaction, type PageRequest } from '../../../platform/db/index.ts'
import { requireNoFaults } from '../../../platform/http/index.ts'
import { lockReferences } from '../../../operating/references/index.ts'
import { restoreDeleted } from '../../../operating/deletions/index.ts'
import { invalid, notFound } from '../../../platform/errors.ts'
import { newId, parseId } from '../../../platform/ids.ts'
import { resolveIncidentsOfRule } from '../../incidents/index.ts'
import { requestReevaluation } from '../signals/store.ts'
import { listMissingRules } from './defaults.ts'
import { appliesTo, coversComposites, columnsOf, ownRuleFaults, withDefaults, type RuleColumns, ruleFaults } from './rule.ts'
import { requireTarget } from '../target-store.ts'
import * as store from './store.ts'
import { toAlertRule } from './wire.ts'

/** A change of these keeps the open incidents of the rule. */
const COSMETIC_COLUMNS: ReadonlySet<keyof RuleColumns> = new Set([
  'name',
  'severity',
  'channel_ids',
  'repeat_seconds',
  'escalation_policy_id',
  'description',
  'runbook_url',
])

export interface RuleDeps {
  db: Db
  clock: Clock
}

/** One page of the organization's rules, newest first. */
export async function listRules({ db }: RuleDeps, tenant: Tenant, request: PageRequest): Promise<AlertRuleList> {
  const { total, rows } = await store.listRules(db, tenant.number, request)
  return { alert_rules: rows.map(toAlertRule), total, page: request.page, limit: request.limit }
}

/** Throws not_found across organizations. */
export async function getRule({ db }: Pick<RuleDeps, 'db'>, tenant: Tenant, id: string): Promise<AlertRule> {
  const row = await store.findRule(db, tenant.number, id)
  if (!row) throw notFound()
  return toAlertRule(row)
}

/** Creates a rule. Throws validation_error. */
export async function createRule(deps: RuleDeps, actor: Actor<Principal>, body: CreateAlertRuleBody): Promise<AlertRule> {
  const tenant = tenantOf(actor.principal)
  requireNoFaults(ownRuleFaults, body)
  return inTransaction(deps.db, async (db) => {
    const rule = await resolveReferences(db, tenant, withDefaults(body))
    const [id, at] = [newId(), new Date(deps.clock.now())]
    await refuseOverBound(db, tenant.number, 'alert_rule')
    await store.insertRules(db, tenant.number, [{ ...rule, id }], at)
    await reevaluate(db, tenant.number, rule, at)
    await recordAudit(db, tenant.number, actor, auditEntry('alert_rule.created', 'alertRule', id, { name: rule.name }), at)
    return getRule({ db }, tenant, id)
  })
}

/** Creates the default rules that the organization does not have, and returns them. */
export async function addDefaultRules(deps: RuleDeps, actor: Actor<Principal>): Promise<AddedAlertRules> {
  const { number } = tenantOf(actor.principal)
  return inTransaction(deps.db, async (db) => {
    await store.lockAdditions(db, number)
    const [rules, at] = [await listMissingRules(db, number), new Date(deps.clock.now())]
    if (rules.length === 0) return { alert_rules: [] }
    await refuseOverBound(db, number, 'alert_rule', rules.length)
    await store.insertRules(db, number, rules, at)
    for (const rule of rules) {
      await reevaluate(db, number, rule, at)
      await recordAudit(db, number, actor, auditEntry('alert_rule.created', 'alertRule', rule.id, { name: rule.name }), at)
    }
    return {
      alert_rules: rules.map((rule) =>
        toAlertRule({ ...rule, managed: null, created_at: at, updated_at: at, defined_at: at, last_error: null }),
      ),
    }
  })
}

/** The rule that a body would create. Throws validation_error. */
export async function validateRule(database: Db, tenant: Tenant, body: CreateAlertRuleBody): Promise<RuleColumns> {
  return inTransaction(database, async (db) => {
    const rule = await resolveReferences(db, tenant, withDefaults(body))
    requireValid(rule)
    return rule
  })
}

/** A new rule before its body. */
const NEW = withDefaults({} as CreateAlertRuleBody)

/** The rule with what a body names. Run it in a transaction. Throws validation_error. */
export async function changedRule(
  db: Db,
  tenant: Tenant,
  before: RuleColumns | undefined,
  body: PatchAlertRuleBody,
): Promise<RuleColumns> {
  const change = await resolveReferences(db, tenant, columnsOf(body))
  const rule = { ...(before ?? NEW), ...change } as RuleColumns
  requireValid(rule)
  return rule
}

/** Changes what the body names, and validates the result. Throws not_found across organizations, validation_error. */
export async function patchRule(
  deps: RuleDeps,
  actor: Actor<Principal>,
  id: string,
  body: PatchAlertRuleBody,
): Promise<AlertRule> {
  const tenant = tenantOf(actor.principal)
  return inTransaction(deps.db, async (db) => {
    // An unknown rule is reported before invalid fields; and what a rule refers to is locked before the rule.
    if (!(await store.findRule(db, tenant.number, id))) throw notFound()
    const change = await resolveReferences(db, tenant, columnsOf(body))
    const row = await store.lockRule(db, tenant.number, id)
    if (!row) throw notFound()
    requireValid({ ...row, ...change })
    const changed = (Object.keys(change) as (keyof RuleColumns)[]).filter((name) => !isDeepStrictEqual(row[name], change[name]))
    if (changed.length === 0) return toAlertRule(row)
    const at = new Date(deps.clock.now())
    const isRedefined = changed.some((name) => !COSMETIC_COLUMNS.has(name))
    await store.updateRule(db, tenant.number, id, change, at, isRedefined ? at : row.defined_at)
    if (isRedefined) {
      await resolveIncidentsOfRule(db, tenant.number, id, 'the rule was changed', at)
      await reevaluate(db, tenant.number, { ...row, ...change }, at)
    }
    const details = { name: change.name ?? row.name, changed: changed.toSorted() }
    await recordAudit(db, tenant.number, actor, auditEntry('alert_rule.updated', 'alertRule', id, details), at)
    return getRule({ db }, tenant, id)
  })
}

/** Throws not_found across organizations. */
export async function deleteRule(deps: RuleDeps, actor: Actor<Principal>, id: string): Promise<void> {
  const tenant = tenantOf(actor.principal)
  await inTransaction(deps.db, async (db) => {
    const row = await store.lockRule(db, tenant.number, id)
    if (!row) throw notFound()
    const at = new Date(deps.clock.now())
    await store.deleteRule(db, tenant.number, id, at)
    await resolveIncidentsOfRule(db, tenant.number, id, 'the rule was deleted', at)
    await recordAudit(db, tenant.number, actor, auditEntry('alert_rule.deleted', 'alertRule', id, { name: row.name }), at)
  })
}

/** Brings a deleted rule back. Throws not_found across organizations, conflict over the bound and where its target was deleted. */
export async function restoreRule(deps: RuleDeps, actor: Actor<Principal>, id: string): Promise<AlertRule> {
  const tenant = tenantOf(actor.principal)
  return inTransaction(deps.db, async (db) => {
    await restoreDeleted({ ...deps, db }, actor, id, store.deletedRules, async (row, at) => {
      await requireTarget(db, tenant.number, row)
      await store.beginRule(db, tenant.number, id, at)
      await reevaluate(db, tenant.number, row, at)
    })
    return getRule({ db }, tenant, id)
  })
}

/** All enabled rules that apply to each of these monitors, by its stored id. */
export async function rulesOfMonitors(
  db: Db,
  organization: number,
  monitors: readonly { id: string; type: string; tags: readonly string[] }[],
): Promise<Map<string, AlertRule[]>> {
  const ids = monitors.map(({ id }) => id)
  const rules = ids.length === 0 ? [] : await store.findEnabledRules(db, organization, 'monitor', ids)
  return new Map(
    monitors.map(({ id, type, tags }) => {
      const own = rules.filter((rule) => appliesTo(rule, { type: 'monitor', id, tags }))
      return [id, own.filter((rule) => type !== 'composite' || coversComposites(rule)).map(toAlertRule)]
    }),
  )
}

/**
 * Rules on status are evaluated at changes. A rule that is created after its monitor went down is evaluated once its transaction has
 * ended, so that it also covers a change that was evaluated in the meantime without it.
 */
async function reevaluate(db: Db, organization: number, rule: RuleColumns, at: Date): Promise<void> {
  if (rule.enabled && rule.target_type === 'monitor' && rule.metric === 'status')
    await requestReevaluation(db, organization, [null], at)
}

function requireValid(rule: RuleColumns): void {
  const faults = ruleFaults(rule)
  if (faults.length > 0) throw invalid(...faults)
}

/**
 * Replaces ids of the API by stored ones and locks what they refer to against deletion until the transaction ends. Throws
 * validation_error, the same for malformed, unknown and other organizations' ids.
 */
async function resolveReferences<Columns extends Partial<RuleColumns>>(
  db: Db,
  tenant: Tenant,
  columns: Columns,
): Promise<Columns> {
  return {
    ...columns,
    ...(await lockTargetOf(db, tenant, columns)),
    ...(await lockChannelsOf(db, tenant, columns)),
    ...(await lockPolicyOf(db, tenant, columns)),
  }
}

async function lockTargetOf(db: Db, tenant: Tenant, { target_type: type, target_id: text }: Partial<RuleColumns>) {
  // Series have no id: that is a fault of the rule.
  if (type === undefined || type === 'series' || text === undefined || text === null) return {}
  const id = parseId(type, text)
  if (id === undefined || !(await lockReferences(db, type, tenant.number, [id])).has(id))
    throw invalid({ path: 'target.id', message: `is not a ${type} of this organization` })
  return { target_id: id }
}

async function lockPolicyOf(db: Db, tenant: Tenant, { escalation_policy_id: text }: Partial<RuleColumns>) {
  return text === undefined || text === null ? {} : { escalation_policy_id: await lockPolicy(db, tenant, text) }
}

/** The stored id of a policy, which is not deleted before the transaction ends. Throws validation_error. */
export async function lockPolicy(db: Db, tenant: Tenant, text: string): Promise<string> {
  const id = parseId('escalationPolicy', text)
  if (id === undefined || !(await lockReferences(db, 'escalation_policy', tenant.number, [id])).has(id))
    throw invalid({ path: 'escalation_policy_id', message: 'is not an escalation policy of this organization' })
  return id
}

async function lockChannelsOf(db: Db, tenant: Tenant, { channel_ids: texts }: Partial<RuleColumns>) {
  return texts === undefined || texts.length === 0 ? {} : { channel_ids: await lockChannels(db, tenant, texts) }
}

/** The stored ids of channels, which are not deleted before the transaction ends. Throws validation_error. */
export async function lockChannels(db: Db, tenant: Tenant, texts: readonly string[]): Promise<string[]> {
  const ids = texts.map((text) => parseId('channel', text))
  const parsedIds = ids.filter((id) => id !== undefined)
  const lockedIds = await lockReferences(db, 'channel', tenant.number, parsedIds)
  const faults = ids.flatMap((id, index) =>
    id !== undefined && lockedIds.has(id)
      ? []
      : [{ path: `channel_ids.${index}`, message: 'is not a channel of this organization' }],
  )
  if (faults.length > 0) throw invalid(...faults)
  return parsedIds
}
