import { sql } from 'kysely'
import type { Db } from '../../../platform/db/index.ts'
import { ruleRows, type RuleRow } from '../rules/store.ts'

/** A rule on an expression, with what its evaluation remembers. */
export interface SeriesRule extends RuleRow {
  organization: number
  expression: string
  every_seconds: number
  evaluation: { definedMs: number; since: Record<string, number> } | null
}

/** All enabled rules on expressions, of all organizations. */
export async function listSeriesRules(db: Db): Promise<SeriesRule[]> {
  const rows = await seriesRules(db)
    .where('enabled', '=', true)
    .orderBy('organization')
    .orderBy('created_at')
    .orderBy('id')
    .execute()
  return rows as SeriesRule[]
}

/** One of them, locked until the transaction ends; undefined where it is not enabled any more. */
export async function lockSeriesRule(db: Db, organization: number, id: string): Promise<SeriesRule | undefined> {
  const row = await seriesRules(db)
    .where('organization', '=', organization)
    .where('id', '=', id)
    .where('enabled', '=', true)
    .forUpdate()
    .executeTakeFirst()
  return row as SeriesRule | undefined
}

const seriesRules = (db: Db) => ruleRows(db).select(['organization', 'evaluation']).where('target_type', '=', 'series')

/** `<rule> <series>` of all open and muted incidents of these rules. */
export async function listOpenSeries(db: Db, ruleIds: readonly string[]): Promise<{ rule_id: string; series: string }[]> {
  return db.selectFrom('open_incident').select(['rule_id', 'series']).where('rule_id', 'in', ruleIds).execute()
}

/** Stores what the evaluation of a definition has to remember, and whether it failed. */
export async function recordEvaluation(
  db: Db,
  { organization, id, defined_at: definedAt }: Pick<SeriesRule, 'organization' | 'id' | 'defined_at'>,
  outcome: { since: ReadonlyMap<string, number> } | { error: string },
): Promise<void> {
  const evaluation = 'since' in outcome ? { definedMs: definedAt.getTime(), since: Object.fromEntries(outcome.since) } : undefined
  await db
    .updateTable('alert_rule')
    .set({
      last_error: 'error' in outcome ? outcome.error : null,
      ...(evaluation && { evaluation: JSON.stringify(evaluation) }),
    })
    .where('organization', '=', organization)
    .where('id', '=', id)
    .where('defined_at', '=', definedAt)
    .where('deleted_at', 'is', null)
    .execute()
}

/** A host or monitor that a series may be about. */
export interface SeriesSubject {
  type: 'monitor' | 'server'
  id: string
  number: number
  name: string
  tags: string[]
  server_id: string | null
}

/** The hosts and monitors with these ids or names. */
export async function findSubjects(
  db: Db,
  organization: number,
  { ids, names }: { ids: readonly string[]; names: readonly string[] },
): Promise<SeriesSubject[]> {
  const isMeant = (name: ReturnType<typeof sql>) => sql`(id = any(${ids}::uuid[]) or ${name} = any(${names}::text[]))`
  const { rows } = await sql<SeriesSubject>`
    select 'monitor' as type, id, number, name, tags, server_id from monitor
    where organization = ${organization} and deleted_at is null and ${isMeant(sql`name`)}
    union all
    select 'server', id, number, coalesce(display_name, hostname), tags, null from server
    where organization = ${organization} and ${isMeant(sql`coalesce(display_name, hostname)`)}`.execute(db)
  return rows
}

/** How many rules could not be evaluated, of all organizations. */
export async function countFailingRules(db: Db): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from alert_rule
    where target_type = 'series' and last_error is not null and enabled and deleted_at is null`.execute(db)
  return rows[0]?.count ?? 0
}
