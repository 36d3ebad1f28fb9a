import { createTables } from './create-tables.ts'

/**
 * Contact methods of members are channels of a user, which end with the membership. `quiet_time` of a member: notifications of
 * escalation policies wait in them.
 */
export const contactMethods = createTables([
  'alter table channel add column user_id uuid',
  `alter table channel add constraint channel_member
    foreign key (organization, user_id) references membership (organization, user_id) on delete cascade`,
  'create index channel_by_user on channel (organization, user_id) where user_id is not null',
  `create unique index channel_email_of_member on channel (organization, user_id) where user_id is not null and type = 'email'`,
  'alter table membership add column quiet_time jsonb',
])
