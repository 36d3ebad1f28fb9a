/**
 * The error of `response_ms` against a target that answers after 20 ms and reports how long it really took, in ms, compared with a bare
 * prober on node:http(s). Prints one line of JSON. Part of `npm run bench -- checks`.
 *
 *   node bench/checks/accuracy.ts [--seconds 5] [--rate 600]
 *
 * `vedetteBlocked`: the thread that schedules the checks works 100 ms of every 500, as a busy API does. `flagged` is the share of checks
 * that report that they were delayed; `unflaggedP99` is of the others, which alone count in averages. openssl makes the certificate.
 */
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { setPriority, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type Child, startChild } from '../lib/child.ts'
import { makeCertificate } from '../lib/peers.ts'
import type { CheckerOrder, CheckerResult } from './checker.ts'
import { round2 } from '../lib/processes.ts'

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '5' },
    rate: { type: 'string', default: '600' },
  },
})
const seconds = Number(values.seconds)
const perSecond = Number(values.rate)

async function order(child: Child, what: CheckerOrder): Promise<CheckerResult> {
  child.process.send(what)
  const [result] = (await once(child.process, 'message')) as [CheckerResult]
  if (result.failures > 0) throw new Error(`${result.failures} of ${result.checks} checks failed: ${result.firstFailure}`)
  return result
}

async function measureAccuracy(checker: Child, targets: Child, url: string, blockMs: number) {
  await order(checker, { url, perSecond, seconds: 2 })
  const { times } = await order(checker, { url, perSecond, seconds, blockMs })
  targets.process.send('report')
  const [reported] = (await once(targets.process, 'message')) as [[string, number][]]
  const took = new Map(reported)
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

/** Gives the target priority, where that is allowed: the time that it waits for a processor would count as an error of the checker. */
function favour(pid: number): void {
  try {
    setPriority(pid, -15)
  } catch {
    console.error('not root: under other load the targets are late themselves, and errors look larger than they are')
  }
}

const folder = mkdtempSync(join(tmpdir(), 'vedette-bench-probe-'))
const { key, cert } = makeCertificate(folder)
const targets = await startChild({ args: ['bench/checks/slow-targets.ts', key, cert] })
favour(targets.pid)
const ports = JSON.parse(targets.ready) as { http: number; https: number; slow: number }
const start = (mode: string) => startChild({ args: ['bench/checks/checker.ts', mode, cert] })
const ours = await start('vedette')
const bare = await start('node')
try {
  const slow = `http://127.0.0.1:${ports.slow}`
  console.log(
    JSON.stringify({
      vedette: await measureAccuracy(ours, targets, slow, 0),
      node: await measureAccuracy(bare, targets, slow, 0),
      vedetteBlocked: await measureAccuracy(ours, targets, slow, 100),
      nodeBlocked: await measureAccuracy(bare, targets, slow, 100),
    }),
  )
} finally {
  for (const child of [ours, bare, targets]) await child.stop()
  rmSync(folder, { recursive: true })
}
