import { type Kysely, sql } from 'kysely'

/** What failed checks were answered, who judges, which servers are offline, whose token was replaced, and why a channel is dead. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db)
}

const STATEMENTS = [
  // Of the newest failed check of a monitor in a region, for the incident that it may open; a check that is up writes nothing here.
  `create table check_answer (
    organization integer not null references organization (number) on delete cascade,
    monitor integer not null,
    at bigint not null,
    region smallint not null,
    status_line text not null,
    body text,
    primary key (organization, monitor, region)
  ) with (fillfactor = 70)`,

  // What is done by one process at a time: by whom, and until when nobody else takes it.
  `create table job_lease (
    name text primary key,
    holder uuid not null,
    until timestamptz not null
  )`,

  // The last token of a server before the one it has. It lets nobody in: it names the server of an agent that still sends it.
  `create table retired_token (
    hash bytea primary key,
    organization integer not null references organization (number) on delete cascade,
    server_id uuid not null,
    told_at timestamptz
  )`,
  'create index retired_token_by_server on retired_token (organization, server_id)',

  // Servers of which was told that they are offline: each change is told once, whoever sees it.
  `create table offline_server (
    organization integer not null,
    server_id uuid not null,
    primary key (organization, server_id),
    foreign key (organization, server_id) references server (organization, id) on delete cascade
  )`,

  // The statement that stores checks leaves signals, and looked its organization up for each: more than the signal itself cost.
  'alter table alert_signal drop constraint alert_signal_organization_fkey',

  // Why the newest telling was not taken, and how many in a row were not; null once one was.
  'alter table channel add column last_error jsonb',
]
