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
 * With 20 hosts that pushed for five minutes, 23 monitors, a heartbeat, and a status page of three monitors; not the first time. A
 * push comes alone, and reads which sources are switched off, as the first of five seconds does.
 */
export const BUDGETS: Readonly<Record<string, RequestBudget>> = {
  'a view of the overview': { statements: 22, rows: 113, buffers: 1_860, log: 0, sent: 19_090 },
  'a view of the list of hosts': { statements: 5, rows: 62, buffers: 1_366, log: 0, sent: 18_378 },
  'a view of a host': { statements: 34, rows: 53, buffers: 400, log: 0, sent: 15_600 },
  'a view of the list of monitors': { statements: 16, rows: 94, buffers: 2_328, log: 0, sent: 28_890 },
  'a view of a monitor': { statements: 43, rows: 127, buffers: 424, log: 0, sent: 13_576 },
  'a view of the list of incidents': { statements: 3, rows: 2, buffers: 44, log: 0, sent: 103 },
  'the overview': { statements: 9, rows: 43, buffers: 291, log: 0, sent: 7_326 },
  'the list of hosts, with values and small charts': { statements: 4, rows: 61, buffers: 1_203, log: 0, sent: 18_338 },
  'the busiest hosts': { statements: 4, rows: 16, buffers: 333, log: 0, sent: 4_618 },
  'a host': { statements: 6, rows: 4, buffers: 123, log: 0, sent: 1_125 },
  'a day of a host, all groups': { statements: 2, rows: 4, buffers: 46, log: 0, sent: 288 },
  'the list of monitors': { statements: 6, rows: 43, buffers: 139, log: 0, sent: 6_064 },
  'a monitor': { statements: 10, rows: 7, buffers: 125, log: 0, sent: 1_275 },
  'the list of incidents': { statements: 2, rows: 2, buffers: 29, log: 0, sent: 49 },
  'a public status page': { statements: 0, rows: 0, buffers: 0, log: 0, sent: 13_347 },
  'a push of six samples': { statements: 2, rows: 1, buffers: 11, log: 469, sent: 147 },
  'a check of a monitor, claimed and stored': { statements: 2, rows: 2, buffers: 40, log: 856, sent: 0 },
  'a post of 500 alerts, all new': { statements: 20, rows: 9, buffers: 17_368, log: 686_314, sent: 51 },
  'a post of 500 alerts, all known': { statements: 2, rows: 501, buffers: 4_874, log: 0, sent: 49 },
  'a ping of a heartbeat': { statements: 4, rows: 2, buffers: 48, log: 1_011, sent: 2 },
}

/** Of ten minutes in which nothing happens. `wakes`: pauses of jobs that end. */
export const IDLE_BUDGET: Budget & { wakes: number } = { statements: 400, rows: 1_440, buffers: 6_400, log: 6_720, wakes: 690 }

/** So much less than its budget shows that the budget is no longer true. Bytes sent differ a little from run to run. */
const ROOM = 1.2
/** What depends on when the database last analyzed a table: twice what was counted, and never too little. */
const WANDERING: ReadonlySet<string> = new Set(['buffers', 'log'])

/** Where the counts are not those of the budget, in words. */
export function faultsOf<Counts extends Record<keyof Counts, number>>(counts: Counts, budget: Counts): string[] {
  return (Object.keys(budget) as (keyof Counts & string)[]).flatMap((name) => {
    const [is, may] = [counts[name], budget[name]]
    if (is > may) return `${name}: ${is}, the budget is ${may}`
    return !WANDERING.has(name) && is * ROOM < may ? `${name}: only ${is}, lower the budget of ${may}` : []
  })
}
