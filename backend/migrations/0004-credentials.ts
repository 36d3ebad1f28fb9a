import { createTables } from './create-tables.ts'

/** API keys, and the hashes by which a secret is found before its organization is known. */
export const credentials = createTables([
  // Global: one indexed read finds the organization and the subject of a secret.
  `create table credential (
    hash bytea primary key,
    kind text not null check (kind in ('api_key', 'server_token', 'enrollment_token')),
    organization integer not null references organization (number) on delete cascade,
    subject_id uuid not null
  )`,
  'create index credential_by_subject on credential (organization, subject_id)',

  `create table api_key (
    organization integer not null references organization (number) on delete cascade,
    id uuid not null,
    hash bytea not null,
    name text not null,
    prefix text not null,
    scopes text[] not null,
    allowed_cidrs text[] not null default '{}',
    ends_with_creator boolean not null default false,
    created_by uuid,
    created_at timestamptz not null,
    last_used_at timestamptz,
    expires_at timestamptz,
    revoked_at timestamptz,
    reminded_days smallint,
    primary key (organization, id)
  )`,
  // Keys whose end is to be mailed.
  'create index api_key_by_expiry on api_key (expires_at) where expires_at is not null and revoked_at is null',
  // The statement that stores pushes checks their keys by this index.
  'create index api_key_by_hash on api_key (organization, hash)',

  // A token with which hosts register. A registration takes one of its uses in its own transaction.
  `create table enrollment_token (
    organization integer not null references organization (number) on delete cascade,
    id uuid not null,
    prefix text not null,
    uses integer not null,
    uses_left integer not null check (uses_left >= 0),
    tags text[] not null,
    created_by uuid,
    created_at timestamptz not null,
    expires_at timestamptz not null,
    revoked_at timestamptz,
    primary key (organization, id)
  )`,
  'create index enrollment_token_by_expiry on enrollment_token (expires_at)',

  // The previous token of a server. It authenticates nothing; it identifies an agent that still sends it.
  `create table retired_token (
    hash bytea primary key,
    organization integer not null references organization (number) on delete cascade,
    server_id uuid not null,
    notified_at timestamptz
  )`,
  'create index retired_token_by_server on retired_token (organization, server_id)',
])
