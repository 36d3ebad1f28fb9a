import { createTables } from './create-tables.ts'

/**
 * Exports send entities and received series too, by choice; each kind has a cursor of its own. What an export has not sent yet stays where
 * it was pushed to after its compaction, and is marked so. `export_path` names the organizations whose exports a request came through.
 */
export const exportedSeries = createTables([
  `alter table metric_export
    add column samples text[] not null default '{hosts}',
    add column entity_cursor_received_at bigint not null default 0,
    add column entity_cursor_t0 bigint not null default 0,
    add column entity_cursor_digest bigint not null default 0,
    add column entity_cursor_server integer not null default 0,
    add column entity_cursor_values integer not null default 0,
    add column series_cursor_received_at bigint not null default 0,
    add column series_cursor_t0 bigint not null default 0,
    add column series_cursor_digest bigint not null default 0,
    add column series_cursor_server integer not null default 0,
    add column series_cursor_values integer not null default 0`,
  'alter table metric_export alter column samples drop default',
  // Those of the setting send everything, from where they are.
  `update metric_export set samples = '{hosts,entities,series}', entity_cursor_received_at = cursor_received_at,
    series_cursor_received_at = cursor_received_at
    where is_managed`,

  `alter table entity_push add column is_compacted boolean not null default false`,
  `alter table series_push add column is_compacted boolean not null default false, add column export_path text not null default ''`,
  'create index on entity_push (organization, received_at)',
  'create index on series_push (organization, received_at)',
])
