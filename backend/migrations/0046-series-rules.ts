import { createTables } from './create-tables.ts'

/** Rules on an expression: each series that it gives has an incident of its own. */
export const seriesRules = createTables([
  // `evaluation` is what the evaluation has to remember; `last_error` says why the last one failed.
  `alter table alert_rule drop constraint alert_rule_target_type_check,
    add constraint alert_rule_target_type_check check (target_type in ('monitor', 'server', 'slo', 'series')),
    add column expression text, add column every_seconds integer, add column last_error text, add column evaluation jsonb`,
  `create index alert_rule_by_expression on alert_rule (organization) where target_type = 'series'`,
  `alter table incident drop constraint incident_target_type_check,
    add constraint incident_target_type_check check (target_type in ('monitor', 'server', 'slo', 'series')),
    add column series uuid`,
  // Several series of one rule may be about one target.
  `alter table open_incident add column series uuid not null default '00000000-0000-0000-0000-000000000000'`,
  'alter table open_incident drop constraint open_incident_pkey, add primary key (organization, rule_id, target_id, series)',
])
