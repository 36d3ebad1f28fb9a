import { createTables } from './create-tables.ts'

/** Responses of failed checks whose monitors keep more than the excerpt, for seven days. */
export const checkResponses = createTables([
  `create table check_response (
    organization integer not null references organization (number) on delete cascade,
    monitor integer not null,
    region smallint not null,
    -- Of the check, ms.
    at bigint not null,
    body_encrypted bytea not null,
    primary key (organization, monitor, region, at)
  )`,
  'create index check_response_by_age on check_response (at)',
])
