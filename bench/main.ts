/**
 * Runs a bench: `npm run bench -- <name> [--save] [options of the bench]`.
 *
 * The bench prints one line of JSON. With --save its figures replace those of its last run in results.json, and docs/performance.md
 * and its chart are written again; `npm run bench -- --save` writes them without a run, after a change of the agent's budgets. Without
 * a name it lists the benches.
 */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { cpus, loadavg } from 'node:os'
import { join } from 'node:path'
import { ROOT } from './lib/child.ts'
import { round2 } from './lib/processes.ts'
import { type BenchResult, type Figure, toReported } from './lib/result.ts'
import { toChart, toPage } from './performance.ts'

/** Name, program, and what it measures. */
const BENCHES: Readonly<Record<string, { program: string; about: string }>> = {
  agent: { program: 'bench/agent/main.ts', about: 'CPU and memory of the agent; peers: collectd, node_exporter' },
  ingest: { program: 'bench/ingest/main.ts', about: 'CPU of a push and of compaction, bytes stored; peer: VictoriaMetrics' },
  reads: { program: 'bench/reads/main.ts', about: 'queries over a week of samples, bytes at rest; peer: VictoriaMetrics' },
  promql: { program: 'bench/promql/main.ts', about: 'PromQL over samples of hosts; peer: VictoriaMetrics' },
  series: {
    program: 'bench/series/main.ts',
    about: 'remote write: CPU, bytes a point, reads, short-lived series; peers: VictoriaMetrics, Prometheus',
  },
  checks: {
    program: 'bench/checks/main.ts',
    about: 'CPU, lateness and accuracy of checks; peers: blackbox_exporter, Prometheus',
  },
  pings: { program: 'bench/pings/main.ts', about: 'CPU of a durable ping of a heartbeat at 1,000 a second; peer: a bare insert' },
  alerts: {
    program: 'bench/alerts/main.ts',
    about: 'alerts of other systems: 5,000 in one post, sent again, 100 posts a second; time to the notification',
  },
  replay: { program: 'bench/replay/main.ts', about: 'time and memory of a replay of 500 monitors over 90 days' },
  'change-sets': {
    program: 'bench/change-sets/main.ts',
    about: 'time of a configuration of 2,000 monitors and 300 rules: planned, applied, taken back',
  },
  moving: {
    program: 'bench/moving/main.ts',
    about: 'an account of another on-call tool with 1,200 schedules and 2,800 people, planned over the API',
  },
  idle: { program: 'bench/idle/main.ts', about: 'CPU, memory and disk of an installation that only watches its own host' },
  page: { program: 'dashboard/test/figures/main.ts', about: 'size and speed of the dashboard in a browser' },
  'faults-agent': {
    program: 'bench/faults-agent/main.ts',
    about: 'samples that an agent loses in kills, outages and wrong answers',
  },
  'faults-samples': {
    program: 'bench/faults-samples/main.ts',
    about: 'acknowledged samples that are lost when backend and Postgres are killed',
  },
}
const RESULTS = join(import.meta.dirname, 'results.json')

/** Writes the page again, with this result if there is one. */
function save(result?: BenchResult): void {
  const stored = JSON.parse(readFileSync(RESULTS, 'utf8')) as Record<string, BenchResult>
  const all = { ...stored, ...(result && { [result.bench]: result }) }
  const results = Object.keys(BENCHES).flatMap((name) => all[name] ?? [])
  writeFileSync(RESULTS, `${JSON.stringify(Object.fromEntries(results.map((each) => [each.bench, each])), undefined, 2)}\n`)
  writeFileSync(join(ROOT, 'docs/performance.md'), toPage(results))
  writeFileSync(join(ROOT, 'docs/images/performance.svg'), toChart(results))
}

/** The last line that the program prints; undefined when it fails. */
async function run(program: string, options: readonly string[]): Promise<{ figures: Figure[]; details: object } | undefined> {
  const child = spawn(process.execPath, [program, ...options], { cwd: ROOT, stdio: ['ignore', 'pipe', 'inherit'] })
  let text = ''
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
  const [code] = (await once(child, 'close')) as [number | null]
  process.exitCode = code ?? 1
  return text === '' ? undefined : (JSON.parse(text.trim().split('\n').at(-1) ?? '') as { figures: Figure[]; details: object })
}

function toResult(bench: string, figures: readonly Figure[]): BenchResult {
  return {
    bench,
    at: new Date().toISOString(),
    commit: execFileSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: ROOT, encoding: 'utf8' }).trim(),
    machine: `${cpus().length} × ${cpus()[0]?.model.trim() ?? 'unknown processor'}`,
    load: round2(loadavg()[0] ?? 0),
    figures: figures.map(toReported),
  }
}

const [name = '', ...options] = process.argv.slice(2)
const bench = BENCHES[name]
if (bench) {
  const printed = await run(
    bench.program,
    options.filter((option) => option !== '--save'),
  )
  if (printed) {
    const result = toResult(name, printed.figures)
    console.log(JSON.stringify({ ...result, details: printed.details }))
    if (options.includes('--save') && process.exitCode === 0) save(result)
  }
} else if (name === '--save') {
  save()
} else {
  console.log(
    Object.entries(BENCHES)
      .map(([each, { about }]) => `${each.padEnd(16)}${about}`)
      .join('\n'),
  )
  process.exitCode = name === '' ? 0 : 2
}
