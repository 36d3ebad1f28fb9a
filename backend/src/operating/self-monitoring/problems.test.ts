import { expect, it } from 'vitest'
import { problemsOf, type InstallationState } from './problems.ts'

const partition = (isLate: boolean) => ({ table: 'check_result', count: 1, fromMs: 0, untilMs: 1, isLate })
const healthy: InstallationState = {
  overdue: { checks: 0, regions: [] },
  failing: { deliveries: 0, channels: 0, mails: 0 },
  ingest: { isLate: false, lagMs: 60_000 },
  partitions: [partition(false)],
}

it.each<[string, Partial<InstallationState>]>([
  ['', {}],
  ['checks_missed', { overdue: { checks: 1, regions: ['local'] } }],
  ['ingest_behind', { ingest: { isLate: true, lagMs: 7_200_000 } }],
  ['partitions_late', { partitions: [partition(false), partition(true)] }],
  ['deliveries_failing', { failing: { deliveries: 2, channels: 1, mails: 0 } }],
  ['mails_failing', { failing: { deliveries: 0, channels: 0, mails: 1 } }],
])('the open problem is "%s" where the state has %j', (kind, changes) =>
  expect(Object.keys(problemsOf({ ...healthy, ...changes }))).toEqual(kind === '' ? [] : [kind]),
)
