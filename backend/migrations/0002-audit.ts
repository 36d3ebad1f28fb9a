import { type Kysely, sql } from 'kysely'

/** Who did what to what, from where; written in the transaction that did it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db)
}

const STATEMENTS = [
  `create table audit_event (
    organization integer not null references organization (number) on delete cascade,
    id uuid not null,
    at timestamptz not null,
    actor_kind text not null check (actor_kind in ('user', 'api_key', 'system')),
    actor_id uuid,
    action text not null,
    target_type text,
    target_id uuid,
    ip text not null,
    details jsonb not null,
    primary key (organization, id)
  )`,
]
