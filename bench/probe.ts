/**
 * What one check costs and how true its time is, beside Debian's blackbox_exporter and a bare prober on node:http(s), on the same
 * targets in the same run: one JSON line.
 *
 *   npm run bench:probe -- [--rounds 7] [--seconds 2] [--in-flight 64] [--rate 600] [--only cost|accuracy]
 *
 * Cost: checks per second of CPU of the checker's whole process (/proc), saturated; the contenders take turns, and the median over
 * the rounds counts. `ratios` are ours to theirs within one round: http ≥ 1.8 and https ≥ 1.1 (aim 1.3) to blackbox.
 * Over https each check is a full handshake (TLS 1.3, ECDSA on P-256), and its certificate is verified.
 *
 * Accuracy: the error of `response_ms` against a target that answers after 20 ms and reports what it really took, in ms. `blocked`:
 * the thread that orders the checks works 100 ms of every 500, as a busy API does. Goals: p99 ≤ 1.5 × that of the bare prober, and
 * blocked ≤ 1.2 × not blocked. `flagged` is the share of checks that say themselves that they were delayed; `unflaggedP99` is of the
 * others, which alone count in averages.
 *
 * Without prometheus-blackbox-exporter (apt-get install) its part is left out, aloud. openssl makes the certificate.
 */
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { setPriority, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type Child, startChild } from './child.ts'
import { makeCertificate, startBlackbox } from './peers.ts'
import type { CheckerOrder, CheckerResult } from './probe-checker.ts'
import { cpuOf, median, memoryOf, round, round2 } from './processes.ts'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '7' },
    seconds: { type: 'string', default: '2' },
    'in-flight': { type: 'string', default: '64' },
    rate: { type: 'string', default: '600' },
    only: { type: 'string' },
  },
})
const rounds = Number(values.rounds)
const seconds = Number(values.seconds)
const inFlight = Number(values['in-flight'])
const perSecond = Number(values.rate)

const WARM_CHECKS = 2_500

/** Who checks, and whose CPU that costs. */
interface Contender {
  name: string
  child: Child
  pid: number
}

async function order(child: Child, what: CheckerOrder): Promise<CheckerResult> {
  child.process.send(what)
  const [result] = (await once(child.process, 'message')) as [CheckerResult]
  if (result.failures > 0) throw new Error(`${result.failures} of ${result.checks} checks failed: ${result.firstFailure}`)
  return result
}

/** Checks per CPU-second of each contender, round by round. */
async function measureCost(contenders: readonly Contender[], url: string) {
  const rates = new Map<string, number[]>(contenders.map(({ name }) => [name, []]))
  // Until what is hot has been compiled.
  for (const { child } of contenders)
    for (let checks = 0; checks < WARM_CHECKS; ) checks += (await order(child, { url, inFlight, seconds: 1 })).checks
  for (let index = 0; index < rounds; index++) {
    for (const { name, child, pid } of contenders) {
      const before = cpuOf(pid)
      const { checks } = await order(child, { url, inFlight, seconds })
      rates.get(name)?.push(checks / (cpuOf(pid) - before))
    }
  }
  const ours = rates.get('vedette') ?? []
  const others = contenders.filter(({ name }) => name !== 'vedette').map(({ name }) => name)
  const ratioTo = (name: string) => ours.map((rate, index) => rate / (rates.get(name)?.[index] ?? Number.NaN))
  return {
    checksPerCpuSecond: Object.fromEntries([...rates].map(([name, all]) => [name, Math.round(median(all))])),
    ratios: Object.fromEntries(others.map((name) => [name, round2(median(ratioTo(name)))])),
    rounds: Object.fromEntries(others.map((name) => [name, ratioTo(name).map(round2)])),
  }
}

async function measureAccuracy(checker: Child, targets: Child, url: string, blockMs: number) {
  const paced = Math.max(seconds, 5)
  await order(checker, { url, perSecond, seconds: 2 })
  const { times } = await order(checker, { url, perSecond, seconds: paced, blockMs })
  targets.process.send('tell')
  const [told] = (await once(targets.process, 'message')) as [[string, number][]]
  const took = new Map(told)
  const errors = times.map(([path, ms, delayed]) => ({ error: Math.abs(ms - (took.get(path) ?? Number.NaN)), delayed }))
  const sorted = (all: typeof errors) => all.map(({ error }) => error).sort((left, right) => left - right)
  const [every, unflagged] = [sorted(errors), sorted(errors.filter(({ delayed }) => !delayed))]
  const at = (list: number[], share: number) =>
    round2(list[Math.min(list.length - 1, Math.floor(list.length * share))] ?? Number.NaN)
  return {
    p50: at(every, 0.5),
    p95: at(every, 0.95),
    p99: at(every, 0.99),
    max: at(every, 1),
    flagged: round2(1 - unflagged.length / every.length),
    unflaggedP99: at(unflagged, 0.99),
    checks: every.length,
  }
}

/** Where that is allowed: a target that waits for a processor would be blamed on whoever checks it. */
function favour(pid: number): void {
  try {
    setPriority(pid, -15)
  } catch {
    console.error('not root: beside other load the targets are late themselves, and errors look larger than they are')
  }
}

const folder = mkdtempSync(join(tmpdir(), 'vedette-bench-probe-'))
const { key, cert } = makeCertificate(folder)
const targets = await startChild({ args: ['bench/probe-targets.ts', key, cert] })
favour(targets.pid)
const ports = JSON.parse(targets.ready) as { http: number; https: number; slow: number }
const start = (mode: string, ...more: string[]) => startChild({ args: ['bench/probe-checker.ts', mode, cert, ...more] })
const ours = await start('vedette')
const bare = await start('node')
const blackbox = await startBlackbox(folder, cert)
const driver = blackbox && (await start('driver', `http://127.0.0.1:${blackbox.port}`))
try {
  const contenders: Contender[] = [
    { name: 'vedette', child: ours, pid: ours.pid },
    { name: 'node', child: bare, pid: bare.pid },
    ...(blackbox && driver ? [{ name: 'blackbox', child: driver, pid: blackbox.pid }] : []),
  ]
  const cost = values.only !== 'accuracy' && {
    http: await measureCost(contenders, `http://127.0.0.1:${ports.http}/health`),
    https: await measureCost(contenders, `https://127.0.0.1:${ports.https}/health`),
    rssMb: { vedette: round(memoryOf([ours.pid]).rss), node: round(memoryOf([bare.pid]).rss) },
  }
  const slow = `http://127.0.0.1:${ports.slow}`
  const accuracy = values.only !== 'cost' && {
    vedette: await measureAccuracy(ours, targets, slow, 0),
    node: await measureAccuracy(bare, targets, slow, 0),
    vedetteBlocked: await measureAccuracy(ours, targets, slow, 100),
    nodeBlocked: await measureAccuracy(bare, targets, slow, 100),
  }
  console.log(
    JSON.stringify({
      ...(cost && { cost }),
      ...(accuracy && { accuracy }),
      inFlight,
      perSecond,
      rounds,
      missing: blackbox ? [] : ['blackbox'],
    }),
  )
} finally {
  for (const child of [ours, bare, ...(driver ? [driver] : []), targets]) await child.stop()
  await blackbox?.stop()
  rmSync(folder, { recursive: true })
}
