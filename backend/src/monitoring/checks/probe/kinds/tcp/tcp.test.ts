import type { DefinitionOf } from '@vedette/shared'
import type { Socket } from 'node:net'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { freePort } from '../../../../../../../scripts/test-tools.ts'
import { createProber, type Prober } from '../../index.ts'
import { defineCheck } from '../../test/define-check.ts'
import { startTarget, type Target } from '../../test/targets.ts'
import { bytesOfText } from './escapes.ts'

let prober: Prober
const targets: Target[] = []
const serve = async (onConnection: (socket: Socket) => void) => {
  const target = await startTarget(onConnection)
  targets.push(target)
  return `tcp://127.0.0.1:${target.port}`
}
type Tcp = DefinitionOf<'tcp'>
const check = (url: string, options?: Partial<Tcp['options']>, change?: Partial<Pick<Tcp, 'assertions' | 'timeout'>>) =>
  prober.check(defineCheck('tcp', url, options, change))

beforeAll(() => {
  prober = createProber({ allowPrivateTargets: 'all' })
})
afterEach(async () => {
  await Promise.all(targets.splice(0).map((target) => target.close()))
})
afterAll(() => prober.close())

test('an open port is up, with the phase of its connection alone', async () => {
  const url = await serve(() => {})
  const result = await check(url)
  expect(result).toMatchObject({ outcome: 'up', address: '127.0.0.1', error: null, first_byte_ms: null, tls_ms: null })
  expect(result.response_ms).toBe(result.connect_ms)
})

test('a closed port is down', async () => {
  expect(await check(`tcp://127.0.0.1:${await freePort()}`)).toMatchObject({ outcome: 'down', error: { code: 'connect' } })
})

test.each([25, 465, 587])('mail port %i is refused', async (port) => {
  expect(await check(`tcp://127.0.0.1:${port}`)).toMatchObject({ outcome: 'down', error: { code: 'blocked' } })
})

describe('a text that is sent', () => {
  const echo = (socket: Socket) => void socket.on('data', (bytes: Buffer) => socket.write(bytes.toString().toUpperCase()))

  test('is answered with the expected one', async () => {
    const url = await serve(echo)
    expect(await check(url, { send: String.raw`ping\r\n`, expect: String.raw`PING\r\n` })).toMatchObject({
      outcome: 'up',
      error: null,
    })
  })

  test('may contain any byte', () => {
    expect(bytesOfText(String.raw`a\r\n\t\0\\n\x00\xfF\q`)).toEqual(Buffer.from('a\r\n\t\0\\n\x00\xff\\q', 'latin1'))
    expect(bytesOfText('ü')).toEqual(Buffer.from('ü'))
  })
})

describe('an expected text', () => {
  const answer = 'SSH-2.0-OpenSSH_9.2\r\n'
  test('is found wherever the answer is split', async () => {
    let cut = 0
    const url = await serve((socket) => {
      socket.write(answer.slice(0, cut))
      setTimeout(() => socket.write(answer.slice(cut)), 5)
    })
    for (cut = 1; cut < answer.length; cut += 1)
      expect(await check(url, { expect: '2.0-OpenSSH' })).toMatchObject({ outcome: 'up' })
  })

  test('is missing when the target closes at any byte before its end', async () => {
    let cut = 0
    const url = await serve((socket) => void socket.end(answer.slice(0, cut)))
    for (cut = 0; cut < 19; cut += 1) {
      const { outcome, error, answer: evidence } = await check(url, { expect: 'OpenSSH_9.2' })
      expect([outcome, error?.code, error?.message]).toEqual([
        'down',
        'protocol',
        `the expected text did not arrive: the connection was closed after ${cut} ${cut === 1 ? 'byte' : 'bytes'}`,
      ])
      expect(evidence?.status_line ?? '').toBe(answer.slice(0, cut))
    }
  })

  test('is looked for in 64 KiB of an endless answer', async () => {
    const url = await serve((socket) => {
      const flood = () => {
        while (!socket.destroyed && socket.write(Buffer.alloc(10_000, 'x')));
      }
      socket.on('drain', flood)
      flood()
    })
    expect((await check(url, { expect: 'y' })).error?.message).toContain('the limit of 64 KiB was reached after 65536 bytes')
  })

  test('is waited for until the timeout', async () => {
    const url = await serve((socket) => void socket.write('not yet'))
    const { outcome, error, answer: evidence } = await check(url, { expect: 'y2' }, { timeout: 1 })
    expect([outcome, error?.code, evidence?.status_line]).toEqual(['down', 'timeout', 'not yet'])
  })
})

describe('a body assertion', () => {
  const assertions = [{ type: 'body', operator: 'matches', value: '^SSH-2' }] as Tcp['assertions']
  test('sees the first line without an expected text', async () => {
    const url = await serve((socket) => void socket.write('SSH-2.0\r\nmore'))
    expect(await check(url, {}, { assertions })).toMatchObject({ outcome: 'up' })
  })
  test('fails with what arrived as evidence', async () => {
    const url = await serve((socket) => void socket.end('220 smtp'))
    expect(await check(url, {}, { assertions })).toMatchObject({
      outcome: 'down',
      error: { code: 'assertion' },
      answer: { status_line: '220 smtp', body: '220 smtp' },
    })
  })
})
