import { MINUTE_MS } from '../../shared/src/index.ts'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { PushAnswer } from '../../shared/src/index.ts'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type RunningAgent, startAgent } from '../../agent/src/agent.ts'
import type { Sampler } from '../../agent/src/samplers/sampler.ts'
import { readStatus } from '../../agent/src/process/status.ts'
import type { HttpAnswer } from '../../agent/src/push/transport.ts'
import { FakeClock as AgentClock } from '../../agent/test/fake-clock.ts'
import { batchesOf } from '../../agent/test/stub-backend.ts'
import { START_MS } from '../../backend/test/global-setup.ts'
import { startTestBackend, type TestBackend } from '../../backend/test/harness.ts'

const TEN_MINUTES_MS = 10 * MINUTE_MS

let backend: TestBackend
beforeAll(async () => {
  backend = await startTestBackend()
})
afterAll(() => backend.close())
beforeEach(() => backend.clock.advance(START_MS - backend.clock.now()))

interface Outcome {
  sampled: number
  /** Instants that a backend stored or had stored before. */
  stored: Set<number>
  queued: number
  rejected: number
}

/**
 * Runs the agent against real backends, all clocks in the test's hand. `offsetMs` says by how much the clock of the backend that
 * answers next is off the host's, given the minutes since the start.
 */
async function run(minutes: number, offsetMs: (minute: number, request: number) => number): Promise<Outcome> {
  const { id, as } = await backend.server(await backend.organization())
  const clock = new AgentClock(START_MS)
  const pending = new Set<Promise<unknown>>()
  const stored = new Set<number>()
  let [sampled, requests] = [0, 0]
  const exchange = async (url: string, method: string, body?: Buffer): Promise<HttpAnswer> => {
    const minute = Math.floor((clock.now() - START_MS) / MINUTE_MS)
    backend.clock.advance(clock.now() + offsetMs(minute, requests++) - backend.clock.now())
    const text = body?.toString() ?? ''
    const answer = await backend.call(method, new URL(url).pathname, { as, body: text })
    if (url.endsWith('/metrics') && answer.status === 202) recordStored(text, answer.body as PushAnswer)
    return { status: answer.status, headers: {}, body: JSON.stringify(answer.body ?? '') }
  }
  const recordStored = (text: string, { rejected }: PushAnswer) => {
    const isRejected = new Set(rejected.map(({ batch, index }) => `${batch} ${index}`))
    for (const [number, { columns }] of batchesOf({ text }).entries()) {
      for (const [index, atMs] of columns.at_ms.entries()) if (!isRejected.has(`${number} ${index}`)) stored.add(atMs)
    }
  }
  const sampler: Sampler = {
    prime: () => undefined,
    read: () => Promise.resolve({ values: { memory: { used_bytes: sampled++ } }, filesystems: [], interfaces: [] }),
    staleMounts: () => [],
    hasPendingCall: () => false,
    close: () => undefined,
  }
  const stateDir = mkdtempSync(join(tmpdir(), 'vedette-clock-'))
  const settings = { configPath: '', stateDir, config: { url: 'http://127.0.0.1', token: as['x-api-key'] ?? id } }
  const agent: RunningAgent = startAgent({
    clock,
    log: () => undefined,
    sampler,
    settings,
    readSettings: () => Promise.resolve(settings),
    random: () => 0.5,
    transport: {
      send: ({ url, method, body }) => {
        const answer = exchange(url, method, body)
        pending.add(answer)
        void answer.finally(() => pending.delete(answer))
        return answer
      },
      close: () => undefined,
    },
  })
  for (let second = 0; second < minutes * 60; second++) {
    await clock.advance(1_000)
    while (pending.size > 0) await Promise.all(pending)
  }
  const stopping = agent.stop()
  for (let step = 0; step < 40; step++) {
    await clock.advance(100)
    await Promise.all(pending)
  }
  await stopping
  const status = readStatus(stateDir)
  return { sampled, stored, queued: status?.queued_samples ?? -1, rejected: status?.rejected_samples ?? -1 }
}

/** Samples of the last pushes may still be ahead of the clock when the agent stops. */
const MAX_QUEUED = 12

test.each<[string, number, (minute: number, request: number) => number]>([
  ['the clock of the backend steps back by 10 minutes for 5 minutes', 20, (at) => (at >= 3 && at < 8 ? -TEN_MINUTES_MS : 0)],
  ['the clock of the backend steps back by 10 minutes and stays there', 25, (at) => (at >= 3 ? -TEN_MINUTES_MS : 0)],
  ['two backends whose clocks differ by 10 minutes answer in turn', 20, (_, request) => (request % 2) * -TEN_MINUTES_MS],
  ['one of three backends is 10 minutes ahead', 25, (_, request) => (request % 3 === 0 ? TEN_MINUTES_MS : 0)],
])('no sample is lost when %s', async (_, minutes, offsetMs) => {
  const { sampled, stored, queued, rejected } = await run(minutes, offsetMs)
  expect(rejected).toBe(0)
  expect(sampled - stored.size).toBeLessThanOrEqual(queued)
  expect(queued).toBeLessThanOrEqual(MAX_QUEUED)
})
