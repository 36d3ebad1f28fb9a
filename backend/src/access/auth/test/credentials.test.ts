import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestBackend, type TestBackend, type TestOrganization } from '../../../../test/harness.ts'
import { createUser, hashPassword, passwordFault } from '../index.ts'
import { createSecretToken, isSecretToken } from '../secret-token.ts'

describe('secrets of API keys and servers', () => {
  it('API keys and server tokens are a prefix, 32 random bytes and a checksum [KEY-01, KEY-05, SERVER-12]', () => {
    const { secret, prefix, hash } = createSecretToken('apiKey')
    expect(secret).toMatch(/^vdt_key_[0-9A-Za-z]{49}$/)
    expect(createSecretToken('serverToken').secret).toMatch(/^vdt_srv_[0-9A-Za-z]{49}$/)
    expect(prefix).toBe(secret.slice(0, 14))
    expect(hash).toHaveLength(32)
  })

  it('the checksum detects every typo of one character [KEY-02]', () => {
    const { secret } = createSecretToken('apiKey')
    expect(isSecretToken(secret)).toBe(true)
    for (let index = 0; index < secret.length; index += 1) {
      const typo = `${secret.slice(0, index)}${secret[index] === 'x' ? 'y' : 'x'}${secret.slice(index + 1)}`
      expect(isSecretToken(typo), typo).toBe(false)
    }
  })
})

describe('a new password', () => {
  it.each([
    ['short pass!', 'must have 12 to 128 characters'],
    ['x'.repeat(129), 'must have 12 to 128 characters'],
    ['password1234', 'is one of the most common passwords'],
    ['Qwertyuiop123', 'is one of the most common passwords'],
    ['aaaaaaaaaaaaaaaa', 'is one of the most common passwords'],
    ['a long and rare passphrase', undefined],
    ['🐎🔋📎🐎🔋📎🐎🔋📎🐎🔋🧲', undefined],
  ])('%s: %s [AUTH-18, AUTH-20]', (password, fault) => expect(passwordFault(password)).toBe(fault))
})

describe('who asks', () => {
  let backend: TestBackend
  let first: TestOrganization
  beforeAll(async () => {
    backend = await startTestBackend()
    first = await backend.organization('First')
  })
  afterAll(() => backend.close())

  const list = (headers: Record<string, string>) => backend.call('GET', '/v1/servers', { headers })

  it('is unknown without credentials, with both kinds, and with a key that is none [AUTH-07, AUTH-10, KEY-02]', async () => {
    const key = await backend.apiKey(first, 'read')
    const member = await backend.member(first, 'viewer')
    for (const headers of [
      {},
      { 'x-api-key': 'vdt_key_nonsense' },
      { 'x-api-key': createSecretToken('apiKey').secret },
      { 'x-api-key': '' },
    ]) {
      const { status, body } = await list(headers)
      expect([status, body.error.code]).toEqual([401, 'unauthorized'])
    }
    expect((await list({ 'x-api-key': key['x-api-key'], authorization: member.authorization })).status).toBe(401)
    expect((await list({ 'x-api-key': key['x-api-key'] })).status).toBe(200)
  })

  it('learns which header a credential belongs in, and that a 401 wants Bearer [ERROR-27]', async () => {
    const { 'x-api-key': key } = await backend.apiKey(first, 'read')
    const { authorization } = await backend.member(first, 'viewer')
    const answers = []
    for (const headers of [
      { authorization: `Bearer ${key}` },
      { authorization: key },
      { authorization: `Bearer ${createSecretToken('serverToken').secret}` },
      { 'x-api-key': authorization.slice('Bearer '.length) },
      {},
    ]) {
      const { status, headers: answered, body } = await list(headers)
      answers.push([status, answered['www-authenticate'], /X-API-Key|Authorization: Bearer/.exec(body.error.message)?.[0]])
    }
    expect(answers).toEqual([
      [401, 'Bearer', 'X-API-Key'],
      [401, 'Bearer', 'X-API-Key'],
      [401, 'Bearer', 'X-API-Key'],
      [401, 'Bearer', 'Authorization: Bearer'],
      [401, 'Bearer', undefined],
    ])
  })

  it('is refused with a key that was revoked or has expired, at the next request [KEY-09, KEY-10]', async () => {
    const { db } = backend.pool
    for (const change of [{ revoked_at: new Date(backend.clock.now()) }, { expires_at: new Date(backend.clock.now()) }]) {
      const key = await backend.apiKey(first, 'read')
      expect((await list(key)).status).toBe(200)
      const newest = await db.selectFrom('api_key').select('id').orderBy('id', 'desc').executeTakeFirstOrThrow()
      await db.updateTable('api_key').set(change).where('id', '=', newest.id).execute()
      expect((await list(key)).status).toBe(401)
    }
  })

  it('acts in the organization of the header, else in the one joined first [ACCESS-04, ACCESS-05, ACCESS-06]', async () => {
    const { db } = backend.pool
    const second = await backend.organization('Second')
    const { authorization, userId } = await backend.member(first, 'viewer')
    await db
      .insertInto('membership')
      .values({ organization: second.number, user_id: userId, role: 'viewer', joined_at: new Date(backend.clock.now() + 1) })
      .execute()
    await backend.server(first)
    const idOf = async (number: number) =>
      (await db.selectFrom('organization').select('id').where('number', '=', number).executeTakeFirstOrThrow()).id
    const { encodeId } = await import('../../../platform/ids.ts')
    const total = async (organizationId?: string) =>
      (await list({ authorization, ...(organizationId === undefined ? {} : { 'x-organization-id': organizationId }) })).body.total
    expect(await total()).toBe(1)
    expect(await total(encodeId('organization', await idOf(first.number)))).toBe(1)
    expect(await total(encodeId('organization', await idOf(second.number)))).toBe(0)
    const foreign = await backend.organization('Foreign')
    for (const id of [
      encodeId('organization', await idOf(foreign.number)),
      'org_nonsense',
      '',
      'org_01h455vb4pex5vsknk084sn02q',
    ]) {
      const { status, body } = await list({ authorization, 'x-organization-id': id })
      expect([id, status, body.error.code]).toEqual([id, 403, 'forbidden'])
    }
  })

  it('is refused everything but their own account without an organization [ACCESS-24, ERROR-08]', async () => {
    const id = await createUser(
      backend.pool.db,
      backend.clock,
      'alone@example.com',
      await hashPassword('a long and rare passphrase'),
    )
    expect(id).toBeDefined()
    const { body } = await backend.call('POST', '/v1/auth/login', {
      body: { email: 'alone@example.com', password: 'a long and rare passphrase' },
    })
    const { status, body: refusal } = await list({ authorization: `Bearer ${body.token}` })
    expect([status, refusal.error.code]).toEqual([403, 'forbidden'])
  })

  it('loses their role with the membership, at the next request [AUTH-23]', async () => {
    const member = await backend.member(first, 'admin')
    expect((await list({ authorization: member.authorization })).status).toBe(200)
    await backend.pool.db.deleteFrom('membership').where('user_id', '=', member.userId).execute()
    expect((await list({ authorization: member.authorization })).status).toBe(403)
  })
})
