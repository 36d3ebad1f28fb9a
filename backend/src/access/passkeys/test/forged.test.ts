import { generateKeyPairSync } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestAuthenticator, type Options, type Tampering } from '../../../../test/authenticator.ts'
import { startTestBackend, type TestBackend, type TestOrganization } from '../../../../test/harness.ts'
import { passkeysOf } from './scene.ts'

let backend: TestBackend
let organization: TestOrganization
let passkeys: ReturnType<typeof passkeysOf>
/** Reasons of refusals, as the log has them. */
const reasons: string[] = []
beforeAll(async () => {
  const note = (fields: unknown) => void reasons.push(String((fields as { reason?: unknown }).reason))
  const quiet = () => undefined
  backend = await startTestBackend({ log: { info: note, warn: quiet, error: quiet } as never })
  organization = await backend.organization()
  passkeys = passkeysOf(backend)
})
afterAll(() => backend.close())

const member = () => backend.member(organization, 'member')
const { privateKey: otherKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
/** Sets or clears flags after the signature. */
const flip = (flags: number) => (data: Buffer) =>
  Buffer.concat([data.subarray(0, 32), Buffer.of((data[32] ?? 0) ^ flags), data.subarray(33)])
const cut = (data: Buffer) => data.subarray(0, 36)

describe('a sign-in is refused', () => {
  it.each<[string, Tampering, RegExp]>([
    ['for another site', { origin: 'https://vedette.example' }, /origin/],
    ['for another port', { origin: 'http://localhost:8081' }, /origin/],
    ['for the address', { origin: 'http://127.0.0.1:8080' }, /origin/],
    ['in a frame of another site', { crossOrigin: true }, /frame/],
    ['in a frame that is named', { topOrigin: 'https://vedette.example' }, /top origin/],
    ['for another party', { rpId: 'vedette.example' }, /RP ID/],
    ['with what makes a passkey', { type: 'webauthn.create' }, /type/],
    ['without a person', { flags: 4 }, /present/],
    ['without verification of the person', { flags: 1 }, /verif/],
    ['with flags that were set afterwards', { flags: 1, afterwards: flip(4) }, /signature/],
    ['with another key', { key: otherKey }, /signature/],
    ['with too few bytes', { afterwards: cut }, /./],
    ['with an old counter', { counter: 0 }, /counter/],
    ['with a challenge of nobody', { challenge: Buffer.alloc(37, 7).toString('base64url') }, /challenge/],
    ['with an empty challenge', { challenge: '' }, /challenge/],
    ['for another user', { userHandle: 'AAAAAAAAAAAAAAAAAAAAAA' }, /user/],
    ['with another id', { id: 'AAAAAAAAAAAAAAAAAAAAAA' }, /no such passkey/],
  ])('%s', async (_, change, reason) => {
    const { key } = await passkeys.add(await member())
    expect((await passkeys.signIn(key)).status).toBe(200)
    reasons.length = 0
    const { status, body } = await passkeys.signIn(key, change)
    expect([status, body.error.code]).toEqual([401, 'unauthorized'])
    expect(reasons).toEqual([expect.stringMatching(reason)])
    expect((await passkeys.signIn(key)).status).toBe(200)
  })

  it('a second time, also at once [PASSKEY-01]', async () => {
    const { key } = await passkeys.add(await member())
    const credential = key.get(await passkeys.challenge())
    const both = await Promise.all([passkeys.send(credential), passkeys.send(credential)])
    expect(both.map(({ status }) => status).sort((one, other) => one - other)).toEqual([200, 401])
    expect((await passkeys.send(credential)).status).toBe(401)
  })

  it('a second time, of an authenticator that does not count [PASSKEY-02]', async () => {
    const { key } = await passkeys.add(await member())
    const credential = key.get(await passkeys.challenge(), { counter: 0 })
    expect((await passkeys.send(credential)).status).toBe(200)
    reasons.length = 0
    expect((await passkeys.send(credential)).status).toBe(401)
    expect(reasons).toEqual(['the challenge was used before'])
  })

  it('after five minutes [PASSKEY-03]', async () => {
    const { key } = await passkeys.add(await member())
    const credential = key.get(await passkeys.challenge())
    backend.clock.advance(300_000)
    expect((await passkeys.send(credential)).status).toBe(401)
  })

  it('with the challenge of a new passkey [PASSKEY-04]', async () => {
    const user = await member()
    const { key } = await passkeys.add(user)
    expect((await passkeys.send(key.get(await passkeys.options(user)))).status).toBe(401)
  })

  it('with the passkey of another user [PASSKEY-05]', async () => {
    const [mine, other] = [await passkeys.add(await member()), await passkeys.add(await member())]
    const credential = mine.key.get(await passkeys.challenge())
    expect((await passkeys.send({ ...credential, key_handle: other.key.id })).status).toBe(401)
  })

  it('is in the security log of its user, with the reason [PASSKEY-06]', async () => {
    const { userId, authorization } = await member()
    const { id, key } = await passkeys.add({ authorization })
    await passkeys.signIn(key, { flags: 1 })
    const [failed] = await backend.pool.db
      .selectFrom('security_event')
      .select('details')
      .where('user_id', '=', userId)
      .where('type', '=', 'sign_in.failed')
      .execute()
    expect(failed?.details).toEqual({ passkey: id, reason: expect.stringMatching(/verif/) })
  })
})

describe('a new passkey is refused', () => {
  const x5c = new Map<string, never>([
    ['alg', -7 as never],
    ['sig', Buffer.of(1) as never],
    ['x5c', [Buffer.of(1)] as never],
  ])
  it.each<[string, Tampering, RegExp]>([
    ['for another site', { origin: 'https://vedette.example' }, /origin/],
    ['in a frame of another site', { crossOrigin: true }, /frame/],
    ['for another party', { rpId: 'vedette.example' }, /RP ID/],
    ['with what signs in', { type: 'webauthn.get' }, /type/],
    ['without a person', { flags: 68 }, /presen/],
    ['without verification of the person', { flags: 65 }, /verif/],
    ['without a key', { flags: 5 }, /./],
    ['with an algorithm of its choice', { alg: -65_535 }, /alg/],
    ['with certificates', { format: 'packed', statement: x5c }, /certificates/],
    ['with certificates of Apple', { format: 'apple', statement: x5c }, /certificates/],
    ['with too few bytes', { afterwards: cut }, /./],
    ['with another id', { id: 'AAAAAAAAAAAAAAAAAAAAAA' }, /id/],
    ['with a challenge of nobody', { challenge: Buffer.alloc(37, 7).toString('base64url') }, /challenge/],
  ])('%s', async (_, change, reason) => {
    const user = await member()
    const options: Options = await passkeys.options(user)
    reasons.length = 0
    const credential = createTestAuthenticator().create(options, change)
    const { status, body } = await passkeys.call('POST', '', user, { name: 'Key', credential })
    expect([status, body.error.details?.[0].path]).toEqual([400, 'credential'])
    expect(reasons).toEqual([expect.stringMatching(reason)])
    expect((await passkeys.call('GET', '', user)).body.total).toBe(0)
  })

  it('with the options of another session, of a sign-in, a second time, and after five minutes [PASSKEY-07]', async () => {
    const [user, other] = [await member(), await member()]
    const create = async (options: Options, as = user) => {
      const credential = createTestAuthenticator().create({ rp: { id: 'localhost' }, ...options })
      return (await passkeys.call('POST', '', as, { name: 'Key', credential })).status
    }
    const options: Options = await passkeys.options(user)
    expect(await create(options, other)).toBe(400)
    expect(await create(await passkeys.challenge())).toBe(400)
    expect(await create(options)).toBe(201)
    expect(await create(options)).toBe(400)
    const old: Options = await passkeys.options(user)
    backend.clock.advance(300_000)
    expect(await create(old)).toBe(400)
  })

  it('where it is stored already, also for another user [PASSKEY-08]', async () => {
    const [user, other] = [await member(), await member()]
    const { key } = await passkeys.add(user)
    for (const as of [user, other]) {
      const credential = key.create(await passkeys.options(as))
      expect((await passkeys.call('POST', '', as, { name: 'Key', credential })).status).toBe(409)
    }
  })
})

it.each([
  ['http://192.0.2.1:8080', 409],
  ['https://192.0.2.1', 409],
  ['http://vedette.example', 409],
  ['https://[2001:db8::1]', 409],
  ['https://vedette.example', 200],
  ['http://[::1]:8080', 200],
])('at %s passkeys answer %i', async (publicUrl, status) => {
  const own = await startTestBackend({ environment: { VEDETTE_PUBLIC_URL: publicUrl } })
  expect((await own.call('POST', '/v1/auth/passkeys/sign-in-options')).status).toBe(status)
  await own.close()
})
