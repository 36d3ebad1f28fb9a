import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { isMissing } from '../../../../../../../../scripts/test-tools.ts'
import { createProber, type Prober } from '../../../index.ts'
import { checkKind, faultsOf, type KindCheck } from '../../../test/kinds.ts'
import type { Server } from '../../../test/servers.ts'
import { decodeReply, offsetMs } from '../packets.ts'
import { startNtpd } from './ntpd.ts'

let prober: Prober
const sockets: Socket[] = []
beforeAll(() => {
  prober = createProber({ allowPrivateTargets: 'all' })
})
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.close()
})
afterAll(() => prober.close())

/** Seconds from 1900 to 1970. */
const EPOCH = 2_208_988_800

interface Reply {
  head?: string
  /** How far its clock is ahead. */
  aheadMs?: number
  cookie?: Buffer
}

function timestamp(unixMs: number): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeUInt32BE((Math.floor(unixMs / 1_000) + EPOCH) % 2 ** 32)
  bytes.writeUInt32BE(Math.floor(((unixMs % 1_000) / 1_000) * 2 ** 32), 4)
  return bytes
}
/** Leap, version and mode, stratum, poll and precision; root delay and dispersion; reference; then the times. */
const HEAD = '240206e80000400000008000c0000201'
const replyTo = (request: Buffer, { head = HEAD, aheadMs = 0, cookie = request.subarray(40, 48) }: Reply = {}) =>
  Buffer.concat([
    Buffer.from(head, 'hex'),
    Buffer.alloc(8),
    cookie,
    timestamp(Date.now() + aheadMs),
    timestamp(Date.now() + aheadMs),
  ])

async function serve(answer: (request: Buffer, send: (reply: Buffer) => void) => void): Promise<number> {
  const socket = createSocket('udp4')
  sockets.push(socket)
  socket.on('message', (request, from) => answer(request, (reply) => socket.send(reply, from.port, from.address)))
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  return socket.address().port
}
const check = (port: number, more: KindCheck = {}) => checkKind(prober, 'ntp', `ntp://127.0.0.1:${port}`, more)
const answering = (reply: Reply) => serve((request, send) => send(replyTo(request, reply)))

describe.skipIf(isMissing('ntpd', 'root'))('a check of NTP', () => {
  let server: Server
  beforeAll(async () => {
    server = await startNtpd()
  })
  afterAll(() => server.stop())

  test('reads stratum and offset once the server has a time, and its one phase is its response time', async () => {
    await expect.poll(async () => (await checkKind(prober, 'ntp', 'ntp://127.0.0.1')).outcome, { timeout: 20_000 }).toBe('up')
    const { outcome, error, facts, first_byte_ms, response_ms } = await checkKind(prober, 'ntp', 'ntp://127.0.0.1')
    expect([outcome, error, facts['stratum'], facts['leap'], facts['reference']]).toEqual(['up', null, 5, 'none', '127.0.0.1'])
    expect(Math.abs(Number(facts['offset_ms']))).toBeLessThan(250)
    expect(first_byte_ms).toBe(response_ms)
  })

  test('an assertion on the stratum decides', async () => {
    const assertions = [{ type: 'stratum', operator: 'less_than', value: 4 }] as never
    expect(await checkKind(prober, 'ntp', 'ntp://127.0.0.1', { assertions })).toMatchObject({
      outcome: 'down',
      error: { code: 'assertion' },
    })
  })
})

describe('a reply', () => {
  test('of a clock that is ahead or behind has the offset', async () => {
    for (const aheadMs of [5_000, -86_400_000]) {
      const { outcome, facts } = await check(await answering({ aheadMs }))
      expect([outcome, Math.round(Number(facts['offset_ms']) / 1_000) * 1_000]).toEqual(['up', aheadMs])
    }
    expect((await check(await answering({}))).facts).toMatchObject({
      stratum: 2,
      root_delay_ms: 250,
      root_dispersion_ms: 500,
      reference: '192.0.2.1',
    })
  })

  test('of a clock of stratum 1 names its source', async () => {
    const port = await answering({ head: '640106e80000000000000000' + Buffer.from('GPS\0').toString('hex') })
    expect((await check(port)).facts).toMatchObject({ stratum: 1, reference: 'GPS', leap: 'insert' })
  })

  test.each([
    ['that refuses', '240006e80000000000000000' + Buffer.from('RATE').toString('hex'), 'the server refused the request (RATE)'],
    [
      'without a time yet',
      'e40006e80000000000000000' + Buffer.from('INIT').toString('hex'),
      'the server says that its own clock is not synchronized',
    ],
    ['with the warning', 'e40206e80000000000000000c0000201', 'the server says that its own clock is not synchronized'],
    ['of stratum 16', '241006e80000000000000000c0000201', 'the server says that its own clock is not synchronized'],
    ['of a client', '230206e80000000000000000c0000201', 'the target does not speak NTP'],
  ])('%s is down', async (_, head, message) => {
    expect((await check(await answering({ head }))).error).toEqual({ code: 'protocol', message })
  })

  test('to another request is passed over', async () => {
    const port = await serve((request, send) => {
      send(replyTo(request, { cookie: Buffer.alloc(8), aheadMs: 60_000 }))
      send(replyTo(request))
    })
    expect(Math.abs(Number((await check(port)).facts['offset_ms']))).toBeLessThan(250)
  })

  test('to a repeated request counts, and the lost one costs the offset nothing', async () => {
    let requests = 0
    const port = await serve((request, send) => void (++requests > 1 && send(replyTo(request))))
    const { outcome, facts } = await check(port)
    expect([outcome, requests]).toEqual(['up', 2])
    expect(Math.abs(Number(facts['offset_ms']))).toBeLessThan(250)
  })

  test('that is cut anywhere is down', async () => {
    for (let length = 0; length < 48; length += 1) {
      const port = await serve((request, send) => send(replyTo(request).subarray(0, length)))
      expect((await check(port)).error?.message).toBe('the target does not speak NTP')
    }
  })

  test('that never comes is down', async () => {
    expect(await check(await serve(() => {}), { timeout: 1 })).toMatchObject({ outcome: 'down', error: { code: 'timeout' } })
  })
})

test.each([
  ['of today', Date.parse('2026-11-30T12:00:00.250Z')],
  ['in the last second of the era', Date.parse('2036-02-07T06:28:15.900Z')],
  ['in the first second of the next era', Date.parse('2036-02-07T06:28:16.100Z')],
])('the offset is exact %s', (_, now) => {
  const cookie = Buffer.from('01234567')
  const bytes = Buffer.concat([Buffer.from(HEAD, 'hex'), Buffer.alloc(8), cookie, timestamp(now + 1_510), timestamp(now + 1_520)])
  const reply = decodeReply(bytes, cookie)
  // 20 ms on the way, of which 10 at the server: the clock is 1.505 s ahead.
  expect(reply && offsetMs(reply, now, now + 20)).toBeCloseTo(1_505, 3)
})

test.each([
  ['ntp://time.test', []],
  ['ntp://time.test:1123', []],
  ['ntp://time.test/pool', ['url']],
])('the URL %s has faults at %j', (url, paths) => {
  expect(faultsOf('ntp', url)).toEqual(paths.map((path) => expect.stringMatching(`^${path}: `)))
})
