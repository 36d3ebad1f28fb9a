import { createTables } from './create-tables.ts'

/**
 * Providers by which members of an organization sign in. Global tables, as sessions are: sign-ins know the provider, and nobody's
 * organization yet.
 */
export const identityProviders = createTables([
  // `secret_encrypted`: the client secret. `role_mapping`: [{ value, role }].
  `create table identity_provider (
    id uuid primary key,
    organization integer not null references organization (number) on delete cascade,
    name text not null,
    kind text not null check (kind in ('oidc', 'github')),
    issuer text not null,
    client_id text not null,
    secret_encrypted bytea not null,
    email_domains text[] not null,
    creates_accounts boolean not null,
    default_role text not null check (default_role in ('viewer', 'member', 'admin')),
    role_claim text,
    role_mapping jsonb not null,
    enabled boolean not null,
    created_at timestamptz not null,
    updated_at timestamptz not null
  )`,
  'create index identity_provider_by_organization on identity_provider (organization)',
  'create index identity_provider_by_domain on identity_provider using gin (email_domains)',

  // Who a provider means by a subject.
  `create table user_identity (
    identity_provider uuid not null references identity_provider (id) on delete cascade,
    subject text not null,
    user_id uuid not null references app_user (id) on delete cascade,
    created_at timestamptz not null,
    primary key (identity_provider, subject),
    unique (identity_provider, user_id)
  )`,
  'create index user_identity_by_user on user_identity (user_id)',

  // Sign-ins that have begun. The browser has a cookie, of which `browser_hash` is the digest; `encrypted` has nonce and verifier.
  `create table identity_request (
    state_hash bytea primary key,
    identity_provider uuid not null references identity_provider (id) on delete cascade,
    browser_hash bytea not null,
    encrypted bytea not null,
    return_path text not null,
    expires_at timestamptz not null
  )`,
  'create index identity_request_by_provider on identity_request (identity_provider, expires_at)',
  'create index identity_request_by_expiry on identity_request (expires_at)',

  // Logout tokens that were used, until they would be refused by their age.
  `create table identity_logout (
    identity_provider uuid not null references identity_provider (id) on delete cascade,
    token_hash bytea not null,
    expires_at timestamptz not null,
    primary key (identity_provider, token_hash)
  )`,
  'create index identity_logout_by_expiry on identity_logout (expires_at)',

  // Of a session that a provider opened: which provider, and what it calls the user and its own session.
  `alter table session
    add column identity_provider uuid references identity_provider (id) on delete cascade,
    add column provider_subject text,
    add column provider_session text`,
  'create index session_by_provider on session (identity_provider) where identity_provider is not null',
])
