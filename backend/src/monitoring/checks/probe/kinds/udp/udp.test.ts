import { createSocket, type RemoteInfo, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { createProber, type Prober } from '../../index.ts'
import { checkKind, faultsOf, type KindCheck } from '../../test/kinds.ts'

let prober: Prober
const sockets: Socket[] = []
beforeAll(() => {
  prober = createProber({ allowPrivateTargets: 'all' })
})
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.close()
})
afterAll(() => prober.close())

async function serve(answer: (this: Socket, request: Buffer, from: RemoteInfo) => void): Promise<string> {
  const socket = createSocket('udp4')
  sockets.push(socket)
  socket.on('message', answer)
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  return `udp://127.0.0.1:${socket.address().port}`
}
const saying = (...answers: string[]) =>
  serve(function (_, from) {
    for (const answer of answers) this.send(answer, from.port, from.address)
  })
const check = (url: string, options: object = {}, more: KindCheck = {}) => checkKind(prober, 'udp', url, { options, ...more })

test('any answer is up without an expected text', async () => {
  const result = await check(await saying('hello'))
  expect(result).toMatchObject({ outcome: 'up', error: null, address: '127.0.0.1', connect_ms: null })
  expect(result.response_ms).toBe(result.first_byte_ms)
})

test('the text that is sent may contain any byte', async () => {
  const url = await serve(function (request, from) {
    this.send(request.toString('hex'), from.port, from.address)
  })
  const query = String.raw`\xff\xff\xff\xffTSource Engine Query\0`
  expect(await check(url, { send: query, expect: 'ffffffff5453' })).toMatchObject({ outcome: 'up' })
  expect(await check(url, { send: '', expect: '' })).toMatchObject({ outcome: 'up' })
})

test('the expected text may come in a later datagram, or across two', async () => {
  expect(await check(await saying('one', 'two'), { expect: 'two' })).toMatchObject({ outcome: 'up' })
  expect(await check(await saying('one', 'two'), { expect: 'et' })).toMatchObject({ outcome: 'up' })
})

test('another text is down, with what arrived as evidence', async () => {
  const result = await check(await saying('busy'), { expect: 'ready' }, { timeout: 1 })
  expect(result).toMatchObject({ outcome: 'down', error: { code: 'timeout' }, answer: { status_line: 'busybusy' } })
})

test('a body assertion sees the answer', async () => {
  const assertions: KindCheck['assertions'] = [{ type: 'body', operator: 'matches', value: '^b.sy$' }]
  expect(await check(await saying('busy'), {}, { assertions })).toMatchObject({ outcome: 'up' })
  expect(await check(await saying('dizzy'), {}, { assertions })).toMatchObject({
    outcome: 'down',
    error: { code: 'assertion' },
    answer: { body: 'dizzy' },
  })
})

test('64 KiB without the expected text are down', async () => {
  const url = await serve(function (_, from) {
    for (let count = 0; count < 30; count += 1) this.send(Buffer.alloc(5_000, 'x'), from.port, from.address)
  })
  expect((await check(url, { expect: 'y' })).error).toEqual({
    code: 'protocol',
    message: 'the expected text did not arrive: the limit of 64 KiB was reached after 65536 bytes',
  })
})

test.each([
  ['udp://game.test:27015', {}, []],
  ['udp://game.test', {}, ['url']],
  ['udp://game.test:1/path', {}, ['url']],
  ['udp://game.test:25', {}, ['url']],
  ['udp://game.test:1', { send: String.raw`\q` }, ['options.send']],
  ['udp://game.test:1', { expect: 'x'.repeat(1_025) }, ['options.expect']],
])('%s with %j has faults at %j', (url, options, paths) => {
  expect(faultsOf('udp', url, { options })).toEqual(paths.map((path) => expect.stringMatching(`^${path}: `)))
})
