import { createTables } from './create-tables.ts'

/** Who presses buttons in a chat: people of a chat service whom a member of the organization has connected to their account. */
export const chatAccounts = createTables([
  // `credential`: SHA-256 of what the chat signs with. Who sets another one in a channel can press for nobody who is connected.
  // `user_id`: null until the code, which the chat shows to that person alone, is entered by a member.
  `create table chat_account (
    organization integer not null references organization (number) on delete cascade,
    service text not null check (service in ('slack', 'telegram', 'discord')),
    credential bytea not null,
    chat_user text not null,
    id uuid not null,
    name text not null,
    user_id uuid references app_user (id) on delete cascade,
    code_hash bytea,
    code_expires_at timestamptz,
    created_at timestamptz not null,
    primary key (organization, service, credential, chat_user)
  )`,
  'create index chat_account_by_user on chat_account (user_id, organization)',
])
