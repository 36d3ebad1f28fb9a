import { createTables } from './create-tables.ts'

/** A silence of a client of Alertmanager is a maintenance window of its source, for the alerts with certain labels. */
export const silences = createTables([
  `alter table maintenance_window drop constraint maintenance_window_target_type_check,
    add constraint maintenance_window_target_type_check check (target_type in ('monitor', 'server', 'source')),
    add column silence jsonb`,
  // What a person has to confirm at Amazon SNS.
  'alter table alert_source add column confirm jsonb',
])
