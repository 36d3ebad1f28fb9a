import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type Credentials, startTestBackend, type TestBackend } from '../../../../test/harness.ts'

const MIB = 1_048_576

describe('the bounds of bodies', () => {
  let backend: TestBackend
  let agent: Credentials
  beforeAll(async () => {
    backend = await startTestBackend()
    agent = (await backend.server(await backend.organization())).as
  })
  afterAll(() => backend.close())

  const TYPE = { json: 'application/json', form: 'application/x-www-form-urlencoded', text: 'text/plain' }
  const HALF = 'x'.repeat(1.5 * MIB)
  const SIZED = { length: `Content-Length: ${2 * HALF.length}`, part: HALF, end: '' }
  const PART = `${HALF.length.toString(16)}\r\n${HALF}\r\n`
  const CHUNKED = { length: 'Transfer-Encoding: chunked', part: PART, end: '0\r\n\r\n' }

  it.each([
    [413, '/v1/agent/metrics', TYPE.json, SIZED],
    [413, '/v1/agent/metrics', TYPE.json, CHUNKED],
    [415, '/v1/agent/metrics', TYPE.text, SIZED],
    [413, '/v1/auth/login', TYPE.json, SIZED],
    [413, '/chat-actions/slack/1', TYPE.form, SIZED],
    [413, '/ping/1', TYPE.text, SIZED],
  ])(
    'leave the connection open after a %i of %s, while the rest of a body arrives [ERROR-14]',
    async (status, path, type, body) => {
      await backend.listen()
      const { port } = backend.vedette.app.server.address() as AddressInfo
      const socket = connect(port, '127.0.0.1').setEncoding('utf8')
      onTestFinished(() => void socket.destroy())
      let received = ''
      socket.on('data', (text: string) => (received += text))
      /** The status of the next answer; fails when the connection is reset, and is NaN when it ends. */
      const answered = async () => {
        while (!received.includes('\r\n\r\n') && !socket.readableEnded)
          await Promise.race([once(socket, 'data'), once(socket, 'end')])
        const [, code] = /^HTTP\/1\.1 (\d{3})/.exec(received) ?? []
        received = ''
        return Number(code)
      }
      const key = path === '/v1/agent/metrics' ? `X-API-Key: ${agent['x-api-key']}\r\n` : ''
      socket.write(`POST ${path} HTTP/1.1\r\nHost: a\r\n${key}Content-Type: ${type}\r\n${body.length}\r\n\r\n${body.part}`)
      expect(await answered()).toBe(status)
      socket.write(`${body.part}${body.end}GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`)
      expect(await answered()).toBe(200)
    },
  )

  /** A push of exactly so many bytes, which is fine but for its size. */
  function pushOf(bytes: number): Buffer {
    const at = new Date(backend.clock.now()).toISOString()
    const body = (padding: string) =>
      JSON.stringify({ batch_id: randomUUID(), sent_at: at, agent_version: '1', samples: [{ at, cpu: { percent: 1 } }], padding })
    return Buffer.from(body('x'.repeat(bytes - body('').length)))
  }
  const push = async (body: Buffer, headers = {}) => {
    const answer = await backend.call('POST', '/v1/agent/metrics', { as: agent, body, headers })
    return [answer.status, answer.body.error?.code]
  }

  it('let a push of 1 MiB through, and no byte more [PUSH-12, ERROR-14]', async () => {
    expect(await push(pushOf(MIB))).toEqual([202, undefined])
    expect(await push(pushOf(MIB + 1))).toEqual([413, 'payload_too_large'])
  })

  it('let a push inflate to 4 MiB, and no byte more [PUSH-13, PUSH-14]', async () => {
    const gzip = { 'content-encoding': 'gzip' }
    expect(await push(gzipSync(pushOf(4 * MIB)), gzip)).toEqual([202, undefined])
    expect(await push(gzipSync(pushOf(4 * MIB + 1)), gzip)).toEqual([413, 'payload_too_large'])
  })

  it('let any other body have 1 MiB, and no byte more [PUSH-15, ERROR-14]', async () => {
    const login = (bytes: number) => {
      const body = JSON.stringify({ email: 'a@example.com', password: 'x' })
      return backend.call('POST', '/v1/auth/login', { body: `${body}${' '.repeat(bytes - body.length)}` })
    }
    expect((await login(MIB)).status).toBe(401)
    const { status, body } = await login(MIB + 1)
    expect([status, body.error.code]).toEqual([413, 'payload_too_large'])
  })
})
