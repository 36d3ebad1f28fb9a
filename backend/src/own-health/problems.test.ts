import { expect, it } from 'vitest'
import { problemsOf, type Seen } from './problems.ts'

const partition = (isLate: boolean) => ({ table: 'check_result', count: 1, fromMs: 0, untilMs: 1, isLate })
const well: Seen = {
  overdue: { checks: 0, regions: [] },
  failing: { tellings: 0, channels: 0, mails: 0 },
  ingest: { isLate: false, lagMs: 60_000 },
  partitions: [partition(false)],
}

it.each<[string, Partial<Seen>]>([
  ['', {}],
  ['checks_missed', { overdue: { checks: 1, regions: ['local'] } }],
  ['ingest_behind', { ingest: { isLate: true, lagMs: 7_200_000 } }],
  ['partitions_late', { partitions: [partition(false), partition(true)] }],
  ['deliveries_failing', { failing: { tellings: 2, channels: 1, mails: 0 } }],
  ['mails_failing', { failing: { tellings: 0, channels: 0, mails: 1 } }],
])('%s is what is wrong with %j', (kind, own) =>
  expect(Object.keys(problemsOf({ ...well, ...own }))).toEqual(kind === '' ? [] : [kind]),
)
