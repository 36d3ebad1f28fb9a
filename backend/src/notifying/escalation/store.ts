import { sql } from 'kysely'
import { choosePolicy } from './choose.ts'
import { createResourceStore, type Db, type TableRow } from '../../platform/db/index.ts'

const COLUMNS = [
  'id',
  'name',
  'time_zone',
  'steps',
  'repeats',
  'reopen_seconds',
  'tags',
  'managed',
  'created_at',
  'updated_at',
] as const

export type PolicyRow = Pick<TableRow<'escalation_policy'>, (typeof COLUMNS)[number]>
export type StoredStep = PolicyRow['steps'][number]
export type PolicyColumns = Omit<PolicyRow, 'id' | 'managed' | 'created_at' | 'updated_at'>

const policies = createResourceStore('escalation_policy', COLUMNS, ['steps'])

/** Lock what a policy refers to before the policy: a deletion of that locks it first, too. */
export const {
  insert: insertPolicy,
  find: findPolicy,
  lock: lockPolicy,
  update: updatePolicy,
  remove: deletePolicy,
  list: listPolicies,
  readAll: readPolicies,
  deleted: deletedPolicies,
} = policies

/** How many rules and routes of alert sources name the policy, and how many incidents wait for its next step. */
export async function countUses(
  db: Db,
  organization: number,
  id: string,
): Promise<{ rules: number; routes: number; incidents: number }> {
  const { rows } = await sql<{ rules: number; routes: number; incidents: number }>`
    select
      (select count(*)::int4 from alert_rule
        where organization = ${organization} and escalation_policy_id = ${id} and deleted_at is null) as rules,
      (select count(*)::int4 from alert_source where organization = ${organization} and deleted_at is null
        and routes @> ${JSON.stringify([{ policy_id: id }])}::jsonb) as routes,
      (select count(*)::int4 from open_incident where organization = ${organization} and escalation_policy_id = ${id}
        and escalation_due_at is not null) as incidents`.execute(db)
  return rows[0] as { rules: number; routes: number; incidents: number }
}

/** The policies of the organization, the oldest first. */
export const listByAge = (db: Db, organization: number): Promise<PolicyRow[]> =>
  policies.rowsOf(db, organization).orderBy('created_at').orderBy('id').execute()

/** The policy of an incident. */
export async function findPolicyFor(
  db: Db,
  organization: number,
  {
    rule_id: ruleId,
    target_type: type,
    target_id: targetId,
    external,
  }: { rule_id: string; target_type: string; target_id: string; external: { tags: readonly string[]; policy?: string } | null },
): Promise<PolicyRow | undefined> {
  const tags =
    type !== 'monitor' && type !== 'server'
      ? sql<null>`null::text[]`
      : sql<string[] | null>`(select tags from ${sql.table(type)} where organization = ${organization} and id = ${targetId})`
  const rows = await policies
    .rowsOf(db, organization)
    .select([
      sql<
        string | null
      >`(select escalation_policy_id from alert_rule where organization = ${organization} and id = ${ruleId} and deleted_at is null)`.as(
        'of_rule',
      ),
      tags.as('target_tags'),
    ])
    .orderBy('created_at')
    .orderBy('id')
    .execute()
  const [first] = rows
  return (
    first &&
    choosePolicy(rows, {
      ofRule: first.of_rule,
      ofRoute: external?.policy,
      tags: [...(first.target_tags ?? []), ...(external?.tags ?? [])],
    })
  )
}

export async function listOwners(db: Db, organization: number): Promise<string[]> {
  const rows = await db
    .selectFrom('membership')
    .select('user_id')
    .where('organization', '=', organization)
    .where('role', '=', 'owner')
    .orderBy('joined_at')
    .execute()
  return rows.map(({ user_id: id }) => id)
}
