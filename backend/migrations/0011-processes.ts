import { type Kysely, sql } from 'kysely'

/** What people look for first on a host: its state beside samples, and the processes at each push of the last two days. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db)
}

const STATEMENTS = [
  // Constants: the table is not written anew.
  `alter table server_state add column processes jsonb not null default '[]', add column host jsonb not null default '{}'`,

  // `processes` is JSON in rows without names: by names, in jsonb, a list takes more than twice the room.
  // `at_ms` is the newest sample of the batch that brought the list, `day` its day. By the day, so that what is past its time goes
  // as a whole table; no foreign key, since dropping a table with one locks what it leads to.
  `create table process_list (
    organization integer not null,
    server integer not null,
    at_ms bigint not null,
    day date not null,
    processes text not null,
    primary key (organization, server, at_ms, day)
  ) partition by range (day)`,
]
