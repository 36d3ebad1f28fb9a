import { createTables } from './create-tables.ts'

/**
 * What happens to series that come with a key; of two copies of a Prometheus the one that counts, and when it came last, ms. Exports that
 * are made from a setting.
 */
export const seriesOfKeys = createTables([
  `alter table api_key add column job_kind text, add column dedup_label text, add column drop_labels text[] not null default '{}',
    add column leading_replica text, add column leader_seen_at bigint`,
  'alter table metric_export add column is_managed boolean not null default false',
])
