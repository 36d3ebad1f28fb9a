import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { mailEncrypter } from '../../../notifying/mail/index.ts'
import { createSecrets } from '../../../platform/crypto/installation-secrets.ts'
import { encodeId } from '../../../platform/ids.ts'
import { PASSWORD, startTestBackend, TEST_SECRET, type TestBackend, type TestOrganization } from '../../../../test/harness.ts'
import { deleteExcessOrigins, insertOrigins } from '../origin-store.ts'
import { createOriginRecorder, ORIGINS_KEPT } from '../origins.ts'
import { deleteOldSecurityEvents } from '../service.ts'

describe('the places from which users and keys are used', () => {
  let backend: TestBackend
  let other: TestBackend
  let organization: TestOrganization
  beforeAll(async () => {
    const environment = { VEDETTE_SMTP_URL: 'smtp://127.0.0.1:9?from=vedette@example.com' }
    backend = await startTestBackend({ environment })
    other = await startTestBackend({ environment, databaseUrl: backend.databaseUrl, clock: backend.clock })
    organization = await backend.organization()
  })
  afterAll(async () => {
    await other.close()
    await backend.close()
  })

  const eventsOf = async (type: string, actor: string) => {
    const as = await backend.member(organization, 'owner')
    return (await backend.call('GET', `/v1/security-events?type=${type}&actor=${actor}&limit=100`, { as })).body.security_events
  }
  const person = async () => {
    const { userId, authorization } = await backend.member(organization, 'member')
    const { email } = await backend.pool.db
      .selectFrom('app_user')
      .select('email')
      .where('id', '=', userId)
      .executeTakeFirstOrThrow()
    return { userId, email, as: { authorization }, id: encodeId('user', userId) }
  }
  const signIn = (email: string, ip: string, agent: string) =>
    backend.call('POST', '/v1/auth/login', { body: { email, password: PASSWORD }, headers: { 'user-agent': agent }, ip })
  const mailsTo = async (userId: string) => {
    const rows = await backend.pool.db.selectFrom('mail_outbox').select(['id', 'payload']).where('key', '=', userId).execute()
    const encrypter = mailEncrypter(createSecrets([TEST_SECRET]))
    return rows.map(({ id, payload }) => JSON.parse(String(encrypter.decrypt(Buffer.from(payload.letter, 'base64'), id))))
  }

  it('records the first use of a session from each network once, whichever instance it reaches', async () => {
    const ada = await person()
    const use = (on: TestBackend, ip: string) => on.call('GET', '/v1/me', { as: ada.as, ip, headers: { 'user-agent': 'curl/8' } })
    // The network of the sign-in is known.
    await use(backend, '192.0.2.200')
    for (const on of [backend, other]) {
      await use(on, '198.51.100.7')
      await use(on, '198.51.100.8')
      await use(on, '2001:db8:7::1')
      await use(on, '2001:db8:7:ffff::1')
    }
    await Promise.all([backend.vedette.flush(), other.vedette.flush()])
    const events = await eventsOf('session.new_network', ada.id)
    expect(events.map(({ details }: { details: { network: string } }) => details.network).sort()).toEqual([
      '198.51.100.0/24',
      '2001:db8:7::/48',
    ])
    expect(events[0]).toMatchObject({ user_agent: 'curl/8', actor: { email: ada.email } })
  })

  it('records the first use of an API key from each network', async () => {
    const as = await backend.apiKey(organization, 'read')
    for (const ip of ['203.0.113.1', '203.0.113.2', '198.51.100.1']) await backend.call('GET', '/v1/servers', { as, ip })
    await backend.vedette.flush()
    const owner = await backend.member(organization, 'owner')
    const { body } = await backend.call('GET', '/v1/security-events?type=api_key.new_network', { as: owner })
    expect(body).toMatchObject({ total: 2, security_events: [{ actor: { type: 'api_key', name: 'read' } }, {}] })
  })

  it('keeps what could not be stored for the next time', async () => {
    const grace = await person()
    let isAway = true
    const db = new Proxy(backend.pool.db, {
      get: (real, name) => {
        if (isAway) throw new Error('away')
        const value: unknown = Reflect.get(real, name)
        return typeof value === 'function' ? value.bind(real) : value
      },
    })
    const recorder = createOriginRecorder({ db, clock: backend.clock })
    recorder.record({ kind: 'user', userId: grace.userId, tenant: undefined }, '203.0.113.9', undefined)
    await expect(recorder.flush()).rejects.toThrow('away')
    isAway = false
    await recorder.flush()
    expect(await eventsOf('session.new_network', grace.id)).toHaveLength(1)
  })

  it('mails a person who signs in from a new network with a new program, once', async () => {
    const lin = await person()
    await signIn(lin.email, '198.51.100.7', 'Firefox/1 (X11)')
    expect(await mailsTo(lin.userId)).toHaveLength(1)
    // The same network, the same program, or an update of it.
    await signIn(lin.email, '198.51.100.9', 'Chrome/9')
    await signIn(lin.email, '203.0.113.7', 'Firefox/2 (X11)')
    expect(await mailsTo(lin.userId)).toHaveLength(1)
    await signIn(lin.email, '2001:db8:9::1', 'Evil <b>/1\r\nBcc: x')
    const mails = await mailsTo(lin.userId)
    expect(mails).toHaveLength(2)
    expect(mails[1]).toMatchObject({ to: lin.email, subject: 'New sign-in to Vedette' })
    expect(mails[1].text).toContain('Address: 2001:db8:9::1\nProgram: Evil  b /1 Bcc: x\n')
    const events = await eventsOf('sign_in.succeeded', lin.id)
    expect(events.filter(({ details }: { details: object }) => 'new_place' in details)).toHaveLength(2)
  })

  it('mails nobody about the first sign-in, nor about one that failed', async () => {
    const tom = await person()
    await backend.call('POST', '/v1/auth/login', { body: { email: tom.email, password: 'wrong' }, ip: '203.0.113.50' })
    expect(await mailsTo(tom.userId)).toEqual([])
  })

  it(`remembers ${ORIGINS_KEPT} networks of a key, and forgets the oldest`, async () => {
    const { db } = backend.pool
    const subjectId = '00000000-0000-7000-8000-000000000001'
    const count = async () =>
      (await db.selectFrom('known_origin').select('value').where('subject_id', '=', subjectId).execute()).length
    const add = (index: number) =>
      insertOrigins(db, [{ subjectId, kind: 'network', value: `network ${index}` }], new Date(backend.clock.now() + index))
    for (let index = 0; index <= ORIGINS_KEPT; index += 1) await add(index)
    expect(await count()).toBe(ORIGINS_KEPT + 1)
    await deleteExcessOrigins(db, [subjectId], ORIGINS_KEPT)
    expect(await count()).toBe(ORIGINS_KEPT)
    expect(await add(0)).toHaveLength(1)
    expect(await add(1)).toHaveLength(0)
    await deleteOldSecurityEvents(db, backend.clock.now() + 401 * 86_400_000)
    expect(await count()).toBe(0)
  })
})
