import { createTables } from './create-tables.ts'

/** Where samples of hosts are sent. The cursor is the last push of which all was sent, and how many values of the next one were. */
export const exports = createTables([
  `create table metric_export (
    organization integer not null references organization (number) on delete cascade,
    id uuid not null,
    name text not null,
    kind text not null,
    url text not null,
    headers_encrypted bytea not null,
    enabled boolean not null,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    cursor_received_at bigint not null,
    cursor_t0 bigint not null,
    cursor_digest bigint not null,
    cursor_server integer not null,
    cursor_values integer not null,
    last_sent_at timestamptz,
    last_error text,
    samples_sent bigint not null,
    samples_dropped bigint not null,
    samples_skipped bigint not null,
    primary key (organization, id)
  ) with (fillfactor = 70)`,
  // Pushes are read in the order of their receipt, in which they lie on disk: a summary of each 16 pages costs an insert nothing.
  'create index metric_push_by_receipt on metric_push using brin (received_at) with (pages_per_range = 16, autosummarize = on)',
])
