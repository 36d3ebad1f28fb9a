/**
 * What the statement that stores checks costs in Postgres, by what hangs on it; variants take turns on one connection; one JSON line.
 *
 *   npm run bench:signals -- [--rounds 40] [--batch 200]
 *
 * CPU of that connection's process per check, the median of the rounds: with the signal for whoever judges alert rules and without it
 * (`signalShare`, goal ≤ 0.05, for batches in which no status changes, one of twenty does, and all do), and with what failed checks were
 * answered (`answerUs` on top, of a check that failed).
 */
import { parseArgs } from 'node:util'
import { onPool, type Run, storeChecks } from '../backend/src/checks/results/store.ts'
import { systemClock } from '../backend/src/platform/clock.ts'
import { createPool } from '../backend/src/platform/db/index.ts'
import { findRunningUrl } from '../backend/src/platform/db/postgres/index.ts'
import { silentLog } from '../backend/src/platform/log.ts'
import { makeIdleMonitors } from './alerts-world.ts'
import { startBackend } from './backend.ts'
import { cpuOf, median, round2 } from './processes.ts'

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '40' }, batch: { type: 'string', default: '200' } },
})
const [rounds, size] = [Number(values.rounds), Number(values.batch)]
/** CPU is counted in hundredths of a second: a turn takes some of them. */
const STATEMENTS = 20

type Variant = { changing: number; signals: boolean; answers: boolean }
const VARIANTS: Record<string, Variant> = {
  steady: { changing: 0, signals: true, answers: false },
  steadyBare: { changing: 0, signals: false, answers: false },
  some: { changing: 0.05, signals: true, answers: false },
  someBare: { changing: 0.05, signals: false, answers: false },
  all: { changing: 1, signals: true, answers: false },
  allBare: { changing: 1, signals: false, answers: false },
  answered: { changing: 0, signals: true, answers: true },
}

const withoutSignal = (text: string): string => {
  const bare = text.replace(/\), signalled as \([^)]*\)[^)]*\)/, ')')
  if (bare === text || bare.includes('alert_signal')) throw new Error('the statement has no signal any more')
  return bare
}

async function main(): Promise<void> {
  const backend = await startBackend('serve')
  const { database } = backend
  const running = await findRunningUrl(backend.dataDir)
  if (running === undefined) throw new Error('no database runs')
  const pool = createPool({ url: running, clock: systemClock, log: silentLog, max: 1 })
  try {
    // Nobody judges meanwhile: what is measured is the statement.
    await database.query('delete from alert_rule')
    const monitors = await makeIdleMonitors(database, size)
    await database.query("insert into region (id, name, created_at) values ('local', 'local', now()) on conflict (id) do nothing")
    const { rows: regions } = await database.query<{ organization: number; region: number }>(
      "select o.number as organization, r.number as region from organization as o, region as r where r.id = 'local'",
    )
    const [{ organization, region } = { organization: 0, region: 0 }] = regions
    await database.query(
      `insert into check_schedule (organization, monitor, region, interval_seconds, due_at, anchor, lease_until, fence, failures,
         successes, state) select $1, number, $2, 60, 0, 0, 0, 1, 0, 0, 'up' from unnest($3::int[]) as number`,
      [organization, region, monitors],
    )
    await database.query('analyze')
    const { rows: backends } = await pool.pg.query<{ pid: number }>('select pg_backend_pid() as pid')
    const pid = backends[0]?.pid ?? 0
    const run = onPool(pool)
    const bare: Run = (name, text, given) => run(`${name}_bare`, withoutSignal(text), given)
    let fence = 1
    let at = Date.now()
    const status = new Map<number, 'up' | 'down'>(monitors.map((monitor) => [monitor, 'up']))

    async function store({ changing, signals, answers }: Variant): Promise<void> {
      at += 5
      const result = {
        outcome: answers ? 'down' : 'up',
        status_code: answers ? 503 : 200,
        response_ms: 12.5,
        dns_ms: 1,
        connect_ms: 2,
        tls_ms: null,
        first_byte_ms: 9,
        transfer_ms: 0.5,
        error: null,
        address: '192.0.2.1',
        http_version: '1.1',
        certificate: null,
        delayed: false,
        checked_at: new Date(at).toISOString(),
        ...(answers && { answer: { status_line: 'HTTP/1.1 503 Service Unavailable', body: 'x'.repeat(1_024) } }),
      } as const
      const after = { state: 'up', failures: 0, successes: 0 } as const
      const checks = monitors.map((monitor) => ({
        observed: { organization, monitor, region, fence, result, endedAtMs: at },
        checkedAtMs: at,
        after,
        dueAtMs: at + 60_000,
        conclusiveAtMs: at,
      }))
      const changed = monitors.slice(0, Math.round(changing * size)).map((monitor) => {
        const from = status.get(monitor) ?? 'up'
        const to = from === 'up' ? 'down' : 'up'
        status.set(monitor, to)
        return { organization, monitor, atMs: at, from, to, reason: 'by the bench' } as const
      })
      const taken = await storeChecks(signals ? run : bare, checks, changed)
      if (taken.length !== size) throw new Error(`${taken.length} of ${size} checks were stored`)
      fence += 1
    }

    const spent: Record<string, number[]> = {}
    for (let round = -2; round < rounds; round += 1) {
      const names = Object.keys(VARIANTS)
      for (const name of round % 2 === 0 ? names : names.toReversed()) {
        const variant = VARIANTS[name] as Variant
        const before = cpuOf(pid)
        for (let times = 0; times < STATEMENTS; times += 1) await store(variant)
        const us = ((cpuOf(pid) - before) * 1e6) / (STATEMENTS * size)
        if (round >= 0) (spent[name] ??= []).push(us)
      }
    }
    const us = Object.fromEntries(
      Object.entries(spent).map(([name, all]) => [name, round2(all.reduce((sum, one) => sum + one, 0) / all.length)]),
    )
    const share = (name: string) => round2((us[name] ?? 0) / (us[`${name}Bare`] ?? 1) - 1)
    const medians = Object.fromEntries(Object.entries(spent).map(([name, all]) => [name, round2(median(all))]))
    const signalShare = { steady: share('steady'), some: share('some'), all: share('all') }
    const answerUs = round2((us['answered'] ?? 0) - (us['steady'] ?? 0))
    process.stdout.write(`${JSON.stringify({ batch: size, rounds, us, medians, signalShare, answerUs })}\n`)
  } finally {
    await pool.end()
    await backend.stop()
  }
}

await main()
