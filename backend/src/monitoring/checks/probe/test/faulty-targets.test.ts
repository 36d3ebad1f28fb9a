import { once } from 'node:events'
import type { CheckResult, DefinitionOf } from '@vedette/shared'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { freePort } from '../../../../../../scripts/test-tools.ts'
import { createProber, type Prober } from '../index.ts'
import { BROKEN_ANSWERS, type BrokenAnswer, cutAnswers, sendBroken, WITH_LENGTH } from './broken-answers.ts'
import { answerOf, define, readRequest, startTarget, type Target, unhindered } from './targets.ts'

/**
 * Case C2 of the catalogue of faults, without its TLS part: targets that break off, flood or lie. Each check ends by itself, with the
 * right code. That it ends within its timeout is the prober's deadline, which the stalling ones here and the bench show.
 */
let prober: Prober
const targets: Target[] = []
const open = async (target: Promise<Target>) => {
  targets.push(await target)
  return targets.at(-1) as Target
}
const check = (url: string, change: Partial<DefinitionOf<'http'>> = {}) => prober.check(define(url, change))
const evaluation = ({ outcome, error }: CheckResult) => [outcome, error?.code ?? []].flat().join(' ')

beforeAll(() => {
  prober = createProber({ allowPrivateTargets: 'all' })
})
afterEach(async () => {
  await Promise.all(targets.splice(0).map((target) => target.close()))
})
afterAll(() => prober.close())

/** A target that answers `/n` as the n-th of these. */
const answering = (answers: readonly BrokenAnswer[]) =>
  open(
    startTarget((socket) =>
      readRequest(socket, (request) => sendBroken(socket, answers[Number(/ \/(\d+)/.exec(request)?.[1])] as BrokenAnswer)),
    ),
  )

test.each(['closed', 'reset'] as const)(
  'an answer that is %s before any of its bytes is a protocol error [CHECK-05]',
  async (end) => {
    const answers = cutAnswers(end)
    expect(answers.length).toBeGreaterThan(300)
    const target = await answering(answers)
    const results = await Promise.all(answers.map((_, n) => check(`${target.url}/${n}`)))
    const wrong = results.flatMap((result, n) =>
      evaluation(result) === 'down protocol' ? [] : [[answers[n]?.name, evaluation(result)]],
    )
    expect(wrong).toEqual([])
    expect(results.every(({ response_ms }) => response_ms === null)).toBe(true)
  },
)

describe('a response', () => {
  test.each(BROKEN_ANSWERS)('of $name is $expected [CHECK-01, CHECK-05]', async (answer) => {
    // Made before the check begins: to compress 200 MB takes seconds of its time on a slow machine.
    const bytes = typeof answer.bytes === 'function' ? answer.bytes() : answer.bytes
    const target = await answering([{ ...answer, bytes }])
    const result = await unhindered(() => check(`${target.url}/0`, { assertions: [...answer.assertions] }))
    expect(evaluation(result)).toBe(answer.expected)
  })

  test.each([
    [0, 'the first byte of an answer'],
    [10, 'the rest of the answer'],
    [WITH_LENGTH.length - 1, 'the rest of the answer'],
  ])('that stalls after %d bytes is a timeout whose message names the phase [CHECK-05]', async (length, words) => {
    const target = await open(startTarget((socket) => readRequest(socket, () => socket.write(WITH_LENGTH.slice(0, length)))))
    // Long enough for a busy machine to get as far as the bytes that there are.
    const result = await unhindered(() => check(target.url, { timeout: 3 }))
    expect(result.error).toEqual({ code: 'timeout', message: `no answer within 3 s: still waiting for ${words}` })
    expect(result).toMatchObject({ outcome: 'down', response_ms: null, status_code: length > 50 ? 200 : null })
  })

  test('that arrives before the request was sent is accepted', async () => {
    const target = await open(startTarget((socket) => socket.end(answerOf('too early'))))
    expect((await check(target.url)).outcome).toBe('up')
  })
})

describe('a connection', () => {
  test('that is refused has an error message of its own [CHECK-05]', async () => {
    expect(await check(`http://127.0.0.1:${await freePort()}`)).toMatchObject({
      outcome: 'down',
      error: { code: 'connect', message: 'the connection was refused' },
    })
  })

  test('is closed at once when the check ends', async () => {
    let closed: Promise<unknown> = Promise.resolve()
    const target = await open(
      startTarget((socket) => {
        closed = once(socket, 'end')
        socket.resume()
      }),
    )
    expect((await unhindered(() => check(target.url, { timeout: 1 }))).error?.code).toBe('timeout')
    await closed
  })
})

test('faulty targets leave no open connection behind', async () => {
  expect(prober.stats().inFlight).toBe(0)
})
