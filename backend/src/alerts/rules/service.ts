import { isDeepStrictEqual } from 'node:util'
import type { AlertRule, AlertRuleList, CreateAlertRuleBody, PatchAlertRuleBody } from '@vedette/shared'
import { type Actor, recordAudit } from '../../audit/index.ts'
import { type Principal, type Tenant, tenantOf } from '../../auth/index.ts'
import { type Db, inTransaction, type PageRequest } from '../../platform/db/index.ts'
import { invalid, notFound } from '../../platform/errors.ts'
import { newId, parseId } from '../../platform/ids.ts'
import type { AlertDeps } from '../deps.ts'
import { resolveIncidentsOfRule } from '../incidents/service.ts'
import { lookAgainByRule } from '../judging/look-again.ts'
import { appliesTo, columnsOf, completeRule, type RuleColumns, ruleFaults } from './rule.ts'
import * as store from './store.ts'
import { toAlertRule } from './wire.ts'

/** What may change of a rule while its incidents stay. */
const SAYS_THE_SAME: ReadonlySet<keyof RuleColumns> = new Set(['name', 'severity', 'channel_ids', 'repeat_seconds'])

/** One page of the organization's rules, newest first. */
export async function listRules({ db }: AlertDeps, tenant: Tenant, request: PageRequest): Promise<AlertRuleList> {
  const { total, rows } = await store.listRules(db, tenant.number, request)
  return { alert_rules: rows.map(toAlertRule), total, page: request.page, limit: request.limit }
}

/** Throws not_found across organizations. */
export async function getRule({ db }: Pick<AlertDeps, 'db'>, tenant: Tenant, id: string): Promise<AlertRule> {
  const row = await store.findRule(db, tenant.number, id)
  if (!row) throw notFound()
  return toAlertRule(row)
}

/** Makes a rule. Throws validation_error. */
export async function createRule(deps: AlertDeps, actor: Actor<Principal>, body: CreateAlertRuleBody): Promise<AlertRule> {
  const tenant = tenantOf(actor.principal)
  return inTransaction(deps.db, async (db) => {
    const rule = await holdNamed(db, tenant, completeRule(body))
    refuseFaults(rule)
    const [id, at] = [newId(), new Date(deps.clock.now())]
    await store.insertRules(db, tenant.number, [{ ...rule, id }], at)
    await lookAgainByRule(db, tenant.number, rule, at)
    await recordAudit(db, tenant.number, actor, entryOf('created', id, { name: rule.name }), at)
    return getRule({ db }, tenant, id)
  })
}

/** The rule that a body would make. Throws validation_error. */
export async function proveRule(database: Db, tenant: Tenant, body: CreateAlertRuleBody): Promise<RuleColumns> {
  return inTransaction(database, async (db) => {
    const rule = await holdNamed(db, tenant, completeRule(body))
    refuseFaults(rule)
    return rule
  })
}

/** Changes what the body names; the whole is judged afterwards. Throws not_found across organizations, validation_error. */
export async function patchRule(
  deps: AlertDeps,
  actor: Actor<Principal>,
  id: string,
  body: PatchAlertRuleBody,
): Promise<AlertRule> {
  const tenant = tenantOf(actor.principal)
  return inTransaction(deps.db, async (db) => {
    // Before the rules of form: whether there is such a rule is told first, and named things are taken before the rule.
    if (!(await store.findRule(db, tenant.number, id))) throw notFound()
    const change = await holdNamed(db, tenant, columnsOf(body))
    const row = await store.lockRule(db, tenant.number, id)
    if (!row) throw notFound()
    refuseFaults({ ...row, ...change })
    const changed = (Object.keys(change) as (keyof RuleColumns)[]).filter((name) => !isDeepStrictEqual(row[name], change[name]))
    if (changed.length === 0) return toAlertRule(row)
    const at = new Date(deps.clock.now())
    const isOther = changed.some((name) => !SAYS_THE_SAME.has(name))
    await store.updateRule(db, tenant.number, id, change, at, isOther ? at : row.says_since)
    if (isOther) {
      await resolveIncidentsOfRule(db, tenant.number, id, 'the rule was changed', at)
      await lookAgainByRule(db, tenant.number, { ...row, ...change }, at)
    }
    const details = { name: change.name ?? row.name, changed: changed.toSorted() }
    await recordAudit(db, tenant.number, actor, entryOf('updated', id, details), at)
    return getRule({ db }, tenant, id)
  })
}

/** Throws not_found across organizations. */
export async function deleteRule(deps: AlertDeps, actor: Actor<Principal>, id: string): Promise<void> {
  const tenant = tenantOf(actor.principal)
  await inTransaction(deps.db, async (db) => {
    const row = await store.lockRule(db, tenant.number, id)
    if (!row) throw notFound()
    const at = new Date(deps.clock.now())
    await store.deleteRule(db, tenant.number, id)
    await resolveIncidentsOfRule(db, tenant.number, id, 'the rule was deleted', at)
    await recordAudit(db, tenant.number, actor, entryOf('deleted', id, { name: row.name }), at)
  })
}

/** All enabled rules that apply to each of these monitors, by its stored id. */
export async function rulesOfMonitors(
  db: Db,
  organization: number,
  monitors: readonly { id: string; tags: readonly string[] }[],
): Promise<Map<string, AlertRule[]>> {
  const ids = monitors.map(({ id }) => id)
  const rules = ids.length === 0 ? [] : await store.findEnabledRules(db, organization, 'monitor', ids)
  return new Map(
    monitors.map(({ id, tags }) => [id, rules.filter((rule) => appliesTo(rule, { type: 'monitor', id, tags })).map(toAlertRule)]),
  )
}

const entryOf = (verb: string, id: string, details: object) => ({
  action: `alert_rule.${verb}`,
  target: { kind: 'alertRule', id } as const,
  details,
})

function refuseFaults(rule: RuleColumns): void {
  const faults = ruleFaults(rule)
  if (faults.length > 0) throw invalid(...faults)
}

/**
 * The same with stored ids in place of those that clients know; until the transaction ends none of what they name is deleted.
 * Throws validation_error, alike for what is malformed, unknown and another organization's.
 */
async function holdNamed<Columns extends Partial<RuleColumns>>(db: Db, tenant: Tenant, columns: Columns): Promise<Columns> {
  return { ...columns, ...(await heldTarget(db, tenant, columns)), ...(await heldChannels(db, tenant, columns)) }
}

async function heldTarget(db: Db, tenant: Tenant, { target_type: type, target_id: text }: Partial<RuleColumns>) {
  if (type === undefined || text === undefined || text === null) return {}
  const id = parseId(type, text)
  if (id === undefined || !(await store.holdTarget(db, tenant.number, type, id)))
    throw invalid({ path: 'target.id', message: `is no ${type} of this organization` })
  return { target_id: id }
}

async function heldChannels(db: Db, tenant: Tenant, { channel_ids: texts }: Partial<RuleColumns>) {
  if (texts === undefined || texts.length === 0) return {}
  const ids = texts.map((text) => parseId('channel', text))
  const known = ids.filter((id) => id !== undefined)
  const held = known.length === 0 ? new Set() : await store.holdChannels(db, tenant.number, known)
  const faults = ids.flatMap((id, index) =>
    id !== undefined && held.has(id) ? [] : [{ path: `channel_ids.${index}`, message: 'is no channel of this organization' }],
  )
  if (faults.length > 0) throw invalid(...faults)
  return { channel_ids: known }
}
