import type { AlertTargetType } from '@vedette/shared'
import { sql } from 'kysely'
import { type Db, type PageRequest, readPage } from '../../platform/db/index.ts'
import type { RuleColumns } from './rule.ts'

export interface RuleRow extends RuleColumns {
  id: string
  created_at: Date
  updated_at: Date
  /** Since when it says what it says: a new name changes nothing of that. */
  says_since: Date
}

const COLUMNS = [
  'id',
  'name',
  'enabled',
  'target_type',
  'target_id',
  'target_tag',
  'metric',
  'mount',
  'operator',
  'value',
  'clear_value',
  'for_seconds',
  'severity',
  'channel_ids',
  'repeat_seconds',
  'created_at',
  'updated_at',
  'says_since',
] as const

/** As the driver takes them: jsonb goes in as text. */
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
    says_since: at,
  }))
  await db.insertInto('alert_rule').values(rows).execute()
}

export function findRule(db: Db, organization: number, id: string): Promise<RuleRow | undefined> {
  return db
    .selectFrom('alert_rule')
    .select(COLUMNS)
    .where('organization', '=', organization)
    .where('id', '=', id)
    .executeTakeFirst()
}

/** Locked until the transaction ends. Take what the rule names before: whoever deletes that takes it first too. */
export function lockRule(db: Db, organization: number, id: string): Promise<RuleRow | undefined> {
  return db
    .selectFrom('alert_rule')
    .select(COLUMNS)
    .where('organization', '=', organization)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()
}

/** Changes what is given; `saysSince` where it says something else now. */
export async function updateRule(
  db: Db,
  organization: number,
  id: string,
  change: Partial<RuleColumns>,
  at: Date,
  saysSince: Date,
): Promise<void> {
  await db
    .updateTable('alert_rule')
    .set({ ...storable(change), updated_at: at, says_since: saysSince })
    .where('organization', '=', organization)
    .where('id', '=', id)
    .execute()
}

export async function deleteRule(db: Db, organization: number, id: string): Promise<void> {
  await db.deleteFrom('alert_rule').where('organization', '=', organization).where('id', '=', id).execute()
}

/** One page, newest first, and the total. */
export function listRules(db: Db, organization: number, page: PageRequest): Promise<{ total: number; rows: RuleRow[] }> {
  const query = db.selectFrom('alert_rule').select(COLUMNS).where('organization', '=', organization)
  return readPage(db, query, sql`created_at desc, id desc`, page)
}

/**
 * Enabled rules that may apply to one of these, in the order in which they were made; those of a tag all. Held: none of them
 * changes before the transaction ends.
 */
export function findEnabledRules(
  db: Db,
  organization: number,
  type: AlertTargetType,
  ids: readonly string[],
  isHeld = false,
): Promise<RuleRow[]> {
  return db
    .selectFrom('alert_rule')
    .select(COLUMNS)
    .where('organization', '=', organization)
    .where('target_type', '=', type)
    .where('enabled', '=', true)
    .where((eb) => eb.or([eb('target_id', 'is', null), eb('target_id', 'in', ids)]))
    .orderBy('created_at')
    .orderBy('id')
    .$if(isHeld, (query) => query.forShare())
    .execute()
}

/** Enabled rules of all organizations that go by the numbers of checks, in the order in which they were made. */
export function listCheckRules(db: Db): Promise<(RuleRow & { organization: number })[]> {
  return db
    .selectFrom('alert_rule')
    .select([...COLUMNS, 'organization'])
    .where('enabled', '=', true)
    .where('target_type', '=', 'monitor')
    .where('metric', '!=', 'status')
    .orderBy('organization')
    .orderBy('created_at')
    .orderBy('id')
    .execute()
}

/** Organizations with a rule on servers that says what it says since some instant after this. */
export async function listFreshServerRules(db: Db, since: Date): Promise<number[]> {
  const rows = await db
    .selectFrom('alert_rule')
    .select('organization')
    .distinct()
    .where('says_since', '>', since)
    .where('target_type', '=', 'server')
    .execute()
  return rows.map(({ organization }) => organization)
}

/** All enabled rules on servers of these organizations, in the order in which they were made. */
export async function listServerRules(db: Db, organizations: readonly number[]): Promise<(RuleRow & { organization: number })[]> {
  return db
    .selectFrom('alert_rule')
    .select([...COLUMNS, 'organization'])
    .where('organization', 'in', organizations)
    .where('enabled', '=', true)
    .where('target_type', '=', 'server')
    .orderBy('organization')
    .orderBy('created_at')
    .orderBy('id')
    .execute()
}

/** Of these rules those that are enabled; none of them changes before the transaction ends. */
export function holdRules(db: Db, organization: number, ids: readonly string[]): Promise<RuleRow[]> {
  return db
    .selectFrom('alert_rule')
    .select(COLUMNS)
    .where('organization', '=', organization)
    .where('id', 'in', ids)
    .where('enabled', '=', true)
    .orderBy('created_at')
    .orderBy('id')
    .forShare()
    .execute()
}

/** Whether the organization has it; if so it is not deleted before the transaction ends. */
export async function holdTarget(db: Db, organization: number, type: AlertTargetType, id: string): Promise<boolean> {
  const row = await db
    .selectFrom(type)
    .select('id')
    .where('organization', '=', organization)
    .where('id', '=', id)
    .forKeyShare()
    .executeTakeFirst()
  return row !== undefined
}

/** Those of these channels that the organization has; they are not deleted before the transaction ends. */
export async function holdChannels(db: Db, organization: number, ids: readonly string[]): Promise<Set<string>> {
  const rows = await db
    .selectFrom('channel')
    .select('id')
    .where('organization', '=', organization)
    .where('id', 'in', ids)
    .orderBy('id')
    .forKeyShare()
    .execute()
  return new Set(rows.map(({ id }) => id))
}

/** Removes the rules that speak of nothing but these, which are deleted. */
export async function deleteRulesOf(db: Db, organization: number, type: AlertTargetType, ids: readonly string[]): Promise<void> {
  await db
    .deleteFrom('alert_rule')
    .where('organization', '=', organization)
    .where('target_type', '=', type)
    .where('target_id', 'in', ids)
    .execute()
}
