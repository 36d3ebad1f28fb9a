import { sql } from 'kysely'
import { choosePolicy } from './choose.ts'
import { type Db, type PageRequest, readPage, type TableRow } from '../../platform/db/index.ts'

const COLUMNS = ['id', 'name', 'time_zone', 'steps', 'repeats', 'reopen_seconds', 'tags', 'created_at', 'updated_at'] as const

export type PolicyRow = Pick<TableRow<'escalation_policy'>, (typeof COLUMNS)[number]>
export type StoredStep = PolicyRow['steps'][number]
export type PolicyColumns = Omit<PolicyRow, 'id' | 'created_at' | 'updated_at'>

const storable = ({ steps, ...rest }: PolicyColumns) => ({ ...rest, steps: JSON.stringify(steps) })

export async function insertPolicy(
  db: Db,
  organization: number,
  { id, ...policy }: PolicyColumns & { id: string },
  at: Date,
): Promise<void> {
  await db
    .insertInto('escalation_policy')
    .values({ ...storable(policy), id, organization, created_at: at, updated_at: at })
    .execute()
}

const policiesOf = (db: Db, organization: number) =>
  db.selectFrom('escalation_policy').select(COLUMNS).where('organization', '=', organization)

export const findPolicy = (db: Db, organization: number, id: string): Promise<PolicyRow | undefined> =>
  policiesOf(db, organization).where('id', '=', id).executeTakeFirst()

/** Locked until the transaction ends. Lock what it refers to before: a deletion of that locks it first, too. */
export const lockPolicy = (db: Db, organization: number, id: string): Promise<PolicyRow | undefined> =>
  policiesOf(db, organization).where('id', '=', id).forUpdate().executeTakeFirst()

export async function updatePolicy(db: Db, organization: number, id: string, policy: PolicyColumns, at: Date): Promise<void> {
  await db
    .updateTable('escalation_policy')
    .set({ ...storable(policy), updated_at: at })
    .where('organization', '=', organization)
    .where('id', '=', id)
    .execute()
}

export async function deletePolicy(db: Db, organization: number, id: string): Promise<void> {
  await db.deleteFrom('escalation_policy').where('organization', '=', organization).where('id', '=', id).execute()
}

/** One page, newest first, and the total. */
export const listPolicies = (db: Db, organization: number, page: PageRequest): Promise<{ total: number; rows: PolicyRow[] }> =>
  readPage(db, policiesOf(db, organization), sql`created_at desc, id desc`, page)

/** How many rules name the policy, and how many incidents wait for its next step. */
export async function countUses(db: Db, organization: number, id: string): Promise<{ rules: number; incidents: number }> {
  const { rows } = await sql<{ rules: number; incidents: number }>`
    select
      (select count(*)::int4 from alert_rule where organization = ${organization} and escalation_policy_id = ${id}) as rules,
      (select count(*)::int4 from open_incident where organization = ${organization} and escalation_policy_id = ${id}
        and escalation_due_at is not null) as incidents`.execute(db)
  return rows[0] as { rules: number; incidents: number }
}

/** The policy of an incident. */
export async function findPolicyFor(
  db: Db,
  organization: number,
  { rule_id: ruleId, target_type: type, target_id: targetId }: { rule_id: string; target_type: string; target_id: string },
): Promise<PolicyRow | undefined> {
  const tags =
    type === 'slo'
      ? sql<null>`null::text[]`
      : sql<string[] | null>`(select tags from ${sql.table(type)} where organization = ${organization} and id = ${targetId})`
  const rows = await policiesOf(db, organization)
    .select([
      sql<
        string | null
      >`(select escalation_policy_id from alert_rule where organization = ${organization} and id = ${ruleId})`.as('of_rule'),
      tags.as('target_tags'),
    ])
    .orderBy('created_at')
    .orderBy('id')
    .execute()
  const [first] = rows
  return first && choosePolicy(rows, { ofRule: first.of_rule, tags: first.target_tags ?? [] })
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
