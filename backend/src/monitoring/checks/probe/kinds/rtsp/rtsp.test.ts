import { createHash } from 'node:crypto'
import { connect } from 'node:net'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { freePort, isMissing } from '../../../../../../../scripts/test-tools.ts'
import { createProber, type Prober } from '../../index.ts'
import { checkKind, faultsOf, type KindCheck } from '../../test/kinds.ts'
import { makeServerFolder, type Server, startServer } from '../../test/servers.ts'
import { startAnswering, startTarget, type Target } from '../../test/targets.ts'
import { authorizationFor } from './authorization.ts'
import { mediaIn } from './index.ts'

let prober: Prober
const closing: Target[] = []
beforeAll(() => {
  prober = createProber({ allowPrivateTargets: 'all' })
})
afterEach(async () => {
  await Promise.all(closing.splice(0).map((target) => target.close()))
})
afterAll(() => prober.close())

const check = (url: string, more: KindCheck = {}) => checkKind(prober, 'rtsp', url, more)
async function serve(answer: (request: string) => string): Promise<string> {
  const target = await startAnswering(answer)
  closing.push(target)
  return `rtsp://127.0.0.1:${target.port}/stream`
}

const SDP = ['v=0', 's=camera', 'm=video 0 RTP/AVP 96', 'a=rtpmap:96 H264/90000', 'm=audio 0 RTP/AVP 0', ''].join('\r\n')
const OPTIONS = 'RTSP/1.0 200 OK\r\nCSeq: 1\r\nServer: camera/3\r\nPublic: OPTIONS, DESCRIBE, PLAY\r\n\r\n'

describe.skipIf(isMissing('rtsp-server-perl'))('the RTSP server of Perl as the other side', () => {
  let server: Server
  let port: number
  beforeAll(async () => {
    const sources = await freePort()
    port = await freePort()
    const ports = ['--clientport', String(port), '--serverport', String(sources)]
    const addresses = ['--client_listen_address', '127.0.0.1', '--source_listen_address', '127.0.0.1']
    server = await startServer(['rtsp-server-perl', ...ports, ...addresses], {
      folder: makeServerFolder(),
      port,
    })
    await announce(sources)
  })
  afterAll(() => server.stop())

  /** A source that says what it would send. */
  const announce = (to: number) =>
    new Promise<void>((resolve, reject) => {
      const socket = connect(to, '127.0.0.1')
      const head = `ANNOUNCE rtsp://127.0.0.1:${to}/stream RTSP/1.0\r\nCSeq: 1\r\nContent-Type: application/sdp\r\n`
      socket.write(`${head}Content-Length: ${SDP.length}\r\n\r\n${SDP}`)
      socket.once('data', () => resolve())
      socket.once('error', reject)
      closingSources.push(() => socket.destroy())
    })
  const closingSources: (() => unknown)[] = []
  afterAll(() => closingSources.forEach((close) => close()))

  test('OPTIONS is up, with its methods', async () => {
    const result = await check(`rtsp://127.0.0.1:${port}/stream`)
    expect(result).toMatchObject({ outcome: 'up', status_code: 200, facts: { methods: expect.stringContaining('DESCRIBE') } })
  })

  test('DESCRIBE reads the streams', async () => {
    const result = await check(`rtsp://127.0.0.1:${port}/stream`, { options: { method: 'DESCRIBE' } })
    expect(result).toMatchObject({ outcome: 'up', facts: { media: 'video H264, audio' } })
  })

  test('DESCRIBE of a stream that is not there is down', async () => {
    const result = await check(`rtsp://127.0.0.1:${port}/other`, { options: { method: 'DESCRIBE' } })
    expect(result).toMatchObject({ outcome: 'down', error: { code: 'status' }, status_code: expect.any(Number) })
  })
})

test('OPTIONS reads what the server says of itself', async () => {
  let seen = ''
  const url = await serve((request) => {
    seen = request
    return OPTIONS
  })
  expect(await check(url)).toMatchObject({
    outcome: 'up',
    status_code: 200,
    facts: { server_version: 'camera/3', methods: 'OPTIONS, DESCRIBE, PLAY' },
  })
  expect(seen).toBe(`OPTIONS ${url} RTSP/1.0\r\nCSeq: 1\r\nUser-Agent: vedette\r\n\r\n`)
})

test('a body assertion sees the description', async () => {
  const url = await serve(() => `RTSP/1.0 200 OK\r\nContent-Length: ${SDP.length}\r\n\r\n${SDP}`)
  const assertions: KindCheck['assertions'] = [
    { type: 'body', operator: 'contains', value: 's=camera' },
    { type: 'media', operator: 'equals', value: 'video H264, audio' },
  ]
  expect(await check(url, { options: { method: 'DESCRIBE' }, assertions })).toMatchObject({ outcome: 'up' })
})

describe('a login', () => {
  const LOGIN = { username: 'ada', password: 'pass of "ada"' }
  const md5 = (text: string) => createHash('md5').update(text).digest('hex')

  /** Both requests come over one connection. */
  async function serveLogin(challenge: string, isRight: (authorization: string) => boolean): Promise<string> {
    const target = await startTarget((socket) => {
      socket.on('data', (request: Buffer) => {
        const authorization = /Authorization: (.*)\r\n/.exec(request.toString())?.[1] ?? ''
        socket.write(
          isRight(authorization) ? OPTIONS : `RTSP/1.0 401 Unauthorized\r\n${challenge}\r\nContent-Length: 4\r\n\r\nno!\n`,
        )
      })
    })
    closing.push(target)
    return `rtsp://127.0.0.1:${target.port}/stream`
  }
  const digest = (url: string) => md5(`${md5('ada:cam:pass of "ada"')}:abc:${md5(`OPTIONS:${url}`)}`)

  test('by Digest never shows the password', async () => {
    let sent = ''
    let expected = ''
    const url = await serveLogin(
      'WWW-Authenticate: Digest realm="cam", nonce="abc"\r\nWWW-Authenticate: Basic realm="cam"',
      (text) => {
        sent = text
        return text.includes(`response="${expected}"`)
      },
    )
    expected = digest(url)
    expect(await check(url, { credentials: LOGIN })).toMatchObject({ outcome: 'up' })
    expect(sent).toContain('username="ada", realm="cam", nonce="abc"')
  })

  test('by Basic', async () => {
    const right = `Basic ${Buffer.from('ada:pass of "ada"').toString('base64')}`
    const url = await serveLogin('WWW-Authenticate: Basic realm="cam"', (text) => text === right)
    expect(await check(url, { credentials: LOGIN })).toMatchObject({ outcome: 'up' })
  })

  test.each([
    ['WWW-Authenticate: Basic realm="cam"', LOGIN, 'protocol', 'the server refused the login of the configured user (401)'],
    ['WWW-Authenticate: Negotiate', LOGIN, 'protocol', 'the server wants another login than Basic or Digest with MD5 or SHA-256'],
    ['WWW-Authenticate: Basic realm="cam"', {}, 'status', 'status 401 (expected 200–399)'],
  ])('that is refused after %j with %j is down', async (challenge, credentials, code, message) => {
    const url = await serveLogin(challenge, () => false)
    expect(await check(url, { credentials })).toMatchObject({
      outcome: 'down',
      error: { code, message },
    })
  })
})

test.each([
  'SIP/2.0 200 OK\r\n\r\n',
  'RTSP/1.0 200 OK\r\nbad\r\n\r\n',
  'RTSP/1.0 999999\r\n\r\n',
  '220 ftp\r\n',
  'RTSP/1.0 200 OK\r\nContent-Length: -1\r\n\r\n',
])('%j is no RTSP', async (answer) => {
  const url = await serve(() => answer)
  expect((await check(url)).error).toEqual({ code: 'protocol', message: 'the target does not speak RTSP' })
})

/** The example of RFC 7616, section 3.9.1. */
const RFC_7616 =
  'Digest realm="http-auth@example.org", qop="auth, auth-int", algorithm=SHA-256, nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"'
const MUFASA = { username: 'Mufasa', password: 'Circle of Life', method: 'GET', uri: '/dir/index.html' }
const CNONCE = 'f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ'

test.each([
  [RFC_7616, /response="753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1".*qop=auth, nc=00000001, cnonce="f2/],
  [RFC_7616.replace('SHA-256', 'MD5'), /response="8ca523f5e9506fed4657c9700eebdbec"/],
  [`${RFC_7616.replace('SHA-256', 'MD5')}, ${RFC_7616}`, /algorithm=SHA-256/],
  ['Basic realm="a", Digest realm="b", nonce="c"', /^Digest .*realm="b"/],
  ['Basic', /^Basic TXVmYXNhOkNpcmNsZSBvZiBMaWZl$/],
  ['Digest realm="b", nonce="c", qop="auth-int"', undefined],
  ['Digest realm="b", nonce="c", algorithm=SHA-512-256', undefined],
  ['Digest realm="b"', undefined],
  ['Bearer realm="Basic"', undefined],
  ['', undefined],
])('the authorization for %j', (challenge, expected) => {
  const authorization = authorizationFor(challenge, MUFASA, CNONCE)
  expect(authorization ?? 'none').toMatch(expected ?? /^none$/)
})

test('media of a description', () => {
  expect(mediaIn('m=video 0 RTP/AVP 96\na=rtpmap:96 H265/90000\na=rtpmap:97 H264/90000\nm=application 0 x\nm=')).toBe(
    'video H265, application',
  )
  expect(mediaIn('')).toBe('')
})

test.each([
  ['rtsp://camera.test/a/b?channel=1', {}, []],
  ['rtsps://camera.test', { username: 'ada', password: 'b' }, []],
  ['rtsp://camera.test/#a', {}, ['url']],
  ['rtsp://camera.test', { username: 'a\nb' }, ['credentials.username']],
  ['rtsp://camera.test', { password: 'b' }, ['credentials.username']],
])('%s with %j has faults at %j', (url, credentials, paths) => {
  expect(faultsOf('rtsp', url, { credentials })).toEqual(paths.map((path) => expect.stringMatching(`^${path}: `)))
})
