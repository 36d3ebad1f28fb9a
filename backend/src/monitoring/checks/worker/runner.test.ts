import type { CheckDefinition, CheckResult } from '@vedette/shared'
import { describe, expect, it } from 'vitest'
import { createFakeClock } from '../../../../test/fake-clock.ts'
import { silentLog } from '../../../platform/logging/log.ts'
import { yieldToEventLoop } from '../../../platform/concurrency/yield-to-event-loop.ts'
import { skippedResult } from '../status/inconclusive.ts'
import { NO_CONTROL } from '../test/workers.ts'
import { concurrencyLimit, createRunner, type PlannedCheck } from './runner.ts'

const START = 10_000

interface CompletedRun {
  key: string
  outcome: string
  at: number
}

/** A runner on a clock that stands, with a prober whose checks end when the test says so. */
function running(options: { hostLimit?: number; isNetworkGone?: boolean } = {}) {
  const clock = createFakeClock(START)
  const waiting = new Map<string, (result: CheckResult) => void>()
  const begun: string[] = []
  const startAt = new Map<string, number>()
  const made: CompletedRun[] = []
  const { hostLimit } = options
  const runner = createRunner<PlannedCheck>({
    clock,
    now: () => clock.now(),
    log: silentLog,
    prober: {
      check: (definition, startAtMs) =>
        new Promise((resolve) => {
          begun.push(definition.url)
          startAt.set(definition.url, startAtMs)
          waiting.set(definition.url, resolve)
        }),
    },
    control: {
      ...NO_CONTROL,
      isNetworkDown: async () => options.isNetworkGone ?? false,
    },
    complete: (plan, result, at) => {
      made.push({ key: plan.key, outcome: result.outcome, at })
      runner.release(plan.key, plan.fence)
    },
    ...(hostLimit === undefined ? {} : { hostLimit }),
  })
  const pass = async (ms: number) => {
    clock.advance(ms)
    for (let turns = 0; turns < 5; turns += 1) await yieldToEventLoop()
  }
  const end = async (url: string, result: Partial<CheckResult> = {}) => {
    waiting.get(url)?.({ ...skippedResult(''), outcome: 'up', error: null, ...result })
    await pass(0)
  }
  return { runner, begun, startAt, made, pass, end, clock }
}

const plan = (name: string, more: Partial<PlannedCheck> = {}): PlannedCheck => ({
  key: name,
  fence: 1,
  dueAtMs: START,
  nextDueMs: START + 10_000,
  leaseUntilMs: START + 5_000,
  definition: { url: `http://${name}.test/`, timeout: 5, options: {} } as CheckDefinition,
  ...more,
})
const plans = (count: number, more: Partial<PlannedCheck> = {}) =>
  Array.from({ length: count }, (_, n) => plan(`host-${n}`, more))

describe('a runner', () => {
  it('hands each check to the prober shortly before it is due, and passes its result on', async () => {
    const { runner, begun, startAt, made, pass, end } = running()
    runner.add([plan('a', { dueAtMs: START + 200 }), plan('b')])
    await pass(1)
    expect(begun).toEqual(['http://b.test/'])
    await pass(98)
    expect(begun).toEqual(['http://b.test/'])
    await pass(51)
    expect(begun).toEqual(['http://b.test/', 'http://a.test/'])
    expect(startAt.get('http://a.test/')).toBe(START + 200)
    await pass(60)
    await end('http://a.test/')
    expect(made).toEqual([{ key: 'a', outcome: 'up', at: START + 210 }])
  })

  it('refuses a second check of one that is planned or running', async () => {
    const { runner, begun, pass, end } = running()
    expect(runner.add([plan('a')])).toEqual([])
    const again = plan('a', { fence: 2 })
    expect(runner.add([again])).toEqual([again])
    await pass(1)
    expect(runner.add([again])).toEqual([again])
    await end('http://a.test/')
    expect(runner.add([again])).toEqual([])
    await pass(1)
    expect(begun).toHaveLength(2)
  })

  it('does not start a dropped check', async () => {
    const { runner, begun, pass } = running()
    runner.add([plan('a', { dueAtMs: START + 500 })])
    runner.drop(['a'])
    await pass(600)
    expect(begun).toEqual([])
    expect([...runner.entries()]).toEqual([])
  })

  it('limits running checks to its concurrency and counts those that wait', async () => {
    const { runner, begun, pass, end } = running()
    runner.add(plans(70))
    await pass(1)
    expect(begun).toHaveLength(64)
    expect(runner.stats()).toMatchObject({ started: 64, queued: 6, inFlight: 64, concurrency: 64 })
    await end('http://host-0.test/')
    expect(begun).toHaveLength(65)
    runner.setConcurrency(100)
    await pass(1)
    expect(begun).toHaveLength(70)
  })

  it('records a check that could not begin before the next one as inconclusive [CHECK-07]', async () => {
    const { runner, begun, made, pass } = running()
    runner.add(plans(66, { leaseUntilMs: START + 60_000 }))
    await pass(10_001)
    expect(begun).toHaveLength(0)
    expect(made.map(({ outcome }) => outcome)).toEqual(Array.from({ length: 66 }, () => 'inconclusive'))
    expect(runner.stats()).toMatchObject({ skipped: 66, started: 0 })
  })

  it('records a check that waits in vain while all slots are still taken', async () => {
    const { runner, begun, made, pass, end } = running()
    runner.add(plans(65, { leaseUntilMs: START + 60_000 }))
    await pass(1)
    await pass(10_001)
    expect(made).toEqual([])
    runner.skipOverdue()
    expect(made).toMatchObject([{ outcome: 'inconclusive', at: START + 10_002 }])
    await end(begun[0] ?? '')
    expect(begun).toHaveLength(64)
  })

  it('does not start a check whose lease has expired', async () => {
    const { runner, begun, made, pass } = running()
    runner.add([plan('a', { leaseUntilMs: START + 5_000 })])
    // The process was stopped for a while.
    await pass(6_000)
    expect(begun).toEqual([])
    expect(made).toEqual([])
    expect([...runner.entries()]).toEqual([])
  })

  it('limits checks per host without delaying other hosts', async () => {
    const { runner, begun, pass, end } = running({ hostLimit: 2 })
    const one = (n: number) =>
      plan(`same-${n}`, { definition: { url: `http://same.test/${n}`, timeout: 5, options: {} } as CheckDefinition })
    runner.add([one(1), one(2), one(3), plan('other')])
    await pass(1)
    expect(begun).toHaveLength(3)
    expect(begun).toContain('http://other.test/')
    await end(begun.find((url) => url.includes('same')) ?? '')
    expect(new Set(begun).size).toBe(4)
  })

  it('starts other checks at the same instants whether or not some names fail', async () => {
    const kinds = ['nxdomain', 'servfail', 'silent', 'flips']
    const instantsOf = async (failing: readonly string[]) => {
      const { runner, begun, pass, end, clock, made } = running({ isNetworkGone: false })
      const at = new Map<string, number>()
      const due = (name: string, n: number) => plan(name, { dueAtMs: START + 10 * n, leaseUntilMs: START + 60_000 })
      runner.add(
        Array.from({ length: 20 }, (_, n) =>
          [`healthy-${n}`, ...failing.map((kind) => `${kind}-${n}`)].map((name) => due(name, n)),
        ).flat(),
      )
      for (let passed = 0; passed < 400; passed += 1) {
        await pass(1)
        for (const url of begun.filter((one) => !at.has(one))) {
          at.set(url, clock.now())
          const isDns = /nxdomain|servfail/.test(url)
          // Those that are silent hold their slots to the end.
          if (!url.includes('silent'))
            await end(url, isDns ? { outcome: 'down', error: { code: 'dns', message: 'no name' } } : {})
        }
      }
      return {
        at: [...at].filter(([url]) => url.includes('healthy')),
        begun: at.size,
        down: made.filter(({ outcome }) => outcome === 'down').length,
      }
    }
    const alone = await instantsOf([])
    const withFailing = await instantsOf(kinds)
    expect(alone.at).toHaveLength(20)
    expect(withFailing).toMatchObject({ at: alone.at, begun: 100, down: 40 })
  })

  it('starts nothing after the end', async () => {
    const { runner, begun, pass } = running()
    runner.add([plan('a', { dueAtMs: START + 500 })])
    runner.close()
    await pass(600)
    expect(begun).toEqual([])
  })
})

describe('a fault of ours', () => {
  const failed = (code: string, message: string, more: object = {}) =>
    ({ outcome: 'down', error: { code, message }, ...more }) as Partial<CheckResult>

  it.each<[string, Partial<CheckResult>, boolean | undefined, string]>([
    ['a timeout', failed('timeout', 'no answer within 5 s'), undefined, 'down'],
    ['a timeout while we were busy', failed('timeout', 'no answer within 5 s', { delayed: true }), undefined, 'inconclusive'],
    ['a status while we were busy', failed('status', '500', { delayed: true }), undefined, 'down'],
    ['a refused connection', failed('connect', 'connect ECONNREFUSED 192.0.2.1:443'), undefined, 'down'],
    ['a refused connection, control targets reached', failed('connect', 'ECONNREFUSED'), false, 'down'],
    ['no name, no control target either', failed('dns', 'queryA ETIMEOUT'), true, 'inconclusive'],
    ['a timeout, no control target either', failed('timeout', 'no answer'), true, 'inconclusive'],
    ['a wrong status, no control target', failed('status', '500'), true, 'down'],
    ['a bad certificate, no control target', failed('tls', 'expired'), true, 'down'],
  ])('%s', async (_, result, isNetworkGone, outcome) => {
    const { runner, made, pass, end } = running(isNetworkGone === undefined ? {} : { isNetworkGone })
    runner.add([plan('a')])
    await pass(1)
    await end('http://a.test/', result)
    expect(made.map((one) => one.outcome)).toEqual([outcome])
  })

  it('a prober that fails makes the check inconclusive', async () => {
    const clock = createFakeClock(START)
    const made: CheckResult[] = []
    const runner = createRunner<PlannedCheck>({
      clock,
      now: () => clock.now(),
      log: silentLog,
      prober: { check: () => Promise.reject(new Error('the thread died')) },
      control: NO_CONTROL,
      complete: (_, result) => void made.push(result),
    })
    runner.add([plan('a')])
    clock.advance(1)
    for (let turns = 0; turns < 5; turns += 1) await yieldToEventLoop()
    expect(made).toMatchObject([{ outcome: 'inconclusive', error: { code: 'internal' } }])
  })
})

it.each([
  [0, 1_000_000, 64],
  [1, 1_000_000, 64],
  [1_000, 1_000_000, 1_200],
  [10_000, 4_256, 2_000],
  [10_000, 100, 64],
])('a load of %i hanging checks with %i files gives a concurrency of %i', (load, files, bound) => {
  expect(concurrencyLimit(load, files)).toBe(bound)
})
