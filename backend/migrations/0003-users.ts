import { createTables } from './create-tables.ts'

/** People: sessions, second factors, password resets. */
export const users = createTables([
  `create table app_user (
    id uuid primary key,
    email text not null unique,
    email_verified_at timestamptz,
    password_hash text not null,
    password_changed_at timestamptz not null,
    created_at timestamptz not null
  )`,

  `create table session (
    id uuid primary key,
    user_id uuid not null references app_user (id) on delete cascade,
    created_at timestamptz not null,
    expires_at timestamptz not null,
    ended_at timestamptz,
    ip text not null,
    user_agent text not null default '',
    last_used_at timestamptz
  )`,
  'create index session_by_user on session (user_id)',
  // For the deletion of expired sessions.
  'create index session_by_expiry on session (expires_at)',

  // Browsers that show notifications. `encrypted` has endpoint and keys. The session that turned them on may expire, but ends them when
  // it is ended. `last_error` is as that of a channel.
  `create table push_subscription (
    id uuid primary key,
    user_id uuid not null references app_user (id) on delete cascade,
    session_id uuid references session (id) on delete set null,
    endpoint_hash bytea not null unique,
    encrypted bytea not null,
    user_agent text not null,
    created_at timestamptz not null,
    last_error jsonb
  )`,
  'create index push_subscription_by_user on push_subscription (user_id)',
  'create index push_subscription_by_session on push_subscription (session_id)',

  // Of sessions that their device keeps: `docs/security.md` describes the cookie. Only digests of it are stored.
  `create table session_refresh (
    session_id uuid primary key references session (id) on delete cascade,
    family_hash bytea not null unique,
    hash bytea not null,
    previous_hash bytea,
    salt bytea,
    refreshed_at timestamptz
  )`,

  // `secret` is encrypted with a key of the installation. `enabled_at` is set by the first valid code.
  `create table user_totp (
    user_id uuid primary key references app_user (id) on delete cascade,
    secret bytea not null,
    created_at timestamptz not null,
    enabled_at timestamptz,
    last_step bigint not null,
    failures integer not null default 0,
    retry_at timestamptz
  )`,

  // A used code is deleted.
  `create table recovery_code (
    user_id uuid not null references app_user (id) on delete cascade,
    hash bytea not null,
    primary key (user_id, hash)
  )`,

  // One row per user: a new link replaces the previous one.
  `create table password_reset (
    user_id uuid primary key references app_user (id) on delete cascade,
    hash bytea not null unique,
    created_at timestamptz not null,
    expires_at timestamptz not null
  )`,

  // One row per user: a new link replaces the previous one. `email` is the present one, or the one that replaces it.
  `create table email_verification (
    user_id uuid primary key references app_user (id) on delete cascade,
    email text not null,
    hash bytea not null unique,
    expires_at timestamptz not null
  )`,

  // Requests that are not sent yet, also for unknown addresses: the response does not reveal whether an account exists.
  `create table password_reset_request (
    email text primary key,
    requested_at timestamptz not null,
    next_try_at timestamptz not null
  )`,
])
