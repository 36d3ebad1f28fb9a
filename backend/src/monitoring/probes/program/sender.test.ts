import type { ProbeResult } from '@vedette/shared'
import { expect, it } from 'vitest'
import { createFakeClock } from '../../../../test/fake-clock.ts'
import { silentLog } from '../../../platform/logging/log.ts'
import { yieldToEventLoop } from '../../../platform/concurrency/yield-to-event-loop.ts'
import { startClaimer } from './claimer.ts'
import { type ClientResult, type BackendClient, urlFault } from './client.ts'
import { createContact } from './contact.ts'
import { startSender } from './sender.ts'
import type { Spool } from './spool.ts'

type Kind = ClientResult<unknown>['kind']

/** A probe's two ways to its backend, on a clock that stands; the backend answers as the test says. */
function talking(kept: number, kind: Kind = 'done', refusedClaims: readonly string[] = []) {
  const clock = createFakeClock(0)
  const calls: string[] = []
  const announced: string[] = []
  const world = { kind }
  const stored: string[] = []
  const errors: unknown[] = []
  let waiting = Array.from({ length: kept }, (_, n) => ({ claim: `1.${n}.1` }) as ProbeResult)
  const spool = {
    oldest: (count: number) => waiting.slice(0, count),
    remove: async (results: readonly ProbeResult[]) => void (waiting = waiting.filter((one) => !results.includes(one))),
    get waiting() {
      return waiting.length
    },
  } as unknown as Spool
  const answer = (body: unknown): ClientResult<never> =>
    world.kind === 'done'
      ? { kind: 'done', body: body as never }
      : { kind: world.kind, message: 'so it is', retryAfterMs: undefined }
  const client: BackendClient = {
    claim: async () => {
      calls.push(`claim ${clock.now()}`)
      return answer({ checks: [] })
    },
    submit: async (results) => {
      calls.push(`bring ${results.length} ${clock.now()}`)
      if (results.some(({ claim }) => refusedClaims.includes(claim)))
        return { kind: 'refused', message: '400 (results.0.error.message: must be text)' }
      if (world.kind === 'done') stored.push(...results.map(({ claim }) => claim))
      return answer({ accepted: results.length, refused: 0 })
    },
  }
  const contact = createContact('https://b', '/token', (line) => void announced.push(line.split(/\s+/)[0] ?? ''))
  const sender = startSender({
    spool,
    client,
    contact,
    clock,
    log: { ...silentLog, error: (fields: unknown) => void errors.push(fields) },
  })
  const claimer = startClaimer({
    controlTargets: () => [],
    workerId: 'w',
    client,
    contact,
    sender,
    clock,
    take: () => calls.push('taken'),
  })
  const pass = async (ms: number, step = 50) => {
    for (let passed = 0; passed < ms; passed += step) {
      clock.advance(step)
      for (let turns = 0; turns < 5; turns += 1) await yieldToEventLoop()
    }
  }
  const add = (result: ProbeResult) => {
    waiting.push(result)
    sender.wake()
  }
  return { calls, announced, world, pass, add, waiting: () => waiting.length, sender, claimer, stored, errors }
}

it('results of an earlier process are submitted before the first claim', async () => {
  const { calls, pass } = talking(600)
  await pass(1_000)
  expect(calls.slice(0, 3).map((line) => line.split(' ').slice(0, 2).join(' '))).toEqual([
    'bring 500',
    'bring 100',
    expect.stringMatching(/^claim/),
  ])
})

it('results of one moment are submitted together', async () => {
  const { calls, pass, add } = talking(0)
  await pass(100)
  for (let n = 0; n < 5; n += 1) add({ claim: `1.${n}.9` } as ProbeResult)
  await pass(500)
  expect(calls.filter((line) => line.startsWith('bring'))).toHaveLength(1)
})

it('while the backend is unreachable nothing is lost or claimed, and retries become rarer', async () => {
  const { calls, announced, world, pass, waiting } = talking(1, 'away')
  await pass(120_000)
  const times = calls.map((line) => Number(line.split(' ').at(-1)))
  const gaps = times.slice(1).map((time, index) => time - (times[index] ?? 0))
  expect(gaps[0]).toBeLessThanOrEqual(1_100)
  expect(gaps.at(-1)).toBeGreaterThanOrEqual(30_000)
  expect(calls.every((line) => line.startsWith('bring 1'))).toBe(true)
  expect(waiting()).toBe(1)
  world.kind = 'done'
  await pass(31_000)
  expect(waiting()).toBe(0)
  expect(calls.at(-1)).toMatch('taken')
  expect(announced).toEqual(['backend', 'backend'])
})

it('an unknown token is reported once and retried every minute', async () => {
  const { calls, announced, world, pass } = talking(0, 'unknown')
  await pass(300_000, 500)
  expect(calls.length).toBeLessThanOrEqual(6)
  expect(announced).toEqual(['token'])
  world.kind = 'done'
  await pass(61_000, 500)
  expect(announced).toEqual(['token', 'backend'])
  expect(calls).toContain('taken')
})

it('of a refused batch only the refused results are discarded and logged, and all others arrive once', async () => {
  const refused = ['1.0.1', '1.250.1', '1.499.1']
  const { pass, waiting, calls, stored, errors } = talking(500, 'done', refused)
  await pass(60_000)
  expect(waiting()).toBe(0)
  expect(stored).toEqual(Array.from({ length: 500 }, (_, n) => `1.${n}.1`).filter((claim) => !refused.includes(claim)))
  expect(errors).toEqual(refused.map((claim) => ({ claim, reason: '400 (results.0.error.message: must be text)' })))
  // Each of the three is found by halves, and each success doubles the next request.
  expect(calls.filter((line) => line.startsWith('bring')).length).toBeLessThan(80)
})

it('a refused batch of results does not block the others', async () => {
  const { world, pass, add, waiting, calls } = talking(1, 'refused')
  await pass(1_000)
  expect(waiting()).toBe(0)
  world.kind = 'done'
  add({ claim: '1.1.1' } as ProbeResult)
  await pass(1_000)
  expect(calls.filter((line) => line.startsWith('bring 1'))).toHaveLength(2)
})

it.each([
  'https://vedette.example.com',
  'https://vedette.example.com/base/',
  'http://127.0.0.1:8080',
  'http://localhost:8080',
  'http://[::1]:8080',
])('accepts the URL %s', (url) => expect(urlFault(url)).toBeUndefined())

it.each([
  ['http://192.0.2.1:8080', /must be https/],
  ['http://127.0.0.1.example.com', /must be https/],
  ['ftp://example.com', /must be a URL/],
  ['nonsense', /must be a URL/],
  ['https://user:secret@example.com', /only host/],
  ['https://example.com/?a=b', /only host/],
])('refuses the URL %s', (url, fault) => expect(urlFault(url)).toMatch(fault))
