import { describe, expect, test } from 'vitest'
import type { PushAnswer } from '@vedette/shared'
import { FakeClock } from '../test/fake-clock.ts'
import { accepted, batchesOf, refusal, type StubAnswer } from '../test/stub-backend.ts'
import type { LogFields } from './log.ts'
import { Loop } from './loop.ts'
import { type Credentials, Pusher } from './pusher.ts'
import type { HostWatch } from './samplers/host-watch.ts'
import { spoolInMemory } from '../test/spool.ts'
import type { HttpAnswer } from './transport.ts'

interface Push {
  atMs: number
  token: string
  text: string
  samples: number[]
}

/** An agent whose host, backend and time are in the test's hand. */
function agentInHand(fixed: { sampleSeconds?: number; pushSeconds?: number } = {}, watch?: HostWatch) {
  const clock = new FakeClock()
  const startMs = clock.now()
  const pushes: Push[] = []
  const logged: [string, LogFields | undefined][] = []
  const hand = {
    answer: (_push: Push): StubAnswer | 'no connection' => accepted({ server_time: new Date(clock.now()).toISOString() }),
    stored: { url: 'http://x', token: 'first' } satisfies Credentials,
  }
  const log = (_level: string, message: string, fields?: LogFields) => void logged.push([message, fields])
  const queue = spoolInMemory(clock, log)
  const pusher: Pusher = new Pusher({
    clock,
    log,
    queue,
    bootId: 'boot',
    random: () => 0.5,
    credentials: { ...hand.stored },
    readCredentials: () => Promise.resolve({ ...hand.stored }),
    send: (to, body) => {
      const text = body.toString()
      const push = {
        atMs: clock.now() - startMs,
        token: to.token,
        text,
        samples: batchesOf({ text }).flatMap((batch) => batch.columns.at_ms),
      }
      pushes.push(push)
      const answer = hand.answer(push)
      if (answer === 'no connection') return Promise.resolve<HttpAnswer>({ status: 0, reason: 'ECONNREFUSED' })
      return Promise.resolve<HttpAnswer>({
        status: answer.status,
        headers: answer.headers ?? {},
        body: JSON.stringify(answer.body),
      })
    },
    onAccepted: (answer: PushAnswer, localMs) => loop.follow(answer, localMs),
    onChange: () => undefined,
  })
  const gaps: number[] = []
  const loop = new Loop({
    clock,
    log,
    pusher,
    fixed,
    spool: queue,
    watch,
    sampler: {
      prime: () => undefined,
      read: (maxGapMs) => {
        gaps.push(maxGapMs)
        return Promise.resolve({ values: { cpu: { percent: 1 } }, filesystems: [], interfaces: [] })
      },
      staleMounts: () => [],
      hasCallOut: () => false,
      close: () => undefined,
    },
  })
  return { clock, startMs, queue, pushes, logged, hand, pusher, loop, gaps }
}

describe('what is looked at before a push', () => {
  const processes = [{ pid: 1, name: 'init', cpu_percent: 1, memory_bytes: 1 }]

  test('goes with that batch alone, off the path of samples [AGENT-34]', async () => {
    let looks = 0
    const slow = Promise.withResolvers<void>()
    const { clock, loop, pushes } = agentInHand(
      {},
      {
        prime: () => Promise.resolve(),
        look: async () => {
          if (++looks === 2) await slow.promise
          return { processes, host: { uptime_seconds: looks } }
        },
      },
    )
    loop.start()
    await clock.advance(1_000)
    const batch = (index: number) => batchesOf(pushes[index] ?? { text: '' })[0]
    expect(batch(0)).toMatchObject({ processes, host: { uptime_seconds: 1 }, filesystems: [] })
    // A look that hangs holds up no sample, and what is taken meanwhile is in its batch.
    await clock.advance(75_000)
    expect(pushes).toHaveLength(1)
    slow.resolve()
    await clock.advance(500)
    expect(batch(1)).toMatchObject({ host: { uptime_seconds: 2 } })
    expect(pushes[1]?.samples).toHaveLength(7)
    await clock.advance(5_000)
    clock.setWall(3_600_000)
    await clock.advance(15_000)
    // The clock jumped, so a batch is cut: it has no look of its own.
    expect(batch(2)).not.toHaveProperty('host')
    expect(batch(2)).not.toHaveProperty('processes')
  })
})

describe('sampling', () => {
  test('the first sample goes out at once, then a push a minute with samples on whole tens [REG-04, SAMPLE-16]', async () => {
    const { clock, startMs, loop, pushes } = agentInHand()
    loop.start()
    await clock.advance(1_000)
    expect(pushes.map((push) => push.samples.map((at) => at - startMs))).toEqual([[1_000]])
    await clock.advance(60_000)
    expect(pushes).toHaveLength(2)
    // It started at :03, so that whole tens are 7 s later.
    expect(pushes[1]?.samples.map((at) => at - startMs)).toEqual([7_000, 17_000, 27_000, 37_000, 47_000, 57_000])
    expect(batchesOf(pushes[1] ?? { text: '' })[0]).toMatchObject({ agent_version: '0.1.0', filesystems: [], interfaces: [] })
    await clock.advance(3_600_000)
    expect(pushes).toHaveLength(62)
    expect(new Set(pushes.flatMap((push) => push.samples.slice(1)).map((at) => at % 10_000))).toEqual(new Set([0]))
  })

  test('the intervals of an answer hold at once [AGENT-10]', async () => {
    const { clock, loop, pushes, hand, gaps } = agentInHand()
    hand.answer = () =>
      accepted({ sample_interval_seconds: 2, push_interval_seconds: 6, server_time: new Date(clock.now()).toISOString() })
    loop.start()
    await clock.advance(1_000)
    await clock.advance(12_000)
    // The pushes fall on the instants of samples, which then go with the next one.
    expect(pushes.map((push) => push.samples.length)).toEqual([1, 2, 3])
    expect(gaps.at(-1)).toBe(6_000)
  })

  test('intervals that the own config fixes stay, and wishes out of bounds are not followed [AGENT-11]', async () => {
    const fixed = agentInHand({ sampleSeconds: 10, pushSeconds: 60 })
    const free = agentInHand()
    for (const { clock, loop, hand } of [fixed, free]) {
      const wish =
        fixed.loop === loop ? { sample_interval_seconds: 2 } : { sample_interval_seconds: 0, push_interval_seconds: 1e9 }
      hand.answer = () => accepted(wish)
      loop.start()
      await clock.advance(1_000)
      expect(loop.intervals).toEqual({ sampleSeconds: 10, pushSeconds: 60 })
    }
  })
})

describe('a backend that is away', () => {
  test('nothing is lost or changed: newest first, then the backlog from its oldest, at most a try a second', async () => {
    const { clock, startMs, loop, pushes, hand, queue } = agentInHand()
    const good = hand.answer
    loop.start()
    await clock.advance(1_000)
    hand.answer = () => 'no connection'
    await clock.advance(600_000)
    const failed = pushes.splice(0)
    expect(queue.length).toBe(10)
    hand.answer = good
    await clock.advance(70_000)
    const first = pushes[0]?.samples ?? []
    const second = pushes[1]?.samples ?? []
    expect(Math.min(...first)).toBeGreaterThan(Math.max(...second) - 60_000)
    expect(second).toEqual(second.toSorted((a, b) => a - b))
    const all = [...failed.slice(0, 1), ...pushes].flatMap((push) => push.samples).map((at) => at - startMs)
    expect(all.toSorted((a, b) => a - b)).toEqual([1_000, ...Array.from({ length: 66 }, (_, index) => 7_000 + index * 10_000)])
    expect(queue.length).toBe(0)
    const instants = [...failed, ...pushes].map((push) => push.atMs)
    instants.slice(1).forEach((at, index) => expect(at - (instants[index] ?? 0)).toBeGreaterThanOrEqual(1_000))
  })

  test('a batch is the same bytes at every try [AGENT-08]', async () => {
    const { clock, loop, pushes, hand } = agentInHand()
    hand.answer = () => 'no connection'
    loop.start()
    await clock.advance(20_000)
    expect(pushes.length).toBeGreaterThan(2)
    expect(new Set(pushes.map((push) => push.text)).size).toBe(1)
  })

  test('503 with Retry-After: silence for that long, then all of it', async () => {
    const { clock, loop, pushes, hand } = agentInHand()
    const good = hand.answer
    hand.answer = () => refusal(503, 'unavailable', { 'retry-after': '100' })
    loop.start()
    await clock.advance(100_900)
    expect(pushes).toHaveLength(1)
    hand.answer = good
    await clock.advance(3_000)
    expect(pushes.slice(1).flatMap((push) => push.samples)).toHaveLength(7)
  })
})

describe('a token that is refused', () => {
  test('stops pushing, keeps all samples, and goes on with a new token within a minute [AGENT-01, AGENT-02, AGENT-03, AGENT-04, AGENT-06]', async () => {
    const { clock, loop, pushes, hand, pusher, logged, queue } = agentInHand()
    const good = hand.answer
    hand.answer = (push) => (push.token === 'first' ? refusal(401, 'unauthorized') : good(push))
    loop.start()
    await clock.advance(300_000)
    expect(pushes).toHaveLength(1)
    expect(pusher.record).toMatchObject({ state: 'refused', lastError: '401 unauthorized: because unauthorized' })
    expect(logged.map(([message]) => message).join()).toContain('refuses the token')
    expect(JSON.stringify(logged)).not.toContain('first')
    expect(queue.length).toBe(5)
    hand.stored.token = 'second'
    await clock.advance(65_000)
    expect(pusher.record.state).toBe('pushing')
    expect(queue.length).toBe(0)
    expect(new Set(pushes.slice(1).flatMap((push) => push.samples)).size).toBe(1 + 36)
  })
})

describe('a push that cannot be taken', () => {
  test('413 halves the request until it fits; nothing is dropped', async () => {
    const { clock, loop, pushes, hand, queue } = agentInHand()
    const good = hand.answer
    hand.answer = () => 'no connection'
    loop.start()
    await clock.advance(900_000)
    hand.answer = (push) => (batchesOf(push).length > 4 ? refusal(413, 'payload_too_large') : good(push))
    await clock.advance(120_000)
    expect(queue.totals.droppedSamples).toBe(0)
    const taken = pushes
      .filter((push) => batchesOf(push).length <= 4)
      .slice(-20)
      .flatMap((push) => push.samples)
    expect(new Set(taken).size).toBeGreaterThanOrEqual(1 + 15 * 6)
  })

  test('400 for one batch drops that one only, counted and said', async () => {
    const { clock, loop, hand, logged, queue } = agentInHand()
    const good = hand.answer
    hand.answer = () => 'no connection'
    loop.start()
    await clock.advance(300_000)
    hand.answer = (push) => (push.text.includes('"batch-2"') ? refusal(400, 'validation_error') : good(push))
    await clock.advance(90_000)
    expect(queue.totals.droppedSamples).toBe(6)
    expect(queue.length).toBe(0)
    expect(logged.map(([message]) => message)).toContain('dropped a batch that the backend cannot take')
  })
})

describe('a clock that is wrong', () => {
  test('more than 30 s off: the samples after the first answer are corrected, and it is said [SAMPLE-17, SAMPLE-18]', async () => {
    const { clock, startMs, loop, pushes, hand, logged } = agentInHand()
    hand.answer = () => accepted({ server_time: new Date(clock.now() + 120_000).toISOString() })
    loop.start()
    await clock.advance(61_000)
    expect(pushes[0]?.samples[0]).toBe(startMs + 1_000)
    expect(pushes[1]?.samples[0]).toBe(startMs + 7_000 + 120_000)
    expect(logged).toContainEqual([expect.stringContaining('30 s off'), { offsetSeconds: 120 }])
  })

  test('30 s off is left alone [SAMPLE-17]', async () => {
    const { clock, startMs, loop, pushes, hand } = agentInHand()
    hand.answer = () => accepted({ server_time: new Date(clock.now() - 30_000).toISOString() })
    loop.start()
    await clock.advance(61_000)
    expect(pushes[1]?.samples[0]).toBe(startMs + 7_000)
  })

  test('a clock that is set between two samples: those before keep their correction, those after need none', async () => {
    const { clock, startMs, loop, pushes, hand } = agentInHand()
    hand.answer = () => accepted({ server_time: new Date(startMs + 3_600_000 + 2_000).toISOString() })
    loop.start()
    await clock.advance(8_000)
    clock.setWall(3_600_000)
    await clock.advance(20_000)
    const [, before] = pushes
    expect(before?.samples).toHaveLength(1)
    expect((before?.samples[0] ?? 0) - startMs - 7_000).toBeGreaterThan(3_590_000)
  })
})

describe('the end', () => {
  test('sends what is pending once', async () => {
    const { clock, loop, pusher, pushes, queue } = agentInHand()
    loop.start()
    await clock.advance(30_000)
    await loop.stop()
    await Promise.all([pusher.stop(2_000), clock.advance(2_000)])
    expect(pushes.flatMap((push) => push.samples)).toHaveLength(4)
    expect(queue.length).toBe(0)
    await clock.advance(600_000)
    expect(pushes).toHaveLength(2)
  })

  test('a backend that is away is asked once, and what stays in the spool is said', async () => {
    const { clock, loop, pusher, pushes, hand, logged } = agentInHand()
    hand.answer = () => 'no connection'
    loop.start()
    await clock.advance(1_500)
    const before = pushes.length
    await loop.stop()
    await Promise.all([pusher.stop(2_000), clock.advance(2_000)])
    await clock.advance(600_000)
    expect(pushes.length).toBe(before + 1)
    expect(logged.map(([message]) => message)).toContain('stopped with samples that are not delivered yet')
  })
})
