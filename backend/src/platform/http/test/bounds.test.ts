import { randomUUID } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
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
