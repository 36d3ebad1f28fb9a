import type { AlertTargetType } from '@vedette/shared'
import type { Db } from '../platform/db/index.ts'

/** Deletes the rules and windows that apply only to these targets, which are deleted. */
export async function deleteRulesAndWindowsOf(
  db: Db,
  organization: number,
  type: AlertTargetType,
  ids: readonly string[],
): Promise<void> {
  for (const table of ['alert_rule', 'maintenance_window'] as const)
    await db
      .deleteFrom(table)
      .where('organization', '=', organization)
      .where('target_type', '=', type)
      .where('target_id', 'in', ids)
      .execute()
}
