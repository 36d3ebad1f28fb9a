import { createTables } from './create-tables.ts'

/** What is wrong with each server. */
export const serverHealth = createTables([
  // `level`: 0 ok, 1 info, 2 warning, 3 critical. `memory` is what the next derivation needs. Stored when something changed alone.
  `create table server_health (
    organization integer not null,
    server_id uuid not null,
    level smallint not null,
    findings jsonb not null,
    memory jsonb not null,
    derived_ms bigint not null,
    primary key (organization, server_id),
    foreign key (organization, server_id) references server (organization, id) on delete cascade
  ) with (fillfactor = 60)`,
])
