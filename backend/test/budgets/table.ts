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
  'the overview': { statements: 9, rows: 43, buffers: 182, log: 0, sent: 7_326 },
  'the list of hosts, with values and small charts': { statements: 4, rows: 141, buffers: 752, log: 0, sent: 18_338 },
  'the busiest hosts': { statements: 4, rows: 36, buffers: 208, log: 0, sent: 4_618 },
  'a host': { statements: 6, rows: 4, buffers: 77, log: 0, sent: 1_060 },
  'a day of a host, all groups': { statements: 2, rows: 8, buffers: 29, log: 0, sent: 288 },
  'the list of monitors': { statements: 6, rows: 42, buffers: 87, log: 0, sent: 6_064 },
  'a monitor': { statements: 10, rows: 6, buffers: 78, log: 0, sent: 1_172 },
  'the list of incidents': { statements: 2, rows: 2, buffers: 18, log: 0, sent: 49 },
  'a public status page': { statements: 0, rows: 0, buffers: 0, log: 0, sent: 13_347 },
  'a push of six samples': { statements: 2, rows: 1, buffers: 7, log: 293, sent: 147 },
  'a check of a monitor, claimed and stored': { statements: 2, rows: 2, buffers: 25, log: 535, sent: 0 },
  'a ping of a heartbeat': { statements: 4, rows: 2, buffers: 30, log: 632, sent: 2 },
}

/** Of ten minutes in which nothing happens. `wakes`: pauses of jobs that end. */
export const IDLE_BUDGET: Budget & { wakes: number } = { statements: 545, rows: 1_440, buffers: 4_200, log: 4_200, wakes: 1_950 }

/**
 * So much less than its budget shows that the budget is no longer true. Pages and log depend on when the database last analyzed a table:
 * their budgets are a quarter above what was counted, and those of bytes sent a twentieth.
 */
const [ROOM, WIDE_ROOM] = [1.2, 2]
const WIDE: ReadonlySet<string> = new Set(['buffers', 'log'])

/** Where the counts are not those of the budget, in words. */
export function faultsOf<Counts extends Record<keyof Counts, number>>(counts: Counts, budget: Counts): string[] {
  return (Object.keys(budget) as (keyof Counts & string)[]).flatMap((name) => {
    const [is, may] = [counts[name], budget[name]]
    if (is > may) return `${name}: ${is}, the budget is ${may}`
    return is * (WIDE.has(name) ? WIDE_ROOM : ROOM) < may ? `${name}: only ${is}, lower the budget of ${may}` : []
  })
}
