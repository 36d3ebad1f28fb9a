import { type AlertTargetType, RULE_TARGET_TYPES, type RuleTargetType } from '@vedette/shared'
import { sql } from 'kysely'
import { announceChange, createResourceRows, type Db, type TableRow } from '../../../platform/db/index.ts'
import type { RuleColumns } from './rule.ts'

const COLUMNS = [
  'id',
  'name',
  'enabled',
  'target_type',
  'target_id',
  'target_tag',
  'metric',
  'mount',
  'entity_name',
  'expression',
  'every_seconds',
  'operator',
  'value',
  'clear_value',
  'for_seconds',
  'severity',
  'channel_ids',
  'repeat_seconds',
  'escalation_policy_id',
  'description',
  'runbook_url',
  'managed',
  'created_at',
  'updated_at',
  'defined_at',
  'last_error',
] as const

export type RuleRow = Omit<Pick<TableRow<'alert_rule'>, (typeof COLUMNS)[number]>, 'target_type'> & {
  target_type: RuleTargetType
}

/** The driver takes jsonb as text. */
function storable<Columns extends Partial<RuleColumns>>(columns: Columns) {
  const { value, clear_value, ...rest } = columns
  return {
    ...rest,
    ...(value !== undefined && { value: JSON.stringify(value) }),
    ...(clear_value !== undefined && { clear_value: clear_value === null ? null : JSON.stringify(clear_value) }),
  }
}

/** Stores new rules of an organization. */
export async function insertRules(
  db: Db,
  organization: number,
  rules: readonly (RuleColumns & { id: string })[],
  at: Date,
): Promise<void> {
  const rows = rules.map(({ value, clear_value, ...rest }) => ({
    ...rest,
    organization,
    value: JSON.stringify(value),
    clear_value: clear_value === null ? null : JSON.stringify(clear_value),
    created_at: at,
    updated_at: at,
    defined_at: at,
  }))
  await db.insertInto('alert_rule').values(rows).execute()
  await announceChange(db, 'alert_rule')
}

const rules = createResourceRows('alert_rule', (db, organization) =>
  db
    .selectFrom('alert_rule')
    .select(COLUMNS)
    .where('organization', '=', organization)
    // Those of SLOs are changed with their SLO.
    .where('target_type', 'in', RULE_TARGET_TYPES)
    .$narrowType<{ target_type: RuleTargetType }>(),
)

/** The rules of all organizations that are not deleted. */
export const ruleRows = (db: Db) =>
  db.selectFrom('alert_rule').select(COLUMNS).where('deleted_at', 'is', null).$narrowType<{ target_type: RuleTargetType }>()

/** Lock what a rule refers to before the rule: a deletion of that locks it first, too. */
export const {
  find: findRule,
  lock: lockRule,
  list: listRules,
  readAll: readRules,
  remove: deleteRule,
  deleted: deletedRules,
} = rules

/** Lets one transaction at a time add rules that are missing. */
export async function lockAdditions(db: Db, organization: number): Promise<void> {
  await db.selectFrom('organization').select('number').where('number', '=', organization).forNoKeyUpdate().execute()
}

/** What the rules of an organization are about. */
export function listMetrics(db: Db, organization: number): Promise<{ target_type: string; metric: string }[]> {
  return db
    .selectFrom('alert_rule')
    .select(['target_type', 'metric'])
    .distinct()
    .where('organization', '=', organization)
    .where('deleted_at', 'is', null)
    .execute()
}

/** Changes the columns that are given; `definedAt` is later than before where the definition changes. */
export async function updateRule(
  db: Db,
  organization: number,
  id: string,
  change: Partial<RuleColumns>,
  at: Date,
  definedAt: Date,
): Promise<void> {
  await db
    .updateTable('alert_rule')
    .set({
      ...storable(change),
      updated_at: at,
      defined_at: definedAt,
      // What was wrong with another definition.
      last_error: sql<string | null>`case when defined_at = ${definedAt} then last_error end`,
    })
    .where('organization', '=', organization)
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .execute()
  await announceChange(db, 'alert_rule')
}

/** Renames the rules with these names and metrics. Nothing that is evaluated changes. */
export async function renameRules(
  db: Db,
  organization: number,
  renames: readonly { metric: string; from: string; to: string }[],
  at: Date,
): Promise<void> {
  const [metrics, before, after] = (['metric', 'from', 'to'] as const).map((field) => renames.map((rename) => rename[field]))
  await sql`
    update alert_rule as rule set name = given.after, updated_at = ${at}
    from unnest(${metrics}::text[], ${before}::text[], ${after}::text[]) as given (metric, before, after)
    where rule.organization = ${organization} and rule.metric = given.metric and rule.name = given.before
      and rule.deleted_at is null`.execute(db)
  await announceChange(db, 'alert_rule')
}

/** Evaluates a restored rule from now on: its condition does not count from before the deletion. */
export async function beginRule(db: Db, organization: number, id: string, at: Date): Promise<void> {
  await db
    .updateTable('alert_rule')
    .set({ defined_at: at })
    .where('organization', '=', organization)
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .execute()
  await announceChange(db, 'alert_rule')
}

/** Enabled rules that may apply to one of these, oldest first; all with a tag. Locked: none changes before the transaction ends. */
export function findEnabledRules(
  db: Db,
  organization: number,
  type: AlertTargetType,
  ids: readonly string[],
  isLocked = false,
): Promise<RuleRow[]> {
  return rules
    .rowsOf(db, organization)
    .where('target_type', '=', type)
    .where('enabled', '=', true)
    .where((eb) => eb.or([eb('target_id', 'is', null), eb('target_id', 'in', ids)]))
    .orderBy('created_at')
    .orderBy('id')
    .$if(isLocked, (query) => query.forShare())
    .execute()
}

/** Enabled rules of an organization on this metric. */
export const findRulesOnMetric = (db: Db, organization: number, metric: string): Promise<RuleRow[]> =>
  rules.rowsOf(db, organization).where('enabled', '=', true).where('metric', '=', metric).execute()

/** Enabled rules of all organizations on response times and certificates, oldest first. */
export function listCheckRules(db: Db): Promise<(RuleRow & { organization: number })[]> {
  return db
    .selectFrom('alert_rule')
    .select([...COLUMNS, 'organization'])
    .where('enabled', '=', true)
    .where('target_type', '=', 'monitor')
    .where('metric', '!=', 'status')
    .where('deleted_at', 'is', null)
    .$narrowType<{ target_type: RuleTargetType }>()
    .orderBy('organization')
    .orderBy('created_at')
    .orderBy('id')
    .execute()
}

/** Organizations with a rule on servers that was defined after this instant. */
export async function listOrganizationsWithChangedServerRules(db: Db, since: Date): Promise<number[]> {
  const rows = await db
    .selectFrom('alert_rule')
    .select('organization')
    .distinct()
    .where('defined_at', '>', since)
    .where('target_type', '=', 'server')
    .where('deleted_at', 'is', null)
    .execute()
  return rows.map(({ organization }) => organization)
}

/** All enabled rules on servers of these organizations, oldest first. */
export async function listServerRules(db: Db, organizations: readonly number[]): Promise<(RuleRow & { organization: number })[]> {
  return db
    .selectFrom('alert_rule')
    .select([...COLUMNS, 'organization'])
    .where('organization', 'in', organizations)
    .where('enabled', '=', true)
    .where('target_type', '=', 'server')
    .where('deleted_at', 'is', null)
    .$narrowType<{ target_type: RuleTargetType }>()
    .orderBy('organization')
    .orderBy('created_at')
    .orderBy('id')
    .execute()
}

/** The enabled ones of these rules; none changes before the transaction ends. */
export function lockRules(db: Db, organization: number, ids: readonly string[]): Promise<RuleRow[]> {
  return rules
    .rowsOf(db, organization)
    .where('id', 'in', ids)
    .where('enabled', '=', true)
    .orderBy('created_at')
    .orderBy('id')
    .forShare()
    .execute()
}
