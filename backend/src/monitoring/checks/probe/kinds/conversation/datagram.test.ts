import { createSocket, type RemoteInfo, Socket } from 'node:dgram'
import { once } from 'node:events'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { freePort } from '../../../../../../../scripts/test-tools.ts'
import { createProber } from '../../index.ts'
import { defineCheck } from '../../test/define-check.ts'
import { startDnsServer } from '../../test/dns-server.ts'
import { unhindered } from '../../test/targets.ts'
import type { AnyKind } from '../index.ts'
import { type Datagrams, converseByDatagrams } from './datagram.ts'

const closing: (() => unknown)[] = []
afterEach(async () => {
  await Promise.all(closing.splice(0).map((close) => close()))
})

type Answer = (this: Socket, request: Buffer, from: RemoteInfo) => void
async function serve(answer: Answer, host = '127.0.0.1', port = 0) {
  const socket = createSocket(host.includes(':') ? 'udp6' : 'udp4')
  socket.on('message', answer)
  socket.bind(port, host)
  await once(socket, 'listening')
  closing.push(() => socket.close())
  return socket
}
const echo: Answer = function (request, from) {
  this.send(request, from.port, from.address)
}

/** A check that runs these requests. */
async function run(
  port: number,
  talk: (datagrams: Datagrams) => Promise<string | Buffer>,
  { host = '127.0.0.1', timeout = 1, dnsServers = [] as string[], retries = 1 } = {},
) {
  const kind: AnyKind = {
    type: 'tcp',
    hostOf: () => host,
    start: ({ url }: { url: string }, attempt, tools) =>
      converseByDatagrams(attempt, tools, { url, defaultPort: 7, timeout, retries }, talk),
  }
  const prober = createProber({ allowPrivateTargets: 'all', dnsServers }, { kinds: [kind] })
  closing.push(() => prober.close())
  return unhindered(() => prober.check(defineCheck('tcp', `tcp://${host}:${port}`, {}, { timeout })))
}
const ping = ({ request }: Datagrams) => request(Buffer.from('ping'), (answer) => answer)

test.each(['127.0.0.1', '::1'])('an answer of %s ends the check, with the phase of its wait', async (host) => {
  const { port } = (await serve(echo, host)).address()
  const result = await run(port, ping, { host: host === '::1' ? '[::1]' : host })
  expect(result).toMatchObject({ outcome: 'up', address: host, error: null, connect_ms: null, transfer_ms: null })
  expect(result.first_byte_ms).toBeGreaterThan(0)
})

test('further requests leave by the same socket, and their wait is the transfer', async () => {
  const ports = new Set<number>()
  const { port } = (
    await serve(function (request, from) {
      ports.add(from.port)
      this.send(request, from.port, from.address)
    })
  ).address()
  const result = await run(port, async (datagrams) => {
    await ping(datagrams)
    return datagrams.request(
      ({ localAddress, localPort }) => Buffer.from(`${localAddress}:${localPort}`),
      (answer, ends) => (answer.toString() === `${ends.localAddress}:${ends.localPort}` ? answer : undefined),
    )
  })
  expect(result).toMatchObject({ outcome: 'up', transfer_ms: expect.any(Number) })
  expect(ports.size).toBe(1)
})

test('a lost request is sent again', async () => {
  let received = 0
  const { port } = (
    await serve(function (request, from) {
      received += 1
      if (received === 2) this.send(request, from.port, from.address)
    })
  ).address()
  expect(await run(port, ping)).toMatchObject({ outcome: 'up' })
  expect(received).toBe(2)
})

test('a request has no more tries than it may have', async () => {
  const received = vi.fn<Answer>()
  const { port } = (await serve(received)).address()
  expect(await run(port, ping, { retries: 0 })).toMatchObject({
    outcome: 'down',
    error: { code: 'timeout', message: 'no answer within 1 s: still waiting for the first byte of an answer' },
  })
  expect(received).toHaveBeenCalledOnce()
})

test('an answer from another port or address is passed over', async () => {
  let answered = 0
  const elsewhere = await serve(() => {}, '127.0.0.1')
  const other = await serve(() => {}, '127.0.0.9')
  const { port } = (
    await serve((request, from) => {
      answered += 1
      elsewhere.send(request, from.port, from.address)
      other.send(request, from.port, from.address)
    })
  ).address()
  expect(await run(port, ping)).toMatchObject({ outcome: 'down', error: { code: 'timeout' } })
  expect(answered).toBeGreaterThan(0)
})

test('a closed port is down at once', async () => {
  expect(await run(await freePort(), ping, { timeout: 30 })).toMatchObject({
    outcome: 'down',
    error: { code: 'connect', message: 'the connection was refused' },
  })
})

test('the next address of a name gets the next try', async () => {
  const dns = await startDnsServer((_, family) => ({ addresses: family === 4 ? ['127.0.0.4', '127.0.0.5'] : [] }))
  closing.push(() => dns.close())
  const silent = vi.fn<Answer>()
  const { port } = (await serve(silent, '127.0.0.4')).address()
  await serve(echo, '127.0.0.5', port)
  const byName = { host: 'two.test', dnsServers: [dns.address], retries: 0 }
  expect(await run(port, ping, byName)).toMatchObject({ outcome: 'up', address: '127.0.0.5' })
  expect(silent).toHaveBeenCalledOnce()
})

describe('a check that has ended', () => {
  const sockets = () => process.getActiveResourcesInfo().filter((name) => name === 'UDPWRAP').length

  test.each(['an answer', 'its timeout'])('by %s leaves no socket behind', async (how) => {
    const { port } = (await serve(how === 'an answer' ? echo : () => {})).address()
    const before = sockets()
    const results = await Promise.all(Array.from({ length: 20 }, () => run(port, ping)))
    expect(new Set(results.map(({ outcome }) => outcome))).toEqual(new Set([how === 'an answer' ? 'up' : 'down']))
    await expect.poll(sockets).toBe(before)
  })
})

test('a socket that cannot be opened is a fault of the probe', async () => {
  const bind = vi.spyOn(Socket.prototype, 'bind').mockImplementation(function (this: Socket) {
    this.emit('error', Object.assign(new Error('bind EMFILE'), { code: 'EMFILE' }))
    return this
  })
  try {
    expect(await run(9, ping)).toMatchObject({
      outcome: 'inconclusive',
      error: { message: 'the probe has no free file descriptor' },
    })
  } finally {
    bind.mockRestore()
  }
})

test('a mail port is refused', async () => {
  expect(await run(25, ping)).toMatchObject({ outcome: 'down', error: { code: 'blocked' } })
})

test('a target that answers without end and never what is wanted is down', async () => {
  const { port } = (
    await serve(function (request, from) {
      for (let sent = 0; sent < 50; sent += 1) this.send(request, from.port, from.address)
    })
  ).address()
  const never = async (datagrams: Datagrams) => {
    for (;;) await datagrams.request(Buffer.alloc(100), (answer) => (answer.length === 100 ? answer : undefined))
  }
  expect(await run(port, never, { timeout: 10 })).toMatchObject({
    outcome: 'down',
    error: { code: 'protocol', message: 'the target sent more than 1000 datagrams or 1048576 bytes' },
  })
})

test('a fault of the probe in the reading of an answer is inconclusive', async () => {
  const { port } = (await serve(echo)).address()
  const broken = ({ request }: Datagrams) =>
    request<Buffer>(Buffer.from('ping'), () => {
      throw new TypeError('no such thing')
    })
  expect(await run(port, broken)).toMatchObject({ outcome: 'inconclusive', error: { code: 'internal' } })
})
