import { type Kysely, sql } from 'kysely'

/**
 * What instances share beside the product's own tables: counters of rate limits, and the answers to creating requests that
 * may be sent again. Plain tables of the whole installation, never distributed.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db)
}

const STATEMENTS = [
  // One row per credential and group, counting its newest minute. Unlogged: a commit waits for no disk, whatever the pooler
  // does to settings of a session. A crash of the database empties it; instances then go on from what they remember.
  // Updated in place all the time: room in each page keeps that off the index.
  `create unlogged table rate_limit (
    subject uuid primary key,
    minute integer not null,
    used integer not null,
    held integer not null
  ) with (fillfactor = 50)`,

  `create unlogged table rate_limit_instance (
    id uuid primary key,
    seen_at_ms bigint not null
  )`,

  // Only finished requests: the row comes with the commit of what they made.
  `create table idempotency_key (
    credential text not null,
    key text not null,
    request bytea not null,
    status smallint not null,
    made_id text not null,
    location text,
    body text,
    created_at timestamptz not null,
    primary key (credential, key)
  )`,
  'create index idempotency_key_by_age on idempotency_key (created_at)',
]
