import { describe, expect, test } from 'vitest'
import type { PushAnswer } from '@vedette/shared'
import { BINARY_PUSH_TYPE, decodeBinaryPush } from '@vedette/shared/metrics/binary-push'
import { decodeInstants } from '@vedette/shared/metrics/block'
import { FakeClock } from '../test/fake-clock.ts'
import { accepted, batchesOf, refusal, type StubAnswer } from '../test/stub-backend.ts'
import { EntityCollector } from './entities/collector.ts'
import type { EntityEvent, EntitySource } from './entities/source.ts'
import type { LogFields } from './process/log.ts'
import { Loop } from './loop.ts'
import { type Credentials, Pusher } from './push/pusher.ts'
import type { PushForm } from './spool/batch.ts'
import type { HostDetailsReader } from './samplers/host-details.ts'
import { createTestSpool } from '../test/spool.ts'
import type { HttpAnswer } from './push/transport.ts'

interface Push {
  atMs: number
  token: string
  text: string
  form: PushForm
  samples: number[]
}

function samplesIn(body: Buffer, form: PushForm): number[] {
  if (form === 'json') return batchesOf({ text: body.toString() }).flatMap((batch) => batch.columns.at_ms)
  return decodeBinaryPush(body).batches.flatMap(({ block, t0Ms }) => [...decodeInstants(block, t0Ms)])
}

/** An agent with a fake host, backend and clock. */
function simulateAgent(
  fixed: { sampleSeconds?: number; pushSeconds?: number } = {},
  hostDetails?: HostDetailsReader,
  sources: readonly EntitySource[] = [],
) {
  const clock = new FakeClock()
  const startMs = clock.now()
  const pushes: Push[] = []
  const logged: [string, LogFields | undefined][] = []
  const fake = {
    answer: (_push: Push): StubAnswer | 'no connection' => accepted({ server_time: new Date(clock.now()).toISOString() }),
    stored: { url: 'http://x', token: 'first' } satisfies Credentials,
  }
  const log = (_level: string, message: string, fields?: LogFields) => void logged.push([message, fields])
  const queue = createTestSpool(clock, log)
  const pusher: Pusher = new Pusher({
    clock,
    log,
    queue,
    bootId: 'boot',
    random: () => 0.5,
    credentials: { ...fake.stored },
    readCredentials: () => Promise.resolve({ ...fake.stored }),
    send: (to, body, form) => {
      const text = body.toString()
      const push = {
        atMs: clock.now() - startMs,
        token: to.token,
        text,
        form,
        samples: samplesIn(body, form),
      }
      pushes.push(push)
      const answer = fake.answer(push)
      if (answer === 'no connection') return Promise.resolve<HttpAnswer>({ status: 0, reason: 'ECONNREFUSED' })
      return Promise.resolve<HttpAnswer>({
        status: answer.status,
        headers: answer.headers ?? {},
        body: JSON.stringify(answer.body),
      })
    },
    onAccepted: (answer: PushAnswer, localMs) => loop.applyAnswer(answer, localMs),
    onChange: () => undefined,
  })
  const gaps: number[] = []
  const entities = new EntityCollector({ clock, log, sources }, () => loop.pushSoon())
  const loop: Loop = new Loop({
    clock,
    log,
    pusher,
    entities,
    fixed,
    spool: queue,
    hostDetails,
    sampler: {
      prime: () => undefined,
      read: (maxGapMs) => {
        gaps.push(maxGapMs)
        return Promise.resolve({ values: { cpu: { percent: 1 } }, filesystems: [], interfaces: [] })
      },
      staleMounts: () => [],
      hasPendingCall: () => false,
      close: () => undefined,
    },
  })
  return { clock, startMs, queue, pushes, logged, fake, pusher, loop, gaps }
}

describe('the host details before a push', () => {
  const processes = [{ pid: 1, name: 'init', cpu_percent: 1, memory_bytes: 1 }]

  test('are sent with one batch only and delay no sample [AGENT-34]', async () => {
    let reads = 0
    const slow = Promise.withResolvers<void>()
    const { clock, loop, pushes } = simulateAgent(
      {},
      {
        prime: () => Promise.resolve(),
        read: async () => {
          if (++reads === 2) await slow.promise
          return { processes, host: { uptime_seconds: reads } }
        },
      },
    )
    loop.start()
    await clock.advance(1_000)
    const batch = (index: number) => batchesOf(pushes[index] ?? { text: '' })[0]
    expect(batch(0)).toMatchObject({ processes, host: { uptime_seconds: 1 }, filesystems: [] })
    // A reading that hangs delays no sample, and samples taken meanwhile are in its batch.
    await clock.advance(75_000)
    expect(pushes).toHaveLength(1)
    slow.resolve()
    await clock.advance(500)
    expect(batch(1)).toMatchObject({ host: { uptime_seconds: 2 } })
    expect(pushes[1]?.samples).toHaveLength(7)
    await clock.advance(5_000)
    clock.setWall(3_600_000)
    await clock.advance(15_000)
    // The clock jumped, so a batch is cut: it has no host details.
    expect(batch(2)).not.toHaveProperty('host')
    expect(batch(2)).not.toHaveProperty('processes')
  })
})

test('samples contain the last reading of the host state until three readings are missing [SAMPLE-15]', async () => {
  let reads = 0
  const hanging = Promise.withResolvers<void>()
  const { clock, loop, pushes, queue } = simulateAgent(
    {},
    {
      prime: () => Promise.resolve(),
      read: async () => {
        if (++reads > 2) await hanging.promise
        return { host: { uptime_seconds: 5 }, gauges: { failed_units: reads - 1 } }
      },
    },
  )
  const columns = (index: number) => batchesOf(pushes[index] ?? { text: '' })[0]?.columns
  loop.start()
  await clock.advance(61_000)
  // The first sample is older than the first reading.
  expect(columns(0)).not.toHaveProperty('host')
  expect(columns(1)?.host).toEqual({ failed_units: [0, 0, 0, 0, 0, 0] })
  expect(batchesOf(pushes[1] ?? { text: '' })[0]).not.toHaveProperty('gauges')
  await clock.advance(300_000)
  hanging.resolve()
  await clock.advance(1_000)
  expect(columns(2)?.host?.['failed_units']).toEqual([
    ...Array.from({ length: 18 }, () => 1),
    ...Array.from({ length: 12 }, () => null),
  ])
  expect(queue.samples).toBe(0)
})

describe('entities', () => {
  const read = () => Promise.resolve([{ kind: 'container' as const, name: 'web', values: { running: 1 } }])

  test('are read before each push, and stand in one batch', async () => {
    const { clock, loop, pushes } = simulateAgent({}, undefined, [{ name: 'containers', read }])
    loop.start()
    await clock.advance(61_000)
    const batches = pushes.map((push) => batchesOf(push)[0])
    expect(batches.map((batch) => batch?.entities)).toEqual([
      [{ kind: 'container', name: 'web', values: { running: 1 } }],
      [{ kind: 'container', name: 'web', values: { running: 1 } }],
    ])
    expect(batches[1]?.entities_at).toBe('2026-11-20T18:01:04.000Z')
    await clock.advance(10_000)
    clock.setWall(3_600_000)
    await clock.advance(20_000)
    expect(batchesOf(pushes[2] ?? { text: '' })[0]).not.toHaveProperty('entities')
  })

  test('what happens to one is pushed within seconds, a storm every five, and the rhythm goes on', async () => {
    let report: (event: EntityEvent) => void = () => undefined
    const watch = (to: typeof report) => {
      report = to
    }
    const { clock, loop, pushes, startMs } = simulateAgent({}, undefined, [{ name: 'containers', read, watch }])
    loop.start()
    await clock.advance(26_000)
    const died = () =>
      report({ at: new Date(clock.now()).toISOString(), kind: 'container', name: 'web', type: 'died', exit_code: 3 })
    for (let event = 0; event < 3; event++) {
      died()
      await clock.advance(1_000)
    }
    await clock.advance(4_000)
    expect(pushes.map(({ atMs }) => atMs)).toEqual([1_000, 26_000, 31_000])
    const events = pushes.map((push) => batchesOf(push)[0]?.entity_events?.map(({ at }) => Date.parse(at) - startMs))
    expect(events).toEqual([undefined, [26_000], [27_000, 28_000]])
    await clock.advance(60_000)
    expect(pushes.slice(3).map(({ atMs }) => atMs)).toEqual([91_000])
    expect(pushes.flatMap(({ samples }) => samples).map((at) => at - startMs)).toEqual([
      1_000, 7_000, 17_000, 26_000, 31_000, 37_000, 47_000, 57_000, 67_000, 77_000, 87_000,
    ])
  })
})

describe('sampling', () => {
  test('the first sample is pushed at once, then every minute with samples on multiples of ten seconds [REG-04, SAMPLE-16]', async () => {
    const { clock, startMs, loop, pushes } = simulateAgent()
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

  test('the intervals of an answer apply at once [AGENT-10]', async () => {
    const { clock, loop, pushes, fake, gaps } = simulateAgent()
    fake.answer = () =>
      accepted({ sample_interval_seconds: 2, push_interval_seconds: 6, server_time: new Date(clock.now()).toISOString() })
    loop.start()
    await clock.advance(1_000)
    await clock.advance(12_000)
    // The pushes fall on the instants of samples, which then go with the next one.
    expect(pushes.map((push) => push.samples.length)).toEqual([1, 2, 3])
    expect(gaps.at(-1)).toBe(6_000)
  })

  test('the intervals of the config win over the answer, and intervals out of range are ignored [AGENT-11]', async () => {
    const fixed = simulateAgent({ sampleSeconds: 10, pushSeconds: 60 })
    const free = simulateAgent()
    for (const { clock, loop, fake } of [fixed, free]) {
      const intervals =
        fixed.loop === loop ? { sample_interval_seconds: 2 } : { sample_interval_seconds: 0, push_interval_seconds: 1e9 }
      fake.answer = () => accepted(intervals)
      loop.start()
      await clock.advance(1_000)
      expect(loop.intervals).toEqual({ sampleSeconds: 10, pushSeconds: 60 })
    }
  })
})

describe('a backend that is unreachable', () => {
  test('loses and changes no sample: the newest goes first, then the backlog from the oldest, at most one attempt a second', async () => {
    const { clock, startMs, loop, pushes, fake, queue } = simulateAgent()
    const good = fake.answer
    loop.start()
    await clock.advance(1_000)
    fake.answer = () => 'no connection'
    await clock.advance(600_000)
    const failed = pushes.splice(0)
    expect(queue.length).toBe(10)
    fake.answer = good
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

  test('gets the same bytes of a batch at every attempt [AGENT-08]', async () => {
    const { clock, loop, pushes, fake } = simulateAgent()
    fake.answer = () => 'no connection'
    loop.start()
    await clock.advance(20_000)
    expect(pushes.length).toBeGreaterThan(2)
    expect(new Set(pushes.map((push) => push.text)).size).toBe(1)
  })

  test('gets no push during Retry-After and everything afterwards', async () => {
    const { clock, loop, pushes, fake } = simulateAgent()
    const good = fake.answer
    fake.answer = () => refusal(503, 'unavailable', { 'retry-after': '100' })
    loop.start()
    await clock.advance(100_900)
    expect(pushes).toHaveLength(1)
    fake.answer = good
    await clock.advance(3_000)
    expect(pushes.slice(1).flatMap((push) => push.samples)).toHaveLength(7)
  })
})

describe('the binary form', () => {
  const offered = (clock: FakeClock, type = BINARY_PUSH_TYPE) => ({
    ...accepted({ server_time: new Date(clock.now()).toISOString() }),
    headers: { accept: `${type}, application/json` },
  })

  test('is sent from the answer on that offers it, with the same samples [AGENT-08]', async () => {
    const { clock, loop, pushes, fake } = simulateAgent()
    fake.answer = () => offered(clock, 'text/plain')
    loop.start()
    await clock.advance(61_000)
    fake.answer = () => offered(clock)
    await clock.advance(180_000)
    expect(pushes.map(({ form }) => form)).toEqual(['json', 'json', 'json', 'binary', 'binary'])
    expect(pushes.map(({ samples }) => samples.length)).toEqual([1, 6, 6, 6, 6])
  })

  test.each([400, 415])('that is refused with %i is sent as JSON at once, and nothing is dropped', async (status) => {
    const { clock, loop, pushes, fake, queue } = simulateAgent()
    fake.answer = () => offered(clock)
    loop.start()
    await clock.advance(1_000)
    fake.answer = ({ form }) => (form === 'binary' ? refusal(status, 'refused') : accepted())
    await clock.advance(180_000)
    expect(pushes.map(({ form }) => form)).toEqual(['json', 'binary', 'json', 'json', 'json'])
    expect(new Set(pushes.flatMap(({ samples }) => samples)).size).toBe(1 + 18)
    expect([queue.length, queue.totals.droppedSamples]).toEqual([0, 0])
  })
})

describe('a token that is refused', () => {
  test('stops the pushes, keeps all samples, and is logged without the token [AGENT-01, AGENT-02, AGENT-04]', async () => {
    const { clock, loop, pushes, fake, pusher, logged, queue } = simulateAgent()
    fake.answer = () => refusal(401, 'unauthorized')
    loop.start()
    await clock.advance(300_000)
    expect(pushes).toHaveLength(1)
    expect(pusher.stats).toMatchObject({ state: 'refused', lastError: '401 unauthorized: because unauthorized' })
    expect(logged.map(([message]) => message).join()).toContain('refuses the token')
    expect(JSON.stringify(logged)).not.toContain('first')
    expect(queue.length).toBe(5)
  })

  test('is replaced within a minute by a new token, and all kept samples are sent [AGENT-03, AGENT-06]', async () => {
    const { clock, loop, pushes, fake, pusher, queue } = simulateAgent()
    const good = fake.answer
    fake.answer = (push) => (push.token === 'first' ? refusal(401, 'unauthorized') : good(push))
    loop.start()
    await clock.advance(300_000)
    fake.stored.token = 'second'
    await clock.advance(65_000)
    expect(pusher.stats.state).toBe('pushing')
    expect(queue.length).toBe(0)
    expect(new Set(pushes.slice(1).flatMap((push) => push.samples)).size).toBe(1 + 36)
  })
})

describe('a push that is rejected', () => {
  test('with 413 is halved until it fits, and nothing is dropped', async () => {
    const { clock, loop, pushes, fake, queue } = simulateAgent()
    const good = fake.answer
    fake.answer = () => 'no connection'
    loop.start()
    await clock.advance(900_000)
    fake.answer = (push) => (batchesOf(push).length > 4 ? refusal(413, 'payload_too_large') : good(push))
    await clock.advance(120_000)
    expect(queue.totals.droppedSamples).toBe(0)
    const taken = pushes
      .filter((push) => batchesOf(push).length <= 4)
      .slice(-20)
      .flatMap((push) => push.samples)
    expect(new Set(taken).size).toBeGreaterThanOrEqual(1 + 15 * 6)
  })

  test('with 400 for one sample drops, counts and logs only that sample', async () => {
    const { clock, loop, fake, logged, queue, pushes } = simulateAgent()
    const good = fake.answer
    fake.answer = () => 'no connection'
    loop.start()
    await clock.advance(300_000)
    const wrong = queue
      .oldest(10)
      .flatMap((batch) => batchesOf({ text: `{"batches":[${batch.bytes.toString()}]}` })[0]?.columns.at_ms ?? [])[15]
    queue.endAttempt()
    const stored = new Set<number>()
    fake.answer = (push) => {
      if (push.samples.includes(wrong as number)) return refusal(400, 'validation_error')
      for (const atMs of push.samples) stored.add(atMs)
      return good(push)
    }
    await clock.advance(90_000)
    expect(queue.totals.droppedSamples).toBe(1)
    expect(queue.length).toBe(0)
    expect(logged.filter(([message]) => message === 'dropped a sample that the backend never accepts')).toHaveLength(1)
    const taken = new Set(pushes.flatMap(({ samples }) => samples))
    expect(taken.size).toBeGreaterThanOrEqual(1 + 5 * 6)
    expect([...taken].filter((atMs) => !stored.has(atMs))).toEqual([wrong])
  })

  test.each<PushForm>(['json', 'binary'])('with 400 in the %s form loses only the value that the backend names', async (form) => {
    const reading = (name: string) => ({ kind: 'battery' as const, name, values: { charge_percent: 100, load_percent: 7 } })
    const source = { name: 'UPS', read: () => Promise.resolve([reading('one'), reading('two')]) }
    const { clock, loop, fake, logged, queue, pushes } = simulateAgent({}, undefined, [source])
    const offer = form === 'binary' ? { headers: { accept: BINARY_PUSH_TYPE } } : {}
    const stateOf = (push: Push) => (push.form === 'json' ? batchesOf(push)[0]?.entities : undefined)
    fake.answer = (push) => {
      const isWrong =
        push.form === 'json' ? stateOf(push)?.[1]?.values['load_percent'] !== undefined : push.text.includes('"two"')
      const details = [{ path: 'batches.0.entities.1.values.load_percent', message: 'must be less' }]
      if (isWrong) return { status: 400, body: { error: { code: 'validation_error', message: 'not valid', details } } }
      return { ...accepted({ server_time: new Date(clock.now()).toISOString() }), ...offer }
    }
    loop.start()
    await clock.advance(130_000)
    expect([queue.length, queue.totals.droppedSamples]).toEqual([0, 0])
    const parts = pushes.filter((push) => stateOf(push)?.[1]?.values['load_percent'] === undefined && stateOf(push))
    expect(parts.length).toBeGreaterThanOrEqual(2)
    for (const push of parts)
      expect(stateOf(push)?.map(({ values }) => values)).toEqual([
        { charge_percent: 100, load_percent: 7 },
        { charge_percent: 100 },
      ])
    expect(logged).toContainEqual([
      'the backend refuses a part of a batch: the batch is divided',
      { field: 'entities.1.values.load_percent', reason: 'must be less' },
    ])
  })

  test('with 400 for what is in no batch keeps all batches, and is tried again', async () => {
    const { clock, loop, fake, queue, pushes } = simulateAgent()
    const details = [{ path: 'boot_id', message: 'must have 1 to 128 characters' }]
    fake.answer = () => ({ status: 400, body: { error: { code: 'validation_error', message: 'not valid', details } } })
    loop.start()
    await clock.advance(300_000)
    expect([queue.length, queue.samples, queue.totals.droppedSamples]).toEqual([5, 25, 0])
    expect(pushes.length).toBeGreaterThan(2)
  })
})

describe("samples that are too far ahead of the backend's clock", () => {
  const ahead = (clock: FakeClock, changes: object = {}) =>
    accepted({
      accepted: 0,
      rejected: [{ batch: 0, index: 0, code: 'too_far_ahead', message: 'ahead' }],
      server_time: new Date(clock.now() - 600_000).toISOString(),
      ...changes,
    })

  test('stay in the spool, hold up no other batch, and are sent again after a minute', async () => {
    const { clock, startMs, loop, pushes, fake, pusher, queue, logged } = simulateAgent()
    const good = fake.answer
    fake.answer = (push) => (pushes.length === 1 ? ahead(clock) : good(push))
    loop.start()
    await clock.advance(60_000)
    expect(pushes).toHaveLength(1)
    expect(queue.samples).toBe(1)
    expect(pusher.stats.rejectedSamples).toBe(0)
    expect(logged.map(([message]) => message)).toContain(
      "samples are too far ahead of the backend's clock: kept in the spool and sent again later",
    )
    await clock.advance(65_000)
    expect(pushes.map((push) => push.samples.length)).toEqual([1, 6, 1, 6])
    expect(pushes[2]?.samples).toEqual([startMs + 1_000])
    expect(queue.length).toBe(0)
  })

  test('are rejected for good when they are more than a week ahead, as are other invalid samples', async () => {
    const { clock, loop, fake, pusher, queue } = simulateAgent()
    const answers = [
      ahead(clock, { server_time: new Date(clock.now() - 8 * 86_400_000).toISOString() }),
      ahead(clock, { rejected: [{ batch: 0, index: 0, code: 'invalid_value', message: 'negative' }] }),
      ahead(clock, { rejected: [{ batch: 0, index: 0, code: 'too_old', message: 'old' }] }),
    ]
    fake.answer = () => answers.shift() ?? accepted()
    loop.start()
    await clock.advance(125_000)
    expect(pusher.stats.rejectedSamples).toBe(3)
    expect(queue.length).toBe(0)
  })
})

describe('a clock that is wrong', () => {
  test('and is set back gives no two samples the same instant', async () => {
    const { clock, loop, pushes } = simulateAgent()
    loop.start()
    await clock.advance(61_000)
    clock.setWall(-60_000)
    await clock.advance(60_000)
    clock.setWall(-60_000)
    await clock.advance(130_000)
    const instants = pushes.flatMap((push) => push.samples)
    expect(instants.length).toBeGreaterThan(20)
    expect(new Set(instants).size).toBe(instants.length)
  })

  test('by more than 30 s: samples after the first answer are corrected, and that is logged [SAMPLE-17, SAMPLE-18]', async () => {
    const { clock, startMs, loop, pushes, fake, logged } = simulateAgent()
    fake.answer = () => accepted({ server_time: new Date(clock.now() + 120_000).toISOString() })
    loop.start()
    await clock.advance(61_000)
    expect(pushes[0]?.samples[0]).toBe(startMs + 1_000)
    expect(pushes[1]?.samples[0]).toBe(startMs + 7_000 + 120_000)
    expect(logged).toContainEqual([expect.stringContaining('30 s off'), { offsetSeconds: 120 }])
  })

  test('by any time: the state of the host says how far, once the backend has said its time', async () => {
    const reader = { prime: () => Promise.resolve(), read: async () => ({ processes: [], host: { uptime_seconds: 5 } }) }
    const { clock, loop, pushes, fake } = simulateAgent({}, reader)
    fake.answer = () => accepted({ server_time: new Date(clock.now() - 45_000).toISOString() })
    loop.start()
    await clock.advance(61_000)
    const hostOf = (index: number) => batchesOf(pushes[index] ?? { text: '' })[0]?.['host']
    expect([hostOf(0), hostOf(1)]).toEqual([{ uptime_seconds: 5 }, { uptime_seconds: 5, clock_offset_seconds: 45 }])
  })

  test('by 30 s: samples are not corrected [SAMPLE-17]', async () => {
    const { clock, startMs, loop, pushes, fake } = simulateAgent()
    fake.answer = () => accepted({ server_time: new Date(clock.now() - 30_000).toISOString() })
    loop.start()
    await clock.advance(61_000)
    expect(pushes[1]?.samples[0]).toBe(startMs + 7_000)
  })

  test('and is set between two samples: earlier samples keep their correction, later ones need none', async () => {
    const { clock, startMs, loop, pushes, fake } = simulateAgent()
    fake.answer = () => accepted({ server_time: new Date(startMs + 3_600_000 + 2_000).toISOString() })
    loop.start()
    await clock.advance(8_000)
    clock.setWall(3_600_000)
    await clock.advance(20_000)
    const [, before] = pushes
    expect(before?.samples).toHaveLength(1)
    expect((before?.samples[0] ?? 0) - startMs - 7_000).toBeGreaterThan(3_590_000)
  })
})

describe('stopping the agent', () => {
  test('sends the pending samples once', async () => {
    const { clock, loop, pusher, pushes, queue } = simulateAgent()
    loop.start()
    await clock.advance(30_000)
    await loop.stop()
    await Promise.all([pusher.stop(2_000), clock.advance(2_000)])
    expect(pushes.flatMap((push) => push.samples)).toHaveLength(4)
    expect(queue.length).toBe(0)
    await clock.advance(600_000)
    expect(pushes).toHaveLength(2)
  })

  test('tries an unreachable backend once and logs what stays in the spool', async () => {
    const { clock, loop, pusher, pushes, fake, logged } = simulateAgent()
    fake.answer = () => 'no connection'
    loop.start()
    await clock.advance(1_500)
    const before = pushes.length
    await loop.stop()
    await Promise.all([pusher.stop(2_000), clock.advance(2_000)])
    await clock.advance(600_000)
    expect(pushes.length).toBe(before + 1)
    expect(logged.map(([message]) => message)).toContain('stopped with undelivered samples: the next start sends them')
  })
})
