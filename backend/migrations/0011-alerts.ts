import { createTables } from './create-tables.ts'
import { queueTable } from './queue-table.ts'

/** Alert rules, the signals that trigger their evaluation, and maintenance windows. */
export const alerts = createTables([
  // Values are numbers or names of a status. Null target_id and target_tag: all targets of the type.
  `create table alert_rule (
    organization integer not null references organization (number) on delete cascade,
    id uuid not null,
    name text not null,
    enabled boolean not null,
    -- Of the type slo are the burn-rate alerts of an SLO: value is the burn rate, for_seconds the long window.
    target_type text not null check (target_type in ('monitor', 'server', 'slo')),
    target_id uuid,
    target_tag text,
    metric text not null,
    mount text,
    operator text not null check (operator in ('equals', 'greater_than', 'less_than')),
    value jsonb not null,
    clear_value jsonb,
    for_seconds integer not null,
    severity text not null check (severity in ('info', 'warning', 'critical')),
    channel_ids uuid[] not null,
    repeat_seconds integer,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    -- Since when the condition is as it is; a new name does not change it.
    defined_at timestamptz not null,
    primary key (organization, id)
  )`,
  // Rules on numbers of checks: few, and read every few seconds.
  `create index alert_rule_by_checks on alert_rule (organization)
    where enabled and target_type = 'monitor' and metric <> 'status'`,
  // New and changed rules are evaluated at once.
  'create index alert_rule_by_change on alert_rule (defined_at)',

  // Stored with each change of a monitor's status, deleted when the rules were evaluated; the key is the monitor. Without a status:
  // evaluate the monitor again, because a rule changed or its duration has passed; without a key: evaluate all monitors of the
  // organization that are not up.
  // No foreign key: the statement that stores checks also stores signals, and the look-up would cost more than the signal.
  ...queueTable('alert_signal', {}),

  `create table maintenance_window (
    organization integer not null references organization (number) on delete cascade,
    id uuid not null,
    name text not null,
    target_type text not null check (target_type in ('monitor', 'server')),
    target_id uuid,
    target_tag text,
    starts_at timestamptz not null,
    ends_at timestamptz not null,
    repeat text,
    time_zone text not null,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    primary key (organization, id)
  )`,
])
