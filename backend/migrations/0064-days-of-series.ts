import { createTables } from './create-tables.ts'

/**
 * Series are found by the days on which they had samples: `first_seen` is the instant of the first sample and no longer that of its
 * receipt, before which samples of nine days may be. The index leaves out what ended on an earlier day; it changes once a day.
 */
export const daysOfSeries = createTables([
  `alter table received_series add column last_day integer not null generated always as ((last_seen / 86400000)::integer) stored`,
  'update received_series set first_seen = first_seen - 9 * 86400000::bigint',
  'create index received_series_by_day on received_series (organization, name, last_day)',
  'drop index received_series_organization_name_idx',
])
