import { createTables } from './create-tables.ts'

/** When a certificate was revoked, and which certificates the files of each host have, by its last report, in its order. `entry`: which one of a file with several, else empty. */
export const certificateFiles = createTables([
  'alter table certificate_sighting add column revoked_at timestamptz',
  `create table certificate_file (
    organization integer not null,
    server_id uuid not null,
    place smallint not null,
    path text not null,
    entry text not null,
    certificate_id uuid not null,
    chain jsonb not null,
    ends_at timestamptz not null,
    weak text,
    since timestamptz not null,
    previous uuid[] not null,
    changed_at timestamptz,
    changed_from uuid,
    primary key (organization, server_id, place),
    foreign key (organization, server_id) references server (organization, id) on delete cascade,
    foreign key (organization, certificate_id) references certificate (organization, id) on delete cascade
  )`,
  'create index certificate_file_by_certificate on certificate_file (organization, certificate_id)',
])
