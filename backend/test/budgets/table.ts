/** What a piece of work may cost. `npm test -- backend/test/budgets` counts it, and docs/performance.md has the table. */
export interface Budget {
  /** Without those that begin and end transactions. */
  statements: number
  /** Rows that the statements give to the backend. */
  rows: number
  /** Pages of 8 kB that they read, each as often as it is read. */
  buffers: number
  /** Bytes of the write-ahead log, without the commit. */
  log: number
}

/** `sent`: bytes of the answer's body, uncompressed. */
type RequestBudget = Budget & { sent: number }

/**
 * With 20 hosts that pushed for ten minutes, 20 monitors, a heartbeat, and status pages of seven and 46 monitors; not the first time. A
 * push comes alone, and reads which sources are switched off, as the first of five seconds does.
 */
export const BUDGETS: Readonly<Record<string, RequestBudget>> = {
  'the overview': { statements: 9, rows: 50, buffers: 265, log: 0, sent: 7_620 },
  'the list of hosts, with values and small charts': { statements: 4, rows: 241, buffers: 700, log: 0, sent: 17_464 },
  'the busiest hosts': { statements: 4, rows: 61, buffers: 205, log: 0, sent: 4_398 },
  'a host': { statements: 6, rows: 4, buffers: 68, log: 0, sent: 1_009 },
  'a day of a host, all groups': { statements: 2, rows: 13, buffers: 27, log: 0, sent: 274 },
  'the list of monitors': { statements: 6, rows: 42, buffers: 75, log: 0, sent: 5_785 },
  'a monitor': { statements: 10, rows: 6, buffers: 130, log: 0, sent: 1_116 },
  'the list of incidents': { statements: 2, rows: 2, buffers: 15, log: 0, sent: 46 },
  'a public status page': { statements: 0, rows: 0, buffers: 0, log: 0, sent: 25_776 },
  'a push of six samples': { statements: 2, rows: 1, buffers: 7, log: 234, sent: 140 },
  'a check of a monitor, claimed and stored': { statements: 2, rows: 2, buffers: 22, log: 450, sent: 0 },
  'a ping of a heartbeat': { statements: 4, rows: 2, buffers: 26, log: 530, sent: 2 },
}

/** Of ten minutes in which nothing happens. `wakes`: pauses of jobs that end. */
export const IDLE_BUDGET: Budget & { wakes: number } = { statements: 520, rows: 1_400, buffers: 3_500, log: 3_600, wakes: 1_900 }

/** So much less than its budget shows that the budget is no longer true. Trees of indexes differ a little from run to run. */
const ROOM = 1.2

/** Where the counts are not those of the budget, in words. */
export function faultsOf<Counts extends Record<keyof Counts, number>>(counts: Counts, budget: Counts): string[] {
  return (Object.keys(budget) as (keyof Counts & string)[]).flatMap((name) => {
    const [is, may] = [counts[name], budget[name]]
    if (is > may) return `${name}: ${is}, the budget is ${may}`
    return is * ROOM < may ? `${name}: only ${is}, lower the budget of ${may}` : []
  })
}
