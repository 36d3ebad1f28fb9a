import { type Kysely, sql } from 'kysely'

/**
 * Mails that wait to be sent: stored with what they tell of, deleted once the mail server has taken them. A plain queue of the
 * whole installation, never distributed.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db)
}

const STATEMENTS = [
  // `letter` is sealed by a key of the installation: it may hold a link that lets its reader in.
  `create table mail_outbox (
    id uuid primary key,
    organization integer not null references organization (number) on delete cascade,
    about_kind text not null,
    about_id uuid not null,
    letter bytea not null,
    created_at timestamptz not null,
    next_try_at timestamptz not null,
    tries integer not null
  )`,
  'create index mail_outbox_by_due on mail_outbox (next_try_at)',
  'create index mail_outbox_by_about on mail_outbox (organization, about_id)',
]
