import * as argon2 from '@node-rs/argon2'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { PASSWORD, startTestBackend, type TestBackend } from '../../../../test/harness.ts'

vi.mock('@node-rs/argon2', async (original) => {
  const actual = await original<typeof argon2>()
  return { ...actual, verify: vi.fn<typeof argon2.verify>(actual.verify) }
})

const verify = vi.mocked(argon2.verify)
const [AT_ONCE, MAX_WAITING] = [2, 100]

describe('many logins at once', () => {
  let backend: TestBackend
  let finish: () => void
  beforeAll(async () => {
    backend = await startTestBackend()
  })
  afterAll(() => backend.close())
  beforeEach(() => {
    const { promise, resolve } = Promise.withResolvers<boolean>()
    finish = () => resolve(false)
    verify.mockClear()
    verify.mockImplementation(() => promise)
  })

  const body = { email: 'nobody@example.com', password: 'a long and rare passphrase' }
  const login = () => backend.call('POST', '/v1/auth/login', { body })

  it('wait for two that are verified, 100 at most; the next is a 503 with Retry-After', async () => {
    const answers = Array.from({ length: AT_ONCE + MAX_WAITING + 1 }, login)
    const first = await Promise.race(answers)
    expect([first.status, first.body.error.code, first.headers['retry-after']]).toEqual([503, 'unavailable', '2'])
    expect(verify).toHaveBeenCalledTimes(AT_ONCE)
    finish()
    const statuses = (await Promise.all(answers)).map(({ status }) => status)
    expect(statuses.toSorted((a, b) => a - b)).toEqual([...Array(AT_ONCE + MAX_WAITING).fill(401), 503])
  })

  it('from everywhere keep out nobody who signed in before from their address', async () => {
    const organization = await backend.organization()
    const owner = await backend.member(organization, 'owner')
    const { email } = (await backend.call('GET', '/v1/auth/me', { as: owner })).body
    const fromHome = { ip: '192.0.2.77', body: { email, password: PASSWORD } }
    const users = backend.pool.db.selectFrom('app_user').select('password_hash')
    const { password_hash: own } = await users.where('email', '=', email).executeTakeFirstOrThrow()
    const { promise, resolve } = Promise.withResolvers<boolean>()
    verify.mockImplementation(async (stored) => stored === own || promise)
    expect((await backend.call('POST', '/v1/auth/login', fromHome)).status).toBe(200)

    const fromElsewhere = () => backend.call('POST', '/v1/auth/login', { ip: '198.51.100.9', body })
    const flood = Array.from({ length: AT_ONCE + MAX_WAITING + 1 }, fromElsewhere)
    const first = await Promise.race(flood)
    const back = backend.call('POST', '/v1/auth/login', fromHome)
    const tooMany = await fromElsewhere()
    resolve(false)
    expect(first.status).toBe(503)
    expect([tooMany.status, (await back).status]).toEqual([503, 200])
    await Promise.all(flood)
  })

  it('are not verified when their clients have left', async () => {
    const url = `http://127.0.0.1:${await backend.listen()}/v1/auth/login`
    const headers = { 'content-type': 'application/json' }
    const send = (signal?: AbortSignal) =>
      fetch(url, { method: 'POST', headers, body: JSON.stringify(body), ...(signal && { signal }) })
    const connections = () =>
      new Promise((resolve) => backend.vedette.app.server.getConnections((_error, count) => resolve(count)))
    const kept = Array.from({ length: AT_ONCE }, () => send())
    await vi.waitFor(() => expect(verify).toHaveBeenCalledTimes(AT_ONCE))
    const leaving = new AbortController()
    const left = Array.from({ length: MAX_WAITING }, () => send(leaving.signal))
    await vi.waitFor(async () => expect(await connections()).toBe(AT_ONCE + MAX_WAITING))
    leaving.abort()
    await Promise.allSettled(left)
    await vi.waitFor(async () => expect(await connections()).toBe(AT_ONCE))
    finish()
    expect((await Promise.all(kept)).map(({ status }) => status)).toEqual(Array(AT_ONCE).fill(401))
    expect((await login()).status).toBe(401)
    expect(verify).toHaveBeenCalledTimes(AT_ONCE + 1)
  })
})
