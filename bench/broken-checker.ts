/**
 * Checks the targets of case C2 one by one, in a process of its own: Node with --expose-gc on Linux. Prints `ready`, answers a
 * `BrokenWorld` with what each check was, took and held.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { createProber } from '../backend/src/checks/probe/index.ts'
import { define } from '../backend/src/checks/probe/test/targets.ts'
import type { BrokenCase, BrokenWorld } from './broken-targets.ts'

export interface BrokenCheck {
  name: string
  expected: string
  seen: string
  ms: number
  /** Beyond its time limit; below zero where it ended before. */
  overtimeMs: number
  /** By how much the process grew at its highest, measured by the kernel. */
  grownMb: number
}

/** Only a stall is to last as long as it may; a flood of a megabyte takes its time beside other load. */
const timeoutOf = ({ name }: BrokenCase): number => (/stall/.test(name) ? 1 : 10)

const kilobytes = (name: string): number =>
  Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(readFileSync('/proc/self/status', 'utf8'))?.[1])

async function measure(prober: ReturnType<typeof createProber>, one: BrokenCase): Promise<BrokenCheck> {
  const { name, url, assertions, expected } = one
  const timeout = timeoutOf(one)
  globalThis.gc?.()
  // The kernel forgets the highest mark.
  writeFileSync('/proc/self/clear_refs', '5')
  const before = kilobytes('VmRSS')
  const beganAt = performance.now()
  const { outcome, error } = await prober.check(define(url, { assertions: [...assertions], timeout }))
  const ms = performance.now() - beganAt
  const seen = [outcome, error?.code ?? []].flat().join(' ')
  return { name, expected, seen, ms, overtimeMs: ms - timeout * 1_000, grownMb: (kilobytes('VmHWM') - before) / 1_024 }
}

async function measureAll({ cases, authority }: BrokenWorld): Promise<BrokenCheck[]> {
  const prober = createProber({ allowPrivateTargets: 'all', extraAuthorities: [authority] })
  // What the first checks of a process cost is not a target's doing: code is compiled, pools are made.
  for (let times = 0; times < 3; times += 1) for (const one of cases) if (!/stall/.test(one.name)) await measure(prober, one)
  const checks: BrokenCheck[] = []
  for (const one of cases) checks.push(await measure(prober, one))
  prober.close()
  return checks
}

process.on('message', (world: BrokenWorld) => void measureAll(world).then((checks) => process.send?.(checks)))
process.on('disconnect', () => process.exit())
console.log('ready to be told')
