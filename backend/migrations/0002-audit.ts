import { type Kysely, sql } from 'kysely'

/**
 * Who did what to what, from where; written in the transaction that did it. Partitioned by the month in which it was done, so
 * that what is past the retention goes as whole tables; no foreign key, since dropping a table with one locks what it leads to.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db)
}

const STATEMENTS = [
  `create table audit_event (
    organization integer not null,
    at timestamptz not null,
    id uuid not null,
    actor_kind text not null check (actor_kind in ('user', 'api_key', 'server', 'system')),
    actor_id uuid,
    action text not null,
    target_type text,
    target_id uuid,
    ip text,
    details jsonb not null,
    primary key (organization, at, id)
  ) partition by range (at)`,
]
