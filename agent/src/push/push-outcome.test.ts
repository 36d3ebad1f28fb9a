import { describe, expect, test } from 'vitest'
import { backoffMs } from './backoff.ts'
import { classifyAnswer, parseRetryAfter } from './push-outcome.ts'

const ANSWER = { accepted: 1, duplicates: 0, rejected: [], server_time: '2026-11-20T18:00:00.000Z' }
const envelope = JSON.stringify({ error: { code: 'x', message: 'words', request_id: 'r' } })

test.each<[number, string, string]>([
  [202, JSON.stringify(ANSWER), 'accepted'],
  [202, '', 'retry'],
  [200, '<html>log in to the Wi-Fi</html>', 'retry'],
  [202, '{"accepted":1}', 'retry'],
  [301, '', 'retry'],
  [400, envelope, 'unacceptable'],
  [401, envelope, 'refused'],
  [403, envelope, 'refused'],
  [401, '<html>a proxy wants a password</html>', 'retry'],
  [403, '<html>a firewall says no</html>', 'retry'],
  [404, envelope, 'retry'],
  [409, envelope, 'cloned'],
  [409, '<html>', 'retry'],
  [413, '<html>a proxy says so</html>', 'retry'],
  [400, '{}', 'retry'],
  [413, envelope, 'unacceptable'],
  [429, envelope, 'retry'],
  [500, 'oops', 'retry'],
  [503, envelope, 'retry'],
])('%i %s: %s', (status, body, kind) => {
  expect(classifyAnswer({ status, headers: {}, body }, 0).kind).toBe(kind)
})

test("the reason contains the backend's message", () => {
  expect(classifyAnswer({ status: 401, headers: {}, body: envelope }, 0)).toEqual({ kind: 'refused', reason: '401 x: words' })
})

test('no answer is a reason to retry', () => {
  expect(classifyAnswer({ status: 0, reason: 'refused' }, 0)).toEqual({ kind: 'retry', reason: 'refused' })
})

describe('Retry-After', () => {
  test('is respected on 429 and 503', () => {
    expect(classifyAnswer({ status: 503, headers: { 'retry-after': '7' }, body: '' }, 0)).toMatchObject({
      kind: 'retry',
      afterMs: 7_000,
    })
  })
  test.each([
    [undefined, undefined],
    ['0', 0],
    ['7', 7_000],
    ['999999', 900_000],
    ['Thu, 01 Jan 1970 00:00:09 GMT', 8_000],
    ['Wed, 01 Jan 1969 00:00:00 GMT', 0],
    ['soon', undefined],
    ['-5', undefined],
    ['x GMT', undefined],
  ])('%s', (value, afterMs) => {
    expect(parseRetryAfter(value, 1_000)).toBe(afterMs)
  })
})

test.each([
  [1, 0.999, 1_998],
  [2, 0.5, 2_000],
  [5, 0.5, 16_000],
  [6, 0.999999, 64_000],
  [99, 0.999999, 64_000],
  [1, 0, 1_000],
  [50, 0, 1_000],
])('after %i failures a draw of %d waits %i ms', (failures, random, ms) => expect(backoffMs(failures, random)).toBe(ms))
