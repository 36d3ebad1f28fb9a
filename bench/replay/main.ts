/**
 * A replay of all rules over 90 days of many monitors.
 *
 *   npm run bench -- replay [--monitors 500] [--rounds 3]
 *
 * `vedette serve` runs as the launcher starts it, on an embedded Postgres of its own, with --monitors monitors that are down sixty times
 * in 90 days, a rule with an escalation policy of two steps and three repeats. Two sets are replayed. The peer is the preview of that
 * rule alone over seven days, in the same run. Memory is the peak of the backend, and the longest answer of /health meanwhile shows
 * whether others wait.
 *
 * Goal: 10 s.
 */
import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { keepCheckPartitions } from '../../backend/src/monitoring/checks/results/partitions.ts'
import { createPool } from '../../backend/src/platform/db/index.ts'
import { findRunningUrl } from '../../backend/src/platform/db/postgres/index.ts'
import { silentLog } from '../../backend/src/platform/logging/log.ts'
import { systemClock } from '../../backend/src/platform/time/clock.ts'
import { post, signIn, startBackend } from '../lib/backend.ts'
import { median } from '../lib/processes.ts'
import { printFigures } from '../lib/result.ts'

const { values } = parseArgs({
  options: { monitors: { type: 'string', default: '500' }, rounds: { type: 'string', default: '3' } },
})
const [DAYS, DAY_MS] = [90, 86_400_000]
/** Of one bulk request. */
const AT_ONCE = 500

const backend = await startBackend('serve', [], { VEDETTE_LOCAL_AGENT: 'off' })
const databaseUrl = (await findRunningUrl(backend.dataDir)) as string
const pool = createPool({ url: databaseUrl, clock: systemClock, log: silentLog })
try {
  const headers = { authorization: `Bearer ${await signIn(backend.url)}` }
  const send = <Answer>(path: string, body: object) => post(backend.url + path, headers, body) as Promise<Answer>
  await makeMonitors((create) => send('/v1/monitors/bulk', { create }))
  await seedTransitions()
  const me = (await (await fetch(`${backend.url}/v1/me`, { headers })).json()) as { id: string }
  await send('/v1/contact-methods', { type: 'ntfy', config: { url: 'https://ntfy.example.com', topic: 'bench' } })
  const steps = [{ user_ids: [me.id], wait_seconds: 300 }, { user_ids: [me.id] }]
  const policy = await send<{ id: string }>('/v1/escalation-policies', { name: 'all', steps, repeats: 3 })
  const condition = { metric: 'status', operator: 'equals', value: 'down' }
  const rule = { name: 'down', target: { type: 'monitor' }, condition, escalation_policy_id: policy.id }
  const { id } = await send<{ id: string }>('/v1/alert-rules', rule)
  const to = Math.floor(Date.now() / 1000) * 1000
  const period = { from: new Date(to - DAYS * DAY_MS).toISOString(), to: new Date(to).toISOString() }
  const sets = [{}, { alert_rules: [{ id, for_seconds: 600 }] }]
  const before = peakMegabytes()
  let longest = 0
  const ending = new AbortController()
  const pinging = (async () => {
    while (!ending.signal.aborted) {
      const at = performance.now()
      await (await fetch(`${backend.url}/health`)).text()
      longest = Math.max(longest, performance.now() - at)
    }
  })()
  let totals: object[] = []
  const replayed = await timed(async () => {
    const answer = await send<{ sets: { incidents: number; notifications: number }[] }>('/v1/replays', { ...period, sets })
    totals = answer.sets.map(({ incidents, notifications }) => ({ incidents, notifications }))
  })
  ending.abort()
  await pinging
  const after = peakMegabytes()
  const previewed = await timed(async () => void (await send('/v1/alert-rules/preview', rule)))
  printFigures(
    [
      {
        name: `two sets, ${values.monitors} monitors, ${DAYS} days`,
        value: replayed,
        unit: 's',
        goal: { atMost: 10 },
        peer: { name: 'preview of one rule, 50 monitors, 7 days', value: previewed },
      },
      { name: 'peak of memory that it adds', value: after - before, unit: 'MB' },
      { name: 'longest answer of /health meanwhile', value: longest, unit: 'ms' },
    ],
    { ...values, totals, before, after },
  )
} finally {
  await pool.end()
  await backend.stop()
}

function peakMegabytes(): number {
  const [, kilobytes] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${backend.backendPid}/status`, 'utf8')) ?? []
  return Number(kilobytes) / 1024
}

async function timed(work: () => Promise<void>): Promise<number> {
  const seconds: number[] = []
  for (let round = 0; round < Number(values.rounds); round += 1) {
    const at = performance.now()
    await work()
    seconds.push((performance.now() - at) / 1000)
  }
  return median(seconds)
}

async function makeMonitors(create: (monitors: object[]) => Promise<unknown>): Promise<void> {
  for (let made = 0; made < Number(values.monitors); made += AT_ONCE) {
    const count = Math.min(AT_ONCE, Number(values.monitors) - made)
    await create(
      Array.from({ length: count }, (_, n) => ({ name: `monitor ${made + n}`, url: `https://${made + n}.example.com/` })),
    )
  }
}

/** Down every day and a half, for five to forty-five minutes. */
async function seedTransitions(): Promise<void> {
  const { database } = backend
  const nowMs = Date.now()
  for (let day = DAYS + 1; day >= 0; day -= 14) await keepCheckPartitions(pool.db, silentLog, nowMs - day * DAY_MS)
  await database.query('delete from alert_rule')
  await database.query(
    `insert into monitor_transition (organization, monitor, at, id, from_status, to_status, reason)
    select organization, number, case when is_end then down_at + (5 + (number * 7 + n * 13) % 41) * interval '1 minute' else down_at end,
      gen_random_uuid(), case when is_end then 'down' else 'up' end, case when is_end then 'up' else 'down' end, ''
    from monitor cross join generate_series(1, 59) as n cross join (values (false), (true)) as ends (is_end)
    cross join lateral (select now() - n * interval '36 hours' + (number % 1000) * interval '1 minute' as down_at) as times`,
  )
  await database.query('analyze monitor_transition')
}
