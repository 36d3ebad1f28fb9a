import { createTables } from './create-tables.ts'

const TABLES = [
  'alert_rule',
  'channel',
  'escalation_policy',
  'identity_provider',
  'maintenance_window',
  'schedule',
  'slo',
  'status_page',
]

/**
 * What is deleted can be restored for 30 days. `deleted_references`: where others named it; it was taken out there, and returns with
 * it.
 */
export const deletedResources = createTables(
  TABLES.flatMap((table) => [
    `alter table ${table} add column deleted_at timestamptz, add column deleted_references jsonb`,
    `create index ${table}_deleted on ${table} (deleted_at) where deleted_at is not null`,
  ]),
)
