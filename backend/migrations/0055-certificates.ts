import { createTables } from './create-tables.ts'

/**
 * Certificates by their SHA-256, and which one each region of a monitor saw last. `fingerprint` is null of those by hand, and the hash of
 * what is known where a probe of an older version sent no SHA-256. `previous` are the last certificates of a region, newest first.
 */
export const certificates = createTables([
  `create table certificate (
    organization integer not null references organization (number) on delete cascade,
    id uuid not null,
    fingerprint bytea,
    sha256 text,
    name text not null,
    subject text,
    names text[] not null,
    issuer text,
    key_type text,
    key_bits integer,
    signature text,
    not_before timestamptz,
    not_after timestamptz not null,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    primary key (organization, id)
  )`,
  'create unique index certificate_by_fingerprint on certificate (organization, fingerprint)',
  `create table certificate_sighting (
    organization integer not null,
    monitor integer not null,
    region smallint not null,
    certificate_id uuid not null,
    chain jsonb not null,
    ends_at timestamptz not null,
    weak text,
    name_mismatch boolean not null,
    since timestamptz not null,
    seen_at timestamptz not null,
    previous uuid[] not null,
    changed_at timestamptz,
    changed_from uuid,
    primary key (organization, monitor, region),
    foreign key (organization, certificate_id) references certificate (organization, id) on delete cascade
  ) with (fillfactor = 80)`,
  'create index certificate_sighting_by_certificate on certificate_sighting (organization, certificate_id)',
])
