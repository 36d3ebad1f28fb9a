import { createTables } from './create-tables.ts'

/**
 * Mails of the last day to addresses that nobody has confirmed in that organization. Counted over all organizations by address, so
 * the table is global; `address_hash` is SHA-256 of the address in lower case.
 */
export const unconfirmedMail = createTables([
  `create table unconfirmed_mail (
    id uuid primary key,
    organization integer not null,
    address_hash bytea not null,
    sent_at timestamptz not null
  )`,
  'create index unconfirmed_mail_by_address on unconfirmed_mail (address_hash, sent_at)',
  'create index unconfirmed_mail_by_organization on unconfirmed_mail (organization, sent_at)',
  // For the deletion of old ones.
  'create index unconfirmed_mail_by_time on unconfirmed_mail (sent_at)',
])
