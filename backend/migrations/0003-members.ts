import { type Kysely, sql } from 'kysely'

/** Invitations that wait to be accepted; one that was accepted or revoked is gone. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db)
}

const STATEMENTS = [
  `create table invitation (
    organization integer not null references organization (number) on delete cascade,
    id uuid not null,
    email text not null,
    role text not null check (role in ('owner', 'admin', 'member', 'viewer')),
    token_hash bytea not null,
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
]
