import { createTables } from './create-tables.ts'

/**
 * Escalation policies. `steps` are read and written as a whole. An open incident knows its policy, the number of the next step over
 * all repeats, and when that is due; an acknowledged one, when it opens again.
 */
export const escalation = createTables([
  `create table escalation_policy (
    organization integer not null references organization (number) on delete cascade,
    id uuid not null,
    name text not null,
    time_zone text not null,
    steps jsonb not null,
    repeats integer not null,
    reopen_seconds integer,
    tags text[] not null,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    primary key (organization, id)
  )`,
  'alter table alert_rule add column escalation_policy_id uuid',
  `alter table alert_rule add constraint alert_rule_escalation_policy
    foreign key (organization, escalation_policy_id) references escalation_policy (organization, id)`,
  'alter table open_incident add column escalation_policy_id uuid',
  'alter table open_incident add column escalation_step integer not null default 0',
  'alter table open_incident add column escalation_due_at timestamptz',
  'create index open_incident_by_escalation on open_incident (escalation_due_at) where escalation_due_at is not null',
  'alter table incident add column escalation_policy_id uuid',
  `alter table incident add column notified_user_ids uuid[] not null default '{}'`,
])
