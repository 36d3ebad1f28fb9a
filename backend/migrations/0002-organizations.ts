import { createTables } from './create-tables.ts'

/** Organizations, their members, and pending invitations (an accepted or revoked one is deleted). */
export const organizations = createTables([
  `create table organization (
    number integer generated always as identity primary key,
    id uuid not null unique,
    name text not null,
    plan text not null constraint organization_plan_known check (plan in ('free', 'pro', 'enterprise')),
    require_second_factor boolean not null default false,
    api_key_max_days smallint check (api_key_max_days between 1 and 3650),
    created_at timestamptz not null
  )`,

  `create table membership (
    organization integer not null references organization (number) on delete cascade,
    user_id uuid not null,
    role text not null check (role in ('owner', 'admin', 'member', 'viewer')),
    joined_at timestamptz not null,
    saved_views jsonb not null default '[]',
    primary key (organization, user_id)
  )`,
  'create index membership_by_user on membership (user_id, joined_at, organization)',

  // Memberships whose weekly summary is turned on, with the instant of the next mail.
  `create table weekly_summary (
    organization integer not null,
    user_id uuid not null,
    next_at timestamptz not null,
    primary key (organization, user_id),
    foreign key (organization, user_id) references membership (organization, user_id) on delete cascade
  )`,
  'create index weekly_summary_by_due on weekly_summary (next_at)',

  `create table invitation (
    organization integer not null references organization (number) on delete cascade,
    id uuid not null,
    email text not null,
    role text not null check (role in ('owner', 'admin', 'member', 'viewer')),
    token_hash bytea not null,
    mailed boolean not null,
    invited_by uuid,
    invited_at timestamptz not null,
    expires_at timestamptz not null,
    primary key (organization, id),
    unique (organization, email)
  )`,

  // Global: a token is looked up by its hash before its organization is known.
  `create table invitation_token (
    hash bytea primary key,
    organization integer not null references organization (number) on delete cascade,
    invitation_id uuid not null
  )`,
  'create index invitation_token_by_invitation on invitation_token (organization, invitation_id)',
])
