import { createTables } from './create-tables.ts'

/**
 * The address of a channel that its owner has confirmed, in lower case. Channels that exist count as confirmed: an alert that reached
 * people before still does.
 */
export const confirmedAddresses = createTables([
  'alter table channel add confirmed_to text',
  "update channel set confirmed_to = lower(config ->> 'to') where type = 'email' and user_id is null",
])
