/**
 * The p99 error of `response_ms` against a target that answers after 20 ms and reports how long it really took, in ms, compared with a
 * bare prober on node:http. Prints one line of JSON. Part of `npm run bench -- checks`.
 *
 *   node bench/checks/accuracy.ts [--seconds 5] [--rate 600]
 *
 * `vedetteBlocked`: the thread that schedules the checks works 100 ms of every 500, as a busy API does.
 */
import { once } from 'node:events'
import { setPriority } from 'node:os'
import { parseArgs } from 'node:util'
import { type Child, startChild } from '../lib/child.ts'
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
  const errors = times.map(([path, ms]) => Math.abs(ms - (took.get(path) ?? Number.NaN))).sort((left, right) => left - right)
  return { p99: round2(errors[Math.floor(errors.length * 0.99)] ?? Number.NaN), checks: errors.length }
}

/** Gives the target priority, where that is allowed: the time that it waits for a processor would count as an error of the checker. */
function favour(pid: number): void {
  try {
    setPriority(pid, -15)
  } catch {
    console.error('not root: under other load the targets are late themselves, and errors look larger than they are')
  }
}

const targets = await startChild({ args: ['bench/checks/slow-targets.ts'] })
favour(targets.pid)
const url = `http://127.0.0.1:${targets.ready}`
const start = (mode: string) => startChild({ args: ['bench/checks/checker.ts', mode] })
const ours = await start('vedette')
const bare = await start('node')
try {
  console.log(
    JSON.stringify({
      vedette: await measureAccuracy(ours, targets, url, 0),
      node: await measureAccuracy(bare, targets, url, 0),
      vedetteBlocked: await measureAccuracy(ours, targets, url, 100),
    }),
  )
} finally {
  for (const child of [ours, bare, targets]) await child.stop()
}
