import { createTables } from './create-tables.ts'

/** Actions of links in notifications that were taken: each is taken once. */
export const actionLinks = createTables([
  `create table used_action_link (
    organization integer not null references organization (number) on delete cascade,
    token_hash bytea not null,
    action text not null,
    expires_at timestamptz not null,
    primary key (organization, token_hash, action)
  )`,
  'create index used_action_link_by_end on used_action_link (expires_at)',
])
