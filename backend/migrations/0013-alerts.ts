import { type Kysely, sql } from 'kysely'
import { v7 } from 'uuid'

/**
 * When to tell, what was found, and what is to be told: rules, incidents with their timelines, channels, maintenance windows.
 *
 * Incidents and their timelines grow and are kept by the month; so one open incident per rule and target is held by a small table
 * of its own. What changes a status leaves a signal in the same transaction; what is to be told is stored before it is sent.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db)
  await insertDefaultRules(db)
}

const STATEMENTS = [
  // Values are numbers or words of a status. Null target_id and target_tag: all of that type.
  `create table alert_rule (
    organization integer not null references organization (number) on delete cascade,
    id uuid not null,
    name text not null,
    enabled boolean not null,
    target_type text not null check (target_type in ('monitor', 'server')),
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
    -- Since when it says what it says: a new name changes nothing of that.
    says_since timestamptz not null,
    primary key (organization, id)
  )`,
  // Rules that go by the numbers of checks: few, and looked for every few seconds.
  `create index alert_rule_by_checks on alert_rule (organization)
    where enabled and target_type = 'monitor' and metric <> 'status'`,

  // What was made or changed lately is judged at once.
  'create index alert_rule_by_change on alert_rule (says_since)',

  // `config` is what everybody may read of it; its secrets are sealed.
  `create table channel (
    organization integer not null references organization (number) on delete cascade,
    id uuid not null,
    name text not null,
    type text not null,
    enabled boolean not null,
    config jsonb not null,
    secrets_sealed bytea not null,
    created_at timestamptz not null,
    primary key (organization, id)
  )`,

  // `at` is when it opened; `told_channel_ids` were told so, and hear of what comes after. No foreign key: dropping a partition with
  // one locks what it leads to.
  `create table incident (
    organization integer not null,
    id uuid not null,
    at timestamptz not null,
    rule_id uuid not null,
    target_type text not null check (target_type in ('monitor', 'server')),
    target_id uuid not null,
    target_name text not null,
    status text not null check (status in ('open', 'acknowledged', 'resolved')),
    severity text not null,
    summary text not null,
    silenced boolean not null,
    acknowledged_at timestamptz,
    acknowledged_by uuid,
    resolved_at timestamptz,
    evidence jsonb not null,
    told_channel_ids uuid[] not null default '{}',
    primary key (organization, id, at)
  ) partition by range (at)`,
  'create index incident_by_time on incident (organization, at)',

  // The timeline of incidents.
  `create table incident_event (
    organization integer not null,
    incident_id uuid not null,
    at timestamptz not null,
    id uuid not null,
    type text not null,
    message text not null,
    actor_id uuid,
    primary key (organization, incident_id, at, id)
  ) partition by range (at)`,

  // One open incident per rule and target: the key of the incident that stands is taken here before it is made. One that was
  // ended by hand while its condition holds leaves its key, muted, until the condition is over: else it would open at once again.
  `create table open_incident (
    organization integer not null references organization (number) on delete cascade,
    rule_id uuid not null,
    target_id uuid not null,
    incident_id uuid not null,
    incident_at timestamptz not null,
    told_at timestamptz,
    is_muted boolean not null default false,
    -- Not told yet; for a server that is offline, with when it last was, roughly.
    is_silenced boolean not null default false,
    host_silent_at timestamptz,
    primary key (organization, rule_id, target_id)
  )`,

  'create index open_incident_silenced on open_incident (incident_at) where is_silenced',

  // What a change of a monitor's status leaves for whoever judges rules, with the transition itself; gone once it is judged. One
  // without a status says: look again, since a rule is another now, or has waited for long enough; without a monitor at all of the
  // organization that are not up.
  `create table alert_signal (
    id uuid primary key,
    organization integer not null references organization (number) on delete cascade,
    monitor integer,
    at timestamptz not null,
    to_status text,
    reason text not null,
    next_try_at timestamptz not null
  )`,
  'create index alert_signal_by_due on alert_signal (next_try_at)',

  // What happens, as it is told: to webhooks, and to whoever listens. The transactions say in which order it became visible: all of
  // those before `settled_before` were over when this one was stored. Kept by the month.
  `create table live_event (
    organization integer not null,
    at timestamptz not null,
    id uuid not null,
    transaction_id xid8 not null,
    settled_before xid8 not null,
    type text not null,
    data jsonb not null,
    primary key (organization, id, at)
  ) partition by range (at)`,
  'create index live_event_by_transaction on live_event (organization, transaction_id)',

  // Certificates that were told of as ending soon.
  `create table certificate_told (
    organization integer not null references organization (number) on delete cascade,
    monitor integer not null,
    expires_at bigint not null,
    primary key (organization, monitor, expires_at)
  )`,

  // One telling of an event to one channel. `id` is the same on every repeat. Null next_try_at: it waits for an earlier one of the
  // same incident. Gone once it is taken or given up.
  `create table telling (
    id uuid primary key,
    organization integer not null references organization (number) on delete cascade,
    channel_id uuid not null,
    event_id uuid not null,
    event_at timestamptz not null,
    incident_id uuid,
    incident_at timestamptz,
    created_at timestamptz not null,
    next_try_at timestamptz,
    tries integer not null
  )`,
  'create index telling_by_channel on telling (organization, channel_id, next_try_at)',
  'create index telling_by_incident on telling (organization, incident_id)',

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
]

/** Those that a new organization gets, as they were when this was written: what stands already is covered too. */
const DEFAULTS = [
  ['Monitor down', 'monitor', 'status', 'equals', '"down"', null, 0, 'critical'],
  ['Server offline', 'server', 'status', 'equals', '"offline"', null, 0, 'critical'],
  ['Filesystem above 90 %', 'server', 'filesystem.percent', 'greater_than', '90', null, 0, 'warning'],
  ['Memory above 95 %', 'server', 'memory.percent', 'greater_than', '95', null, 600, 'warning'],
] as const

async function insertDefaultRules(db: Kysely<unknown>): Promise<void> {
  // As if they had been there from the start: times are not made here.
  const { rows } = await sql<{ number: number; at: Date }>`select number, created_at as at from organization`.execute(db)
  for (const { number, at } of rows) {
    for (const [name, type, metric, operator, value, clear, forSeconds, severity] of DEFAULTS) {
      await sql`
        insert into alert_rule (organization, id, name, enabled, target_type, metric, operator, value, clear_value, for_seconds,
          severity, channel_ids, created_at, updated_at, says_since)
        values (${number}, ${v7()}, ${name}, true, ${type}, ${metric}, ${operator}, ${value}::jsonb, ${clear}::jsonb, ${forSeconds},
          ${severity}, '{}', ${at}, ${at}, ${at})`.execute(db)
    }
  }
}
