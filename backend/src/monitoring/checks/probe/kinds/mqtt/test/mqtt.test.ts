import { once } from 'node:events'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isMissing } from '../../../../../../../../scripts/test-tools.ts'
import { createProber, type Prober } from '../../../index.ts'
import { makeCertificate } from '../../../test/certificates.ts'
import { checkKind, faultsOf, type KindCheck } from '../../../test/kinds.ts'
import { startTarget } from '../../../test/targets.ts'
import { type Mosquitto, PASSWORD, startMosquitto, USERNAME } from './mosquitto.ts'

const authority = makeCertificate({ name: 'authority', isAuthority: true })
const certificate = makeCertificate({ name: 'broker', names: ['localhost'], issuer: authority })

describe.skipIf(isMissing('mosquitto'))('a check of MQTT', () => {
  let broker: Mosquitto
  let prober: Prober

  beforeAll(async () => {
    broker = await startMosquitto(certificate)
    prober = createProber({ allowPrivateTargets: 'all', extraAuthorities: [authority.cert] })
    await publish('plant/temperature', '21.5', 1)
    await publish('plant/state', '{"ok":true,"pumps":[{"name":"a","rpm":900}]}', 1)
  })
  afterAll(async () => {
    prober.close()
    await broker.stop()
  })

  /** With QoS 0, by hand: a client of 3.1.1 that connects, publishes and leaves. */
  async function publish(topic: string, text: string, retain = 0): Promise<void> {
    const socket = connect(broker.open, '127.0.0.1')
    const body = Buffer.from(`\0${String.fromCharCode(topic.length)}${topic}${text}`)
    socket.write(
      Buffer.concat([Buffer.from('100c00044d5154540402003c0000', 'hex'), Buffer.from([0x30 + retain, body.length]), body]),
    )
    socket.end(Buffer.from('e000', 'hex'))
    socket.resume()
    await once(socket, 'close')
  }
  const check = (topic: string, more: KindCheck = {}) =>
    checkKind(prober, 'mqtt', `mqtt://127.0.0.1:${broker.open}/${topic}`, more)
  const logIn = (topic: string, more: KindCheck = {}) =>
    checkKind(prober, 'mqtt', `mqtt://127.0.0.1:${broker.closed}/${topic}`, more)
  const LOGIN = { username: USERNAME, password: PASSWORD }

  describe.each(['3.1.1', '5.0'])('of version %s', (protocol_version) => {
    test('connects alone without a topic', async () => {
      const result = await check('', { options: { protocol_version } })
      expect(result).toMatchObject({ outcome: 'up', error: null, address: '127.0.0.1', facts: {} })
      const { connect_ms, first_byte_ms, response_ms } = result
      expect((connect_ms ?? 0) + (first_byte_ms ?? 0)).toBeLessThanOrEqual((response_ms ?? 0) + 0.001)
    })

    test('reads a retained message', async () => {
      expect(await check('plant/temperature', { options: { protocol_version, message: 'retained' } })).toMatchObject({
        outcome: 'up',
        facts: { cell: 21.5, topic: 'plant/temperature', retained: 'true' },
      })
    })

    test('waits for a new message, and passes over the one that is retained', async () => {
      const waiting = check('plant/%2B', { options: { protocol_version, message: 'new' } })
      // Until the check has subscribed, nobody gets what is published.
      const publishing = new AbortController()
      const published = (async () => {
        while (!publishing.signal.aborted) await publish('plant/valve', 'open')
      })()
      const result = await waiting
      publishing.abort()
      await published
      expect(result).toMatchObject({ outcome: 'up', facts: { cell: 'open', topic: 'plant/valve', retained: 'false' } })
    })

    test('logs in', async () => {
      const credentials = LOGIN
      expect(await logIn('', { options: { protocol_version }, credentials })).toMatchObject({ outcome: 'up' })
    })

    test.each([
      ['a wrong password', { ...LOGIN, password: 'wrong' }],
      ['no login', {}],
    ])('is down with %s', async (_, credentials) => {
      const { outcome, error } = await logIn('', { options: { protocol_version }, credentials })
      expect([outcome, error?.code, error?.message]).toEqual([
        'down',
        'protocol',
        expect.stringMatching(/^the server refused the login of the configured user \(\d+\)$/),
      ])
    })
  })

  test('is down without a message, and says how far it came', async () => {
    expect(await check('plant/nothing', { timeout: 1 })).toMatchObject({
      outcome: 'down',
      error: { code: 'timeout' },
      answer: { status_line: 'subscribed, and no message so far' },
    })
  })

  test('connects over TLS, with a certificate that is verified', async () => {
    expect(await checkKind(prober, 'mqtt', `mqtts://localhost:${broker.tls}`)).toMatchObject({
      outcome: 'up',
      certificate: { subject_names: ['localhost'] },
    })
    const wrong = await checkKind(prober, 'mqtt', `mqtts://127.0.0.1:${broker.tls}`)
    expect(wrong).toMatchObject({ outcome: 'down', error: { code: 'tls' } })
  })

  test.each([
    ['900', 'up'],
    ['901', 'down'],
  ])('an assertion on the payload compares %s: %s', async (value, outcome) => {
    const assertions = [{ type: 'json_path', property: '$.pumps[0].rpm', operator: 'equals', value }] as never
    expect(await check('plant/state', { assertions })).toMatchObject({ outcome })
  })

  test('an assertion on the cell compares the payload', async () => {
    const assertions = [{ type: 'cell', operator: 'less_than', value: 20 }] as never
    expect(await check('plant/temperature', { assertions })).toMatchObject({ outcome: 'down', error: { code: 'assertion' } })
  })
})

describe('a broker that refuses', () => {
  const answering = async (protocol_version: string, topic: string, ...answers: string[]) => {
    const left = [answers.join('')]
    const target = await startTarget(
      (socket) => void socket.on('data', () => void socket.write(Buffer.from(left.shift() ?? '', 'hex'))),
    )
    const prober = createProber({ allowPrivateTargets: 'all' })
    const result = await checkKind(prober, 'mqtt', `mqtt://127.0.0.1:${target.port}/${topic}`, { options: { protocol_version } })
    prober.close()
    await target.close()
    return [result.outcome, result.error?.code, result.error?.message]
  }
  const OK = { '3.1.1': '20020000', '5.0': '2003000000' }

  test.each([
    ['3.1.1', ['20020001'], 'the broker refused the connection: it does not speak this protocol version'],
    ['3.1.1', ['20020003'], 'the broker refused the connection: it is unavailable'],
    ['5.0', ['2003009700'], 'the broker refused the connection: a quota is exceeded'],
    ['5.0', ['200300fe00'], 'the broker refused the connection: reason 254'],
    ['5.0', ['2003008600'], 'the server refused the login of the configured user (134)'],
    ['3.1.1', [OK['3.1.1'], '9003000180'], 'the broker refused the subscription: unspecified'],
    ['5.0', [OK['5.0'], '900400010087'], 'the broker refused the subscription: not authorized'],
    ['5.0', [OK['5.0'], 'e0018b'], 'the broker ended the connection: it shuts down'],
    [
      '3.1.1',
      [Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n').toString('hex')],
      'the target does not speak the protocol of MQTT',
    ],
    ['3.1.1', ['2001'.padEnd(6, '0')], 'the target sent a message that is cut short'],
    ['3.1.1', ['20ffffff7f'], 'the target sent a message that is too large'],
    ['3.1.1', ['20ffffffff7f'], 'the target does not speak the protocol of MQTT'],
  ])('of version %s: %j is down with %s', async (version, answers, message) => {
    expect(await answering(version, 'a', ...answers)).toEqual(['down', 'protocol', message])
  })
})

test.each([
  ['', {}, {}, []],
  ['/a/b', {}, {}, []],
  ['/+/b/%23', {}, { username: 'a', password: 'b' }, []],
  ['/a+', {}, {}, ['url']],
  ['/%23/a', {}, {}, ['url']],
  ['/a#b', {}, {}, ['url']],
  ['/a?b', {}, {}, ['url']],
  ['/a%00', {}, {}, ['url']],
  ['', { client_id: 'a\nb' }, {}, ['options.client_id']],
  ['', { protocol_version: '3.1' }, {}, ['options.protocol_version']],
  ['', {}, { password: 'b' }, ['credentials.username']],
])('the path %j with the options %j and the credentials %j has faults at %j', (path, options, credentials, paths) => {
  const faults = faultsOf('mqtt', `mqtt://broker.test${path}`, { options, credentials })
  expect(faults).toEqual(paths.map((fault) => expect.stringMatching(`^${fault}: `)))
})
