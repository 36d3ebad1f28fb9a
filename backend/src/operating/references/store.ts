import { type RawBuilder, sql } from 'kysely'
import type { Db, TableRow } from '../../platform/db/index.ts'

/** The ids that the organization has among these; none of those is deleted before the transaction ends. */
export async function lockReferences(
  db: Db,
  table: 'monitor' | 'server' | 'channel' | 'schedule' | 'escalation_policy' | 'alert_source',
  organization: number,
  ids: readonly string[],
): Promise<Set<string>> {
  if (ids.length === 0) return new Set()
  const rows = await db
    .selectFrom(table)
    .select('id')
    .where('organization', '=', organization)
    .where('id', 'in', ids)
    .$if(table !== 'server', (select) => select.where(sql<boolean>`deleted_at is null`))
    // Not the contact methods of members.
    .$if(table === 'channel', (select) => select.where(sql<boolean>`user_id is null`))
    // In one order, to prevent deadlocks.
    .orderBy('id')
    .forKeyShare()
    .execute()
  return new Set(rows.map(({ id }) => id))
}

export type NamingRule = Pick<TableRow<'alert_rule'>, 'id' | 'channel_ids' | 'escalation_policy_id'>
export type NamingPolicy = Pick<TableRow<'escalation_policy'>, 'id' | 'steps'>

/** Those of SLOs and deleted ones too: they come back without what was deleted. */
const lockRules = (db: Db, organization: number, condition: RawBuilder<boolean>): Promise<NamingRule[]> =>
  db
    .selectFrom('alert_rule')
    .select(['id', 'channel_ids', 'escalation_policy_id'])
    .where('organization', '=', organization)
    .where(condition)
    .orderBy('id')
    .forUpdate()
    .execute()

/** Deleted ones too, as above. */
const lockPolicies = (db: Db, organization: number, condition: RawBuilder<boolean>): Promise<NamingPolicy[]> =>
  db
    .selectFrom('escalation_policy')
    .select(['id', 'steps'])
    .where('organization', '=', organization)
    .where(condition)
    .orderBy('id')
    .forUpdate()
    .execute()

const isAmong = (ids: readonly string[]) => sql<boolean>`id = any(${ids}::uuid[])`

export const lockRulesAmong = (db: Db, organization: number, ids: readonly string[]) => lockRules(db, organization, isAmong(ids))

export const lockPoliciesAmong = (db: Db, organization: number, ids: readonly string[]) =>
  lockPolicies(db, organization, isAmong(ids))

export const lockRulesOfChannel = (db: Db, organization: number, id: string) =>
  lockRules(db, organization, sql`${id}::uuid = any(channel_ids)`)

export const lockRulesOfPolicy = (db: Db, organization: number, id: string) =>
  lockRules(db, organization, sql`escalation_policy_id = ${id}`)

export const lockPoliciesNaming = (db: Db, organization: number, field: 'channel_ids' | 'schedule_ids', id: string) =>
  lockPolicies(
    db,
    organization,
    sql`exists (select from jsonb_array_elements(steps) as step where step -> ${field} ? ${id}::text)`,
  )

/** Stores the channels and policies of locked rules. */
export async function updateNamingRules(db: Db, organization: number, rules: readonly NamingRule[]): Promise<void> {
  if (rules.length === 0) return
  await sql`
    update alert_rule set channel_ids = given.channel_ids, escalation_policy_id = given.escalation_policy_id
    from jsonb_to_recordset(${JSON.stringify(rules)}::jsonb) as given (id uuid, channel_ids uuid[], escalation_policy_id uuid)
    where organization = ${organization} and alert_rule.id = given.id`.execute(db)
}

/** Stores the steps of locked policies. */
export async function updateNamingPolicies(db: Db, organization: number, policies: readonly NamingPolicy[]): Promise<void> {
  if (policies.length === 0) return
  await sql`
    update escalation_policy set steps = given.steps
    from jsonb_to_recordset(${JSON.stringify(policies)}::jsonb) as given (id uuid, steps jsonb)
    where organization = ${organization} and escalation_policy.id = given.id`.execute(db)
}

/** Adds the only channel of an organization to the rules that have none; what files manage stays as they say. */
export async function assignToRulesWithoutChannels(db: Db, organization: number, id: string): Promise<void> {
  await sql`
    update alert_rule set channel_ids = array[${id}::uuid]
    where organization = ${organization} and channel_ids = '{}' and escalation_policy_id is null and deleted_at is null
      and managed is null and not exists (
        select from slo
        where slo.organization = ${organization} and slo.id = alert_rule.target_id and slo.deleted_at is null
          and slo.managed is not null
      )
      and not exists (
        select from alert_source as source
        where source.organization = ${organization} and source.id = alert_rule.id and source.deleted_at is null
          and source.managed is not null
      )
      and not exists (
        select from channel where organization = ${organization} and id <> ${id} and user_id is null and deleted_at is null
      )`.execute(db)
}
