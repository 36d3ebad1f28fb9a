import { type Kysely, sql } from 'kysely'

/** What people have beside a password: sessions they can tell apart, a second factor, a way back in by mail. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db)
}

const STATEMENTS = [
  `alter table session
    add column user_agent text not null default '',
    add column last_used_at timestamptz`,
  // What is over is deleted by its age.
  'create index session_by_expiry on session (expires_at)',

  // `secret` is sealed by a key of the installation. Enabled once a code was shown to come from it.
  `create table user_totp (
    user_id uuid primary key references app_user (id) on delete cascade,
    secret bytea not null,
    created_at timestamptz not null,
    enabled_at timestamptz,
    last_step bigint not null
  )`,
  // A used code is deleted.
  `create table recovery_code (
    user_id uuid not null references app_user (id) on delete cascade,
    hash bytea not null,
    primary key (user_id, hash)
  )`,

  // One row per user: the newest link is the only one.
  `create table password_reset (
    user_id uuid primary key references app_user (id) on delete cascade,
    hash bytea not null unique,
    created_at timestamptz not null,
    expires_at timestamptz not null
  )`,
  // Asked for and not yet sent, whether the e-mail is anyone's or not: who asks cannot tell the two apart.
  `create table password_reset_request (
    email text primary key,
    requested_at timestamptz not null,
    next_try_at timestamptz not null
  )`,
]
