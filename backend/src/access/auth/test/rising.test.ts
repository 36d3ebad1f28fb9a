import { createHash } from 'node:crypto'
import { hash } from '@node-rs/argon2'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type Credentials,
  PASSWORD,
  startTestBackend,
  TEST_SECRET,
  type TestBackend,
  type TestOrganization,
} from '../../../../test/harness.ts'
import { createSecrets } from '../../../platform/crypto/installation-secrets.ts'
import { createSessionTokens } from '../session-token.ts'
import { person, sessionOf } from './person.ts'

let backend: TestBackend
let organization: TestOrganization
beforeAll(async () => {
  backend = await startTestBackend()
  organization = await backend.organization()
})
afterAll(() => backend.close())

describe('secrets that are rotated', () => {
  const OLD = 'the secret that is going, also more than 32 bytes'
  const tokensOf = (...keys: string[]) => createSessionTokens(backend.vedette.app.jwt, createSecrets(keys))
  const kidOf = (token: string) => JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString()).kid as string

  it('sign by the newest and accept what an older one signed, until it is gone [AUTH-14]', () => {
    const nowMs = backend.clock.now()
    const iat = Math.floor(nowMs / 1000)
    const claims = {
      sub: '01890a5d-ac96-774b-bcce-b302099a8057',
      jti: '01890a5d-ac96-774b-bcce-b302099a8058',
      iat,
      exp: iat + 60,
    }
    const before = tokensOf(OLD).sign(claims)
    const rotated = tokensOf(TEST_SECRET, OLD)
    expect(rotated.verify(before, nowMs)).toMatchObject(claims)
    const after = rotated.sign(claims)
    const [newest] = createSecrets([TEST_SECRET]).derive('session token')
    expect(kidOf(after)).toBe(createHash('sha256').update(newest).digest('hex').slice(0, 8))
    expect(tokensOf(TEST_SECRET).verify(after, nowMs)).toMatchObject(claims)
    expect(() => tokensOf(TEST_SECRET).verify(before, nowMs)).toThrow('credentials')
  })
})

describe('a password that was hashed by weaker parameters', () => {
  const storedOf = async (userId: string) =>
    (await backend.pool.db.selectFrom('app_user').select('password_hash').where('id', '=', userId).executeTakeFirstOrThrow())
      .password_hash

  it('is hashed again by the next successful login, and only once [AUTH-22, AUTH-21]', async () => {
    const user = await person(backend, organization)
    const weak = await hash(PASSWORD, { memoryCost: 8_192, timeCost: 1, parallelism: 1 })
    await backend.pool.db.updateTable('app_user').set({ password_hash: weak }).where('id', '=', user.userId).execute()
    expect((await user.login({ password: 'not the right one' })).status).toBe(401)
    expect(await storedOf(user.userId)).toBe(weak)
    expect((await user.login()).status).toBe(200)
    const risen = await storedOf(user.userId)
    expect(risen).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
    expect((await user.login()).status).toBe(200)
    expect(await storedOf(user.userId)).toBe(risen)
  })
})

describe('the limit of a user', () => {
  it('is one for all their sessions, and not that of another user [LIMIT-12, LIMIT-07, LIMIT-08]', async () => {
    const { databaseUrl, clock } = backend
    const limited = await startTestBackend({ databaseUrl, clock, environment: { VEDETTE_RATE_LIMITS: 'read=3' } })
    const user = await person(backend, organization)
    const sessions = [user.as, sessionOf(await user.login())]
    const limits = []
    for (let count = 0; count < 4; count += 1) {
      const { status, headers } = await limited.call('GET', '/v1/servers', { as: sessions[count % 2] ?? {} })
      limits.push([status, headers['x-ratelimit-limit'], headers['x-ratelimit-remaining']])
    }
    expect(limits).toEqual([
      [200, '3', '2'],
      [200, '3', '1'],
      [200, '3', '0'],
      [429, '3', '0'],
    ])
    const other = await person(backend, organization)
    expect((await limited.call('GET', '/v1/servers', { as: other.as })).status).toBe(200)
    await limited.close()
  })

  it('does not count what the dashboard reads, which has a limit by session [LIMIT-33]', async () => {
    const { databaseUrl, clock } = backend
    const environment = { VEDETTE_RATE_LIMITS: 'read=1,write=1,dashboard=2' }
    const limited = await startTestBackend({ databaseUrl, clock, environment })
    const user = await person(backend, organization)
    const [one, two] = [user.as, sessionOf(await user.login())]
    const call = async (as: Credentials, headers: Record<string, string>, method = 'GET', url = '/v1/servers') => {
      const answer = await limited.call(method, url, { as, headers })
      return [answer.status, answer.headers['x-ratelimit-limit'], answer.headers['x-ratelimit-remaining']]
    }
    const page = { 'x-vedette-client': 'dashboard' }
    expect([await call(one, page), await call(one, page), await call(one, page)]).toEqual([
      [200, '2', '1'],
      [200, '2', '0'],
      [429, '2', '0'],
    ])
    expect(await call(two, page)).toEqual([200, '2', '1'])
    expect([await call(one, {}), await call(two, {})]).toEqual([
      [200, '1', '0'],
      [429, '1', '0'],
    ])
    // A script that says so, writes, and requests without a session count as ever.
    expect(await call(one, page, 'DELETE', '/v1/channels/chn_x')).toEqual([403, '1', '0'])
    const key = await limited.apiKey(organization, 'read')
    expect([await call(key, page), await call({}, page)]).toEqual([
      [200, '1', '0'],
      [401, '1', '0'],
    ])
    await limited.close()
  })
})
