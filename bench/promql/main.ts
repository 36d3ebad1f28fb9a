/**
 * PromQL over samples of hosts, compared with VictoriaMetrics on the same samples in the same run.
 *
 *   npm run bench -- promql [--hosts 1000] [--many 20] [--days 30] [--rounds 40]
 *
 * `vedette serve` on an embedded Postgres of its own receives an hour of samples of --hosts hosts, six in a push, and --days days of the
 * first --many of them, hour by hour, of the fields of the processor alone; `vedette compact` compacts them. Both answer the same
 * expressions over kept connections, in turns. Times are medians to the last byte of the answer, after 30 rounds that do not count.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { compact, registerServers, signIn, startBackend } from '../lib/backend.ts'
import { startVictoria } from '../lib/peers.ts'
import { cpuOfTree } from '../lib/processes.ts'
import { call, endCalls, type Medians, queryInTurns } from '../lib/queries.ts'
import { printFigures } from '../lib/result.ts'
import { lifeColumns } from '../samples/host-samples.ts'
import { sendSamples } from '../samples/send.ts'

const { values } = parseArgs({
  options: {
    hosts: { type: 'string', default: '1000' },
    many: { type: 'string', default: '20' },
    days: { type: 'string', default: '30' },
    rounds: { type: 'string', default: '40' },
    profile: { type: 'string' },
  },
})
const [hosts, many, days, rounds] = [values.hosts, values.many, values.days, values.rounds].map(Number) as [
  number,
  number,
  number,
  number,
]
const HOUR = 3_600_000
const STEP = 10_000
/** Those of the processor, which come first. */
const FIELDS = 9
const AT_ONCE = 20
const WARM_UP = 30
const PANELS = 20

const folder = mkdtempSync(join(tmpdir(), 'vedette-promql-'))
const backend = await startBackend(
  'serve',
  values.profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${values.profile}`],
  // Older samples than are kept would be refused.
  { VEDETTE_RAW_RETENTION_DAYS: String(days + 8) },
)
const victoria = await startVictoria(folder)
try {
  const tokens = await registerServers(backend, hosts)
  const endMs = Math.floor(Date.now() / 60_000) * 60_000
  const send = (host: number, fromMs: number, toMs: number) =>
    sendSamples(
      { backend, victoria, endMs },
      { name: `bench-${host}`, token: tokens[host] as string },
      lifeColumns(host, fromMs, (toMs - fromMs) / STEP, FIELDS),
    )
  const hourAgoMs = endMs - HOUR
  for (let first = 0; first < hosts; first += AT_ONCE) {
    const some = Array.from({ length: Math.min(AT_ONCE, hosts - first) }, (_, index) => first + index)
    await Promise.all(
      some.map(async (host) => {
        if (host < many) await send(host, endMs - days * 24 * HOUR, hourAgoMs)
        await send(host, hourAgoMs, endMs)
      }),
    )
  }
  await compact(backend)
  await backend.database.query('analyze')
  const headers = { authorization: `Bearer ${await signIn(backend.url)}` }
  const ours = (path: string, parameters: Record<string, string>) =>
    call(`${backend.url}/v1/prometheus/api/v1/${path}?${new URLSearchParams(parameters).toString()}`, { headers })
  const theirs = (path: string, parameters: Record<string, string>) =>
    call(`http://127.0.0.1:${victoria?.port}/api/v1/${path}?nocache=1&${new URLSearchParams(parameters).toString()}`)
  const range = (rangeMs: number, stepSeconds: number) => ({
    start: String((endMs - rangeMs) / 1_000),
    end: String(endMs / 1_000),
    step: String(stepSeconds),
  })
  const both = async (expression: string, peer: string, window: Record<string, string>): Promise<Medians> =>
    queryInTurns(
      () => ours('query_range', { query: expression, ...window }),
      victoria && (() => theirs('query_range', { query: peer, ...window })),
      { rounds, warmUp: WARM_UP },
    )
  /** Of the backend and its Postgres, for one answer: what others do on the machine does not count. */
  const cpuOf = async (query: string, window: Record<string, string>): Promise<number> => {
    const cpu = () => cpuOfTree(backend.backendPid) + cpuOfTree(backend.postgresPid)
    const before = cpu()
    for (let round = 0; round < rounds; round++) await ours('query_range', { query, ...window })
    return Math.round(((cpu() - before) * 1_000) / rounds)
  }
  const hourCpu = await cpuOf('avg (vedette_cpu_percent)', range(HOUR, 15))
  const first = (count: number) => Array.from({ length: count }, (_, host) => `bench-${host}`).join('|')
  const hour = await both('avg (vedette_cpu_percent)', 'avg (cpu{field="percent"})', range(HOUR, 15))
  const month = await both(
    `avg (vedette_cpu_percent{instance=~"${first(many)}"})`,
    `avg (cpu{field="percent",host=~"${first(many)}"})`,
    range(days * 24 * HOUR, 3_600),
  )
  const monthCpu = await cpuOf(`avg (vedette_cpu_percent{instance=~"${first(many)}"})`, range(days * 24 * HOUR, 3_600))
  const panels = (query: (index: number) => Promise<unknown>) => async () => {
    for (let panel = 0; panel < PANELS; panel++) await query(panel)
  }
  const week = range(7 * 24 * HOUR, 600)
  const board = await queryInTurns(
    panels(() => ours('query_range', { query: 'vedette_cpu_percent{instance="bench-0"}', ...week })),
    victoria && panels(() => theirs('query_range', { query: 'cpu{field="percent",host="bench-0"}', ...week })),
    { rounds: Math.ceil(rounds / 4), warmUp: 5 },
  )
  // Another window each time: the same one would be kept.
  const labels = await queryInTurns(
    (index) => ours('label/instance/values', { start: String(endMs / 1_000 - 3_600 - index * 10) }),
    victoria && ((index) => theirs('label/host/values', { start: String(endMs / 1_000 - 3_600 - index * 10) })),
    { rounds, warmUp: WARM_UP },
  )
  const refusal = await queryInTurns(
    () => ours('query_range', { query: '{__name__=~".+"}', ...range(days * 24 * HOUR, 300) }).catch(() => undefined),
    undefined,
    { rounds: 5, warmUp: 1 },
  )
  const figure = (name: string, { ms, victoriaMs }: Medians, atMost: number) => ({
    name,
    value: ms,
    unit: 'ms',
    goal: { atMost },
    ...(victoriaMs !== undefined && { peer: { name: 'VictoriaMetrics', value: victoriaMs } }),
  })
  printFigures(
    [
      figure(`mean of ${hosts} hosts over 1 h, a step each 15 s`, hour, 150),
      { name: 'CPU of one such answer', value: hourCpu, unit: 'ms' },
      figure(`mean of ${many} hosts over ${days} days, a step an hour`, month, 300),
      { name: 'CPU of one answer over all these days', value: monthCpu, unit: 'ms' },
      figure(`${PANELS} panels of one host over 7 days, one after the other`, board, 400),
      figure(`names of ${hosts} hosts`, labels, 30),
      figure('all series over all time are refused', refusal, 1_000),
    ],
    { hosts, many, days, rounds },
  )
} finally {
  endCalls()
  await victoria?.stop()
  await backend.stop()
  rmSync(folder, { recursive: true, force: true })
}
