import type { AlertTargetType, RuleTargetType } from '@vedette/shared'
import { sql } from 'kysely'
import { refuseOverBound } from '../../access/plans/index.ts'
import { announceChange, type Db } from '../../platform/db/index.ts'
import { conflict } from '../../platform/errors.ts'
import { lockReferences } from '../../operating/references/index.ts'

const TABLES = ['alert_rule', 'maintenance_window'] as const

/** The rows of rules and windows that apply to one target alone, as JSON. */
export type TargetAlerts = Partial<Record<(typeof TABLES)[number], Record<string, unknown>[]>>

/** Deletes the rules and windows that apply only to these targets, which are deleted, and returns them by target. */
export async function deleteRulesAndWindowsOf(
  db: Db,
  organization: number,
  type: AlertTargetType,
  ids: readonly string[],
): Promise<Map<string, TargetAlerts>> {
  const deleted = new Map<string, TargetAlerts>()
  for (const table of TABLES) {
    const rows = await db
      .deleteFrom(table)
      .where('organization', '=', organization)
      .where('target_type', '=', type)
      .where('target_id', 'in', ids)
      // Others wait for their own restore.
      .where('deleted_at', 'is', null)
      .returning(['target_id as target', sql<Record<string, unknown>>`to_jsonb(${sql.table(table)})`.as('row')])
      .execute()
    for (const [target, group] of Map.groupBy(rows, (row) => row.target as string))
      deleted.set(target, { ...deleted.get(target), [table]: group.map(({ row }) => row) })
  }
  return deleted
}

/** Brings rules and windows back with their targets, without channels and policies that were deleted meanwhile. Throws conflict at the bound of each. */
export async function restoreRulesAndWindows(
  db: Db,
  organization: number,
  all: readonly TargetAlerts[],
  at: Date,
): Promise<void> {
  const channelsOf = (rule: Record<string, unknown>) => rule['channel_ids'] as string[]
  const rules = all.flatMap(({ alert_rule = [] }) => alert_rule)
  const channels = await lockReferences(db, 'channel', organization, rules.flatMap(channelsOf))
  const policyOf = (rule: Record<string, unknown>) => (rule['escalation_policy_id'] ?? undefined) as string | undefined
  const policies = await lockReferences(
    db,
    'escalation_policy',
    organization,
    rules.flatMap((rule) => policyOf(rule) ?? []),
  )
  // A condition counts from now on, not from when it was deleted.
  const restored = rules.map((rule) => ({
    ...rule,
    channel_ids: channelsOf(rule).filter((id) => channels.has(id)),
    escalation_policy_id: policies.has(policyOf(rule) ?? '') ? policyOf(rule) : null,
    updated_at: at,
    defined_at: at,
  }))
  await insertRows(db, organization, 'alert_rule', restored)
  await insertRows(
    db,
    organization,
    'maintenance_window',
    all.flatMap(({ maintenance_window = [] }) => maintenance_window),
  )
}

/** What a rule or window that is restored applies to is not deleted before the transaction ends. Throws conflict where it is deleted. */
export async function requireTarget(
  db: Db,
  organization: number,
  { target_type: type, target_id: id }: { target_type: RuleTargetType | 'source'; target_id: string | null },
): Promise<void> {
  if (id === null || type === 'series') return
  if ((await lockReferences(db, type === 'source' ? 'alert_source' : type, organization, [id])).has(id)) return
  throw conflict(`target: its ${type} was deleted.`)
}

async function insertRows(db: Db, organization: number, table: (typeof TABLES)[number], rows: readonly object[]): Promise<void> {
  if (rows.length === 0) return
  await refuseOverBound(db, organization, table, rows.length)
  const json = JSON.stringify(rows.map((row) => ({ ...row, organization })))
  await sql`insert into ${sql.table(table)} select * from jsonb_populate_recordset(null::${sql.table(table)}, ${json}::jsonb)`.execute(
    db,
  )
  if (table === 'alert_rule') await announceChange(db, table)
}
