import { createTables } from './create-tables.ts'

/**
 * What an export waits for goes away with the next success; what it has given up, by kind of samples (`from_ms`, `to_ms`, `count`,
 * `precision`), and the last values that were refused stay, whatever comes next.
 */
export const lostSamples = createTables([
  `alter table metric_export add column waiting text, add column losses jsonb not null default '{}'`,
  `update metric_export set waiting = last_error, last_error = null where last_error like '%; it is sent again'`,
])
