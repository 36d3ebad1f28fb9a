import { createTables } from './create-tables.ts'

/** Passkeys of users. Global tables, as sessions are: a sign-in knows the passkey, and nobody's organization yet. */
export const passkeys = createTables([
  // `counter`: signatures so far, 0 where the authenticator does not count. `public_key`: a COSE key.
  `create table passkey (
    id uuid primary key,
    user_id uuid not null references app_user (id) on delete cascade,
    name text not null,
    credential_id bytea not null unique,
    public_key bytea not null,
    counter bigint not null,
    transports text[] not null,
    synced boolean not null,
    created_at timestamptz not null,
    last_used_at timestamptz
  )`,
  'create index passkey_by_user on passkey (user_id)',

  // Challenges that were used, until they would be refused by their age.
  `create table used_passkey_challenge (
    challenge_hash bytea primary key,
    expires_at timestamptz not null
  )`,
  'create index used_passkey_challenge_by_end on used_passkey_challenge (expires_at)',

  // Of a session that a passkey opened, or in which it was added.
  'alter table session add column passkey uuid references passkey (id) on delete set null',
  'create index session_by_passkey on session (passkey) where passkey is not null',
])
