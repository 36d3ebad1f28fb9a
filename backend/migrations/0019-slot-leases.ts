import { createTables } from './create-tables.ts'

/**
 * Slots of mounts and interfaces are reused. `last_day` (days since the epoch) is the last one of which a sample is stored, or up to
 * 30 days before it: it is not written each day. Rows of before count as used today.
 */
export const slotLeases = createTables([
  `alter table metric_dimension add column last_day integer not null default (current_date - date '1970-01-01')`,
  'alter table metric_dimension alter column last_day drop default',
])
