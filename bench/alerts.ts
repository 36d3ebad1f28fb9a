/**
 * What it takes to judge servers by the alert rules, against their pushes in the same run: one JSON line.
 *
 *   npm run bench:judging -- [--servers 1000] [--rules 20] [--rounds 6] [--means 0]
 *
 * `vedette serve` on an embedded Postgres of its own takes a live push of six samples of all fields of each server; then every
 * server is judged once by every rule, as it is after each push in life. `judgeShare`: CPU of judging (this process and the
 * Postgres processes of its own connections) / CPU of the pushes (backend and Postgres); goal ≤ 0.5. Rules look at all sorts of
 * fields and at filesystems, and nothing holds: that is what nearly every look finds. `--means` adds rules that ask for the mean over
 * ten minutes of every server at every look, the dearest that there is: life asks for it where the samples of the moment are over.
 *
 * The backend judges as well while it takes pushes, some percent of what they cost: its first look and one each 5 s.
 */
import { randomUUID } from 'node:crypto'
import { parseArgs } from 'node:util'
import { createServerJudge } from '../backend/src/alerts/index.ts'
import { systemClock } from '../backend/src/platform/clock.ts'
import { createPool } from '../backend/src/platform/db/index.ts'
import { findRunningUrl } from '../backend/src/platform/db/postgres/index.ts'
import { newId } from '../backend/src/platform/ids.ts'
import { silentLog } from '../backend/src/platform/log.ts'
import { type BenchBackend, registerServers, startBackend } from './backend.ts'
import { hostColumns, toBody } from './host-samples.ts'
import { cpuOf, cpuOfTree, round, round2 } from './processes.ts'

const { values } = parseArgs({
  options: {
    servers: { type: 'string', default: '1000' },
    rules: { type: 'string', default: '20' },
    rounds: { type: 'string', default: '6' },
    means: { type: 'string', default: '0' },
  },
})
const [servers, rules, rounds] = [Number(values.servers), Number(values.rules), Number(values.rounds)]
const means = Number(values.means)
const SAMPLES = 6
const AT_ONCE = 32

/** Nothing opens but what was open: incidents are not what is measured. */
const CONDITIONS = [
  ['memory.percent', 'greater_than', 99.9, 0],
  ['disk.usage_percent', 'greater_than', 99.9, 0],
  ['filesystem.percent', 'greater_than', 99.9, 0],
  ['cpu.load_15', 'greater_than', 1e6, 0],
  ['tcp.established', 'greater_than', 1e6, 0],
  ['network.rx_errors_per_sec', 'greater_than', 1e6, 0],
  ['memory.swap_percent', 'greater_than', 99.9, 600],
  ['cpu.iowait_percent', 'greater_than', 99.9, 0],
  ['status', 'equals', 'offline', 0],
  ['memory.percent', 'greater_than', 99.9, 600],
] as const
/** Holds at each look, and its mean never has samples for so long. */
const DEAR = ['memory.total_bytes', 'greater_than', 1, 600] as const

async function setRules({ database }: BenchBackend): Promise<void> {
  await database.query('delete from alert_rule')
  for (let index = 0; index < rules + means; index += 1) {
    const quiet = CONDITIONS[index % CONDITIONS.length] as (typeof CONDITIONS)[number]
    const [metric, operator, value, forSeconds] = index < rules ? quiet : DEAR
    await database.query(
      `insert into alert_rule (organization, id, name, enabled, target_type, metric, operator, value, for_seconds, severity,
         channel_ids, created_at, updated_at, says_since)
       select number, $1, 'r', true, 'server', $2, $3, $4, $5, 'info', '{}', now(), now(), now() - interval '1 hour' from organization`,
      [newId(), metric, operator, JSON.stringify(value), forSeconds],
    )
  }
}

async function pushAll(url: string, tokens: readonly string[]): Promise<void> {
  const { columns } = toBody(hostColumns(SAMPLES))
  const filesystems = ['/', '/srv'].map((mount) => ({ mount, fs_type: 'ext4', used_bytes: 41, total_bytes: 100, percent: 41.32 }))
  const waiting = [...tokens]
  const drive = async () => {
    for (let token = waiting.pop(); token !== undefined; token = waiting.pop()) {
      const now = Date.now()
      const at_ms = Array.from({ length: SAMPLES }, (_, index) => now - (SAMPLES - index) * 10_000)
      const batch = { batch_id: randomUUID(), sent_at: new Date(now).toISOString(), agent_version: '1.0.0' }
      const response = await fetch(`${url}/v1/agent/metrics`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-api-key': token },
        body: JSON.stringify({ ...batch, columns: { ...columns, at_ms }, filesystems }),
      })
      const { accepted } = (await response.json()) as { accepted: number }
      if (accepted !== SAMPLES) throw new Error(`a push was answered with ${response.status}`)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, drive))
}

const NAME = 'bench-alerts'

async function main(): Promise<void> {
  const backend = await startBackend('serve')
  const running = await findRunningUrl(backend.dataDir)
  if (running === undefined) throw new Error('no database runs')
  const address = new URL(running)
  address.searchParams.set('application_name', NAME)
  const pool = createPool({ url: address.href, clock: systemClock, log: silentLog, max: 4 })
  try {
    const tokens = await registerServers(backend, servers)
    await setRules(backend)
    let offsetMs = 0
    const clock = { ...systemClock, now: () => Date.now() + offsetMs }
    const own = async () => {
      const { rows } = await pool.pg.query<{ pid: number }>(
        'select pid from pg_stat_activity where datname = current_database() and application_name = $1',
        [NAME],
      )
      return rows.reduce((sum, { pid }) => sum + cpuOf(pid), 0)
    }
    const all = () => cpuOf(backend.backendPid) + cpuOfTree(backend.postgresPid)
    let judge = createServerJudge({ db: pool.db, clock, pushIntervalSeconds: 60 })
    const spent = { push: 0, judgeNode: 0, judgePostgres: 0 }
    await pushAll(backend.url, tokens)
    for (let turn = 0; turn < rounds; turn += 1) {
      // What is older than five minutes by this clock is not live: it begins anew in time.
      if (turn % 3 === 0) {
        offsetMs = 0
        judge = createServerJudge({ db: pool.db, clock, pushIntervalSeconds: 60 })
        await judge.judge()
      }
      const before = all()
      await pushAll(backend.url, tokens)
      spent.push += all() - before
      offsetMs += 62_000
      const [postgres, node] = [await own(), process.cpuUsage()]
      await judge.judge()
      const used = process.cpuUsage(node)
      spent.judgeNode += (used.user + used.system) / 1e6
      spent.judgePostgres += (await own()) - postgres
    }
    const looks = servers * rounds
    const us = (seconds: number) => round((seconds * 1e6) / looks)
    const figures = {
      servers,
      rules,
      means,
      judgeShare: round2((spent.judgeNode + spent.judgePostgres) / spent.push),
      pushUs: us(spent.push),
      judgeNodeUs: us(spent.judgeNode),
      judgePostgresUs: us(spent.judgePostgres),
    }
    process.stdout.write(`${JSON.stringify(figures)}\n`)
  } finally {
    await pool.end()
    await backend.stop()
  }
}

await main()
