import { generate } from 'otplib/functional'
import { DAY_MS, ROLES } from '@vedette/shared'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type Answer,
  type Credentials,
  startTestBackend,
  type TestBackend,
  type TestOrganization,
} from '../../../../test/harness.ts'
import { createUser, hashPassword } from '../../auth/index.ts'
import { encodeId } from '../../../platform/ids.ts'
import { insertMembership } from '../index.ts'

const PASSWORD = 'a long and rare passphrase'
const UNKNOWN = 'inv_01h455vb4pex5vsknk084sn02q'

let backend: TestBackend
let acme: TestOrganization
let owner: Credentials & { userId: string }
beforeAll(async () => {
  backend = await startTestBackend({ environment: { VEDETTE_PUBLIC_URL: 'https://vedette.example' } })
  acme = await backend.organization('Acme')
  owner = await backend.member(acme, 'owner')
})
afterAll(() => backend.close())

let counter = 0
const newEmail = () => `guest${(counter += 1)}@example.com`
const invite = (body: unknown, as: Credentials = owner, organization = acme) =>
  backend.call('POST', `/v1/organizations/${organization.id}/members/invite`, { as, body })
const list = (query = '', as: Credentials = owner, organization = acme) =>
  backend.call('GET', `/v1/organizations/${organization.id}/invitations${query}`, { as })
const revoke = (id: string, as: Credentials = owner, organization = acme) =>
  backend.call('DELETE', `/v1/organizations/${organization.id}/invitations/${id}`, { as })
let address = 0
const accept = (token: unknown, password: unknown = PASSWORD, more: object = {}) =>
  backend.call('POST', '/v1/auth/invitations/accept', {
    body: { token, password, ...more },
    ip: `198.51.100.${(address += 1) % 250}`,
  })
const tokenOf = ({ body }: Answer): string => new URL(body.accept_url).searchParams.get('token') as string
const memberRole = async (email: string, organization = acme) =>
  (
    await backend.pool.db
      .selectFrom('membership')
      .innerJoin('app_user', 'app_user.id', 'membership.user_id')
      .select('membership.role')
      .where('membership.organization', '=', organization.number)
      .where('app_user.email', '=', email)
      .execute()
  ).map(({ role }) => role)

describe('POST members/invite', () => {
  it('answers the invitation with its link, which no other answer contains [INVITE-01, INVITE-02, INVITE-05]', async () => {
    const answer = await invite({ email: 'New.Guest@Example.com', role: 'member' })
    const now = backend.clock.now()
    expect(answer.status).toBe(201)
    expect(answer.body).toEqual({
      id: expect.stringMatching(/^inv_/),
      email: 'new.guest@example.com',
      role: 'member',
      invited_at: new Date(now).toISOString(),
      expires_at: new Date(now + 7 * DAY_MS).toISOString(),
      accept_url: expect.stringMatching(/^https:\/\/vedette\.example\/invitations\/accept\?token=[\w-]{43}$/),
    })
    const token = tokenOf(answer)
    const { accept_url: _link, ...shown } = answer.body
    expect((await list()).body.invitations[0]).toEqual(shown)
    for (const table of ['invitation', 'invitation_token', 'audit_event'] as const) {
      const stored = JSON.stringify(await backend.pool.db.selectFrom(table).selectAll().execute())
      expect(stored).not.toContain(token)
    }
    expect(await audit('member.invited')).toMatchObject({
      actor_id: owner.userId,
      target_type: 'invitation',
      ip: '192.0.2.1',
      details: { email: 'new.guest@example.com', role: 'member' },
    })
  })

  it('lets nobody invite to a role above their own [ACCESS-12, INVITE-03]', async () => {
    const callers: [string, Credentials][] = [
      ['owner', owner],
      ['admin', await backend.member(acme, 'admin')],
      ['admin', await backend.apiKey(acme, 'admin')],
      ['member', await backend.member(acme, 'member')],
      ['viewer', await backend.member(acme, 'viewer')],
      ['none', await backend.apiKey(acme, 'read', 'write', 'agent')],
    ]
    for (const [rank, as] of callers) {
      for (const role of ROLES) {
        const may = rank === 'owner' || (rank === 'admin' && role !== 'owner')
        const { status } = await invite({ email: newEmail(), role }, as)
        expect([rank, role, status]).toEqual([rank, role, may ? 201 : 403])
      }
    }
  })

  it.each([
    [{ role: 'member' }, 'email'],
    [{ email: 'a@example.com' }, 'role'],
    [{ email: 'nonsense', role: 'member' }, 'email'],
    [{ email: 'a@example.com\r\nBcc: b@example.com', role: 'member' }, 'email'],
    [{ email: `${'a'.repeat(250)}@example.com`, role: 'member' }, 'email'],
    [{ email: ['a@example.com'], role: 'member' }, 'email'],
  ])('%j is a 400 that names %s [ACCESS-01, WIRE-14]', async (body, path) => {
    const { status, body: answer } = await invite(body)
    expect([status, answer.error.details[0].path]).toEqual([400, path])
  })

  it('is a 409 for a member, however the e-mail is spelled [ERROR-13, INVITE-04]', async () => {
    const email = newEmail()
    await accept(tokenOf(await invite({ email, role: 'viewer' })))
    for (const spelling of [email, email.toUpperCase()]) {
      const { status, body } = await invite({ email: spelling, role: 'viewer' })
      expect([status, body.error.code]).toEqual([409, 'conflict'])
    }
    expect((await list()).body.invitations.map((entry: { email: string }) => entry.email)).not.toContain(email)
  })

  it('renews what is pending: same id, new terms, and the link before is dead', async () => {
    const email = newEmail()
    const first = await invite({ email, role: 'member' })
    backend.clock.advance(1_000)
    const second = await invite({ email: email.toUpperCase(), role: 'viewer' })
    expect(second.status).toBe(201)
    expect(second.body).toMatchObject({ id: first.body.id, email, role: 'viewer' })
    expect(second.body.invited_at).not.toBe(first.body.invited_at)
    expect((await accept(tokenOf(first))).status).toBe(404)
    expect((await accept(tokenOf(second))).status).toBe(200)
    expect(await memberRole(email)).toEqual(['viewer'])
  })

  it('keeps one living link, however often one e-mail is invited at once', async () => {
    const email = newEmail()
    const answers = await Promise.all(Array.from({ length: 6 }, () => invite({ email, role: 'viewer' })))
    expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(201))
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1)
    const accepted = []
    for (const answer of answers) accepted.push((await accept(tokenOf(answer))).status)
    expect(accepted.sort((a, b) => a - b)).toEqual([200, 404, 404, 404, 404, 404])
  })
})

describe('pending invitations', () => {
  it('to a role above the own are neither renewed nor revoked', async () => {
    const callers = [await backend.member(acme, 'admin'), await backend.apiKey(acme, 'admin')]
    for (const as of callers) {
      const email = newEmail()
      const { body } = await invite({ email, role: 'owner' })
      const before = await backend.pool.db.selectFrom('invitation').selectAll().where('email', '=', email).execute()
      for (const role of ['viewer', 'admin', 'owner']) expect((await invite({ email, role }, as)).status).toBe(403)
      const refused = await revoke(body.id, as)
      expect([refused.status, refused.body.error.message]).toEqual([
        403,
        'You cannot change an invitation to a role above your own.',
      ])
      expect(await backend.pool.db.selectFrom('invitation').selectAll().where('email', '=', email).execute()).toEqual(before)
      expect((await invite({ email, role: 'admin' })).status).toBe(201)
      expect((await invite({ email, role: 'viewer' }, as)).status).toBe(201)
      expect((await revoke(body.id, as)).status).toBe(204)
    }
  })

  it('are listed newest first and paged, without those that are over [INVITE-05, LIST-05, LIST-07]', async () => {
    const shop = await backend.organization('Shop')
    const admin = await backend.member(shop, 'admin')
    const made: string[] = []
    for (let count = 0; count < 3; count += 1) {
      backend.clock.advance(1_000)
      made.unshift((await invite({ email: newEmail(), role: 'viewer' }, admin, shop)).body.id)
    }
    const ids = async (query: string) => (await list(query, admin, shop)).body.invitations.map(({ id }: { id: string }) => id)
    expect(await ids('')).toEqual(made)
    expect(await ids('?limit=2&page=2')).toEqual(made.slice(2))
    expect((await list('?page=5', admin, shop)).body).toEqual({ invitations: [], total: 3, page: 5, limit: 20 })
    expect((await list('?limit=0', admin, shop)).body.error.details[0].path).toBe('limit')
    backend.clock.advance(7 * DAY_MS - 2_000)
    const signedIn = await backend.member(shop, 'admin')
    const left = await list('', signedIn, shop)
    expect(left.body.invitations.map(({ id }: { id: string }) => id)).toEqual(made.slice(0, 2))
    expect((await revoke(made[2] as string, signedIn, shop)).status).toBe(404)
    owner = await backend.member(acme, 'owner')
  })

  it('are forgotten when they are over, in every organization, and no others', async () => {
    const [shop, club] = [await backend.organization('Shop'), await backend.organization('Club')]
    const other = await startTestBackend({ databaseUrl: backend.databaseUrl, clock: backend.clock })
    for (const organization of [shop, club])
      await invite({ email: 'late@example.com', role: 'viewer' }, await backend.apiKey(organization, 'admin'), organization)
    backend.clock.advance(7 * DAY_MS - 1)
    const living = await invite({ email: newEmail(), role: 'viewer' }, await backend.apiKey(shop, 'admin'), shop)
    const { db } = backend.pool
    const emails = async () => (await db.selectFrom('invitation').select('email').execute()).map(({ email }) => email)
    await backend.jobs.deleteExpired()
    expect((await emails()).filter((email) => email === 'late@example.com')).toHaveLength(2)
    backend.clock.advance(1)
    await Promise.all([backend.jobs.deleteExpired(), other.jobs.deleteExpired()])
    expect(await emails()).toEqual([living.body.email])
    expect(await db.selectFrom('invitation_token').select('hash').execute()).toHaveLength(1)
    expect((await accept(tokenOf(living))).status).toBe(200)
    await other.close()
    owner = await backend.member(acme, 'owner')
  })

  it('can be taken back: the link is dead from the answer on [AUDIT-10, INVITE-06, WIRE-13]', async () => {
    const answer = await invite({ email: newEmail(), role: 'viewer' })
    const { status, body } = await revoke(answer.body.id)
    expect([status, body]).toEqual([204, undefined])
    expect((await accept(tokenOf(answer))).status).toBe(404)
    expect((await revoke(answer.body.id)).status).toBe(404)
    expect(await audit('invitation.revoked')).toMatchObject({ details: { email: answer.body.email, role: 'viewer' } })
  })

  it('of others, unknown and malformed ones are one and the same 404 [ERROR-10, WIRE-07, WIRE-08]', async () => {
    const shop = await backend.organization('Shop')
    const foreign = await invite({ email: newEmail(), role: 'viewer' }, await backend.member(shop, 'owner'), shop)
    const own = await invite({ email: newEmail(), role: 'viewer' })
    const answers = new Set<string>()
    for (const id of [foreign.body.id, UNKNOWN, 'nonsense', own.body.id.toUpperCase(), own.body.id.replace('inv', 'usr')]) {
      const { status, body } = await revoke(id)
      answers.add(`${status} ${body.error.code} ${body.error.message}`)
    }
    expect([...answers]).toEqual(['404 not_found There is nothing here under this name.'])
    expect((await accept(tokenOf(foreign))).status).toBe(200)
  })
})

describe('POST /v1/auth/invitations/accept', () => {
  it('makes a new user a member, signs them in, and the password is theirs from now on [AUDIT-10, INVITE-07, INVITE-08]', async () => {
    const email = newEmail()
    const { status, body, headers } = await accept(tokenOf(await invite({ email, role: 'admin' })))
    expect(status).toBe(200)
    expect(body).toEqual({ token: expect.any(String), expires_at: expect.any(String) })
    expect(headers['x-ratelimit-limit']).toBe('10')
    const as = { authorization: `Bearer ${body.token}` }
    expect((await backend.call('GET', '/v1/organizations', { as })).body.organizations).toMatchObject([
      { id: acme.id, role: 'admin' },
    ])
    expect((await login(email, PASSWORD)).status).toBe(200)
    expect((await list('', as)).body.invitations.map((entry: { email: string }) => entry.email)).not.toContain(email)
    const joined = await audit('member.joined')
    expect(joined).toMatchObject({ actor_kind: 'user', target_type: 'user', details: { email, role: 'admin' } })
    expect(joined?.actor_id).toBe(joined?.target_id)
    expect(joined?.ip).toMatch(/^198\.51\.100\./)
  })

  it('takes the password of a known user, and no other [INVITE-09]', async () => {
    const email = newEmail()
    const userId = await createUser(backend.pool.db, backend.clock, email, await hashPassword(PASSWORD))
    const token = tokenOf(await invite({ email, role: 'member' }))
    for (const wrong of [`${PASSWORD}!`, 'wrong', PASSWORD.toUpperCase()]) {
      const { status, body } = await accept(token, wrong)
      expect([status, body.error.code]).toEqual([401, 'unauthorized'])
    }
    const { status, body } = await accept(token, PASSWORD)
    expect(status).toBe(200)
    const members = (
      await backend.call('GET', `/v1/organizations/${acme.id}/members`, { as: { authorization: `Bearer ${body.token}` } })
    ).body
    expect(members.members.find((entry: { email: string }) => entry.email === email).id).toBe(encodeId('user', userId))
  })

  it('asks a known user for their second factor [ERROR-07]', async () => {
    const email = newEmail()
    const home = await backend.organization('Home')
    const joined = await accept(tokenOf(await invite({ email, role: 'viewer' }, await backend.member(home, 'owner'), home)))
    const as = { authorization: `Bearer ${joined.body.token}` }
    const setUp = (body: object) => backend.call('POST', '/v1/auth/totp', { as, body })
    const { secret, recovery_codes: codes } = (await setUp({})).body
    const code = await generate({ secret, epoch: Math.floor(backend.clock.now() / 1000) })
    expect((await setUp({ code })).status).toBe(200)
    const token = tokenOf(await invite({ email: email, role: 'member' }))
    const refused = async (more: object) => (await accept(token, PASSWORD, more)).body.error.code
    expect(await refused({})).toBe('totp_required')
    expect(await refused({ totp_code: 'no such code' })).toBe('unauthorized')
    // The code of the set-up is spent.
    expect(await refused({ totp_code: code })).toBe('unauthorized')
    expect(await memberRole(email)).toEqual([])
    expect((await accept(token, PASSWORD, { totp_code: codes[0] })).status).toBe(200)
    expect(await memberRole(email)).toEqual(['member'])
    const login = { email, password: PASSWORD, totp_code: codes[0] }
    expect((await backend.call('POST', '/v1/auth/login', { body: login })).status).toBe(401)
  })

  it('takes nobody in beyond the plan, and the link lives on [ERROR-12]', async () => {
    const shop = await backend.organization('Shop')
    const admin = await backend.member(shop, 'admin')
    const { db } = backend.pool
    const plan = (name: 'free' | 'pro') =>
      db.updateTable('organization').set({ plan: name }).where('number', '=', shop.number).execute()
    await plan('free')
    const tokens: string[] = []
    for (let count = 0; count < 3; count += 1)
      tokens.push(tokenOf(await invite({ email: newEmail(), role: 'viewer' }, admin, shop)))
    const answers = await Promise.all(tokens.map((token) => accept(token)))
    expect(answers.map(({ status }) => status).sort((a, b) => a - b)).toEqual([200, 402, 402])
    const full = await invite({ email: newEmail(), role: 'viewer' }, admin, shop)
    expect([full.status, full.body.error.code]).toEqual([402, 'plan_limit_reached'])
    await plan('pro')
    const again = await Promise.all(tokens.map((token) => accept(token)))
    expect(again.map(({ status }) => status).sort((a, b) => a - b)).toEqual([200, 200, 404])
  })

  it('does not change the role of who became a member otherwise', async () => {
    const email = newEmail()
    const token = tokenOf(await invite({ email, role: 'owner' }))
    const userId = await createUser(backend.pool.db, backend.clock, email, await hashPassword(PASSWORD))
    await insertMembership(backend.pool.db, acme.number, userId, 'viewer', new Date(backend.clock.now()))
    expect((await accept(token)).status).toBe(200)
    expect(await memberRole(email)).toEqual(['viewer'])
    expect((await accept(token)).status).toBe(404)
  })

  it.each([
    [{ password: 'short' }, 'password'],
    [{ password: 'password1234' }, 'password'],
    [{ password: undefined }, 'password'],
    [{ password: 12 }, 'password'],
    [{ token: undefined }, 'token'],
    [{ role: 'owner' }, 'role'],
    [{ email: 'other@example.com' }, 'email'],
    [{ organization_id: 'x' }, 'organization_id'],
  ])('%j is a 400 that names %s, and the link lives on [WIRE-14]', async (change, path) => {
    const email = newEmail()
    const token = tokenOf(await invite({ email, role: 'viewer' }))
    const { status, body } = await accept(token, PASSWORD, change)
    expect([status, body.error.details[0].path]).toEqual([400, path])
    expect((await accept(token)).status).toBe(200)
  })

  it('is one and the same 404 for a token that was used, is unknown or has expired [INVITE-10, INVITE-11]', async () => {
    const used = tokenOf(await invite({ email: newEmail(), role: 'viewer' }))
    await accept(used)
    const late = tokenOf(await invite({ email: newEmail(), role: 'viewer' }))
    const latest = tokenOf(await invite({ email: newEmail(), role: 'viewer' }))
    backend.clock.advance(7 * DAY_MS - 1)
    expect((await accept(latest)).status).toBe(200)
    backend.clock.advance(1)
    const answers = new Set<string>()
    for (const token of [used, late, 'nonsense', `${late}x`, 'A'.repeat(43), '💥']) {
      const { status, body } = await accept(token)
      answers.add(`${status} ${body.error.code} ${body.error.message}`)
    }
    expect([...answers]).toEqual(['404 not_found There is nothing here under this name.'])
    owner = await backend.member(acme, 'owner')
  })

  it('lets one of many at once in, and makes one membership', async () => {
    const other = await startTestBackend({ databaseUrl: backend.databaseUrl, clock: backend.clock })
    for (const isKnown of [false, true]) {
      const email = newEmail()
      if (isKnown) await createUser(backend.pool.db, backend.clock, email, await hashPassword(PASSWORD))
      const body = { token: tokenOf(await invite({ email, role: 'member' })), password: PASSWORD }
      const answers = await Promise.all(
        Array.from({ length: 6 }, (_, index) =>
          (index % 2 === 0 ? backend : other).call('POST', '/v1/auth/invitations/accept', { body, ip: `203.0.113.${index}` }),
        ),
      )
      expect(answers.map(({ status }) => status).sort((a, b) => a - b)).toEqual([200, 404, 404, 404, 404, 404])
      expect(await memberRole(email)).toEqual(['member'])
    }
    await other.close()
  })

  it('makes one user of a new e-mail that accepts in two organizations at once', async () => {
    for (let round = 0; round < 4; round += 1) {
      const email = newEmail()
      const shop = await backend.organization('Shop')
      const shopOwner = await backend.member(shop, 'owner')
      const tokens = [
        tokenOf(await invite({ email, role: 'viewer' })),
        tokenOf(await invite({ email, role: 'viewer' }, shopOwner, shop)),
      ]
      // The second has another password: it must be refused, and must not get into the account that the first request created.
      const passwords = round % 2 === 0 ? [PASSWORD, PASSWORD] : [PASSWORD, `another ${PASSWORD}`]
      const answers = await Promise.all(tokens.map((token, index) => accept(token, passwords[index])))
      const statuses = answers.map(({ status }) => status).sort((a, b) => a - b)
      expect(statuses).toEqual(round % 2 === 0 ? [200, 200] : [200, 401])
      const users = await backend.pool.db.selectFrom('app_user').select('id').where('email', '=', email).execute()
      expect(users).toHaveLength(1)
    }
  })

  it('is limited per address, and per e-mail together with the login [LIMIT-15]', async () => {
    const strict = await startTestBackend({
      databaseUrl: backend.databaseUrl,
      clock: backend.clock,
      environment: { VEDETTE_RATE_LIMITS: 'auth=3' },
    })
    const email = newEmail()
    await createUser(backend.pool.db, backend.clock, email, await hashPassword(PASSWORD))
    const token = tokenOf(await invite({ email, role: 'viewer' }))
    const attempt = async (given: string, ip: string) =>
      (await strict.call('POST', '/v1/auth/invitations/accept', { body: { token: given, password: 'wrong' }, ip })).status
    const unknown = []
    for (let count = 0; count < 4; count += 1) unknown.push(await attempt('nonsense', '203.0.113.50'))
    expect(unknown).toEqual([404, 404, 404, 429])
    const wrong = []
    for (let count = 0; count < 4; count += 1) wrong.push(await attempt(token, `203.0.113.${60 + count}`))
    expect(wrong).toEqual([401, 401, 401, 429])
    const body = { email, password: PASSWORD }
    expect((await strict.call('POST', '/v1/auth/login', { body, ip: '203.0.113.70' })).status).toBe(429)
    await strict.close()
  })
})

describe('where no mail and no public URL is set up', () => {
  it('the link is in the answer, under the address that the backend listens on [INVITE-02]', async () => {
    // Nothing listens: the address is the one of the settings.
    const plain = await startTestBackend({
      environment: { VEDETTE_HOST: '127.0.0.1', VEDETTE_PORT: '8181' },
      throughProxy: false,
    })
    const shop = await plain.organization('Shop')
    const { status, body } = await plain.call('POST', `/v1/organizations/${shop.id}/members/invite`, {
      as: await plain.member(shop, 'owner'),
      body: { email: 'a@example.com', role: 'viewer' },
      headers: { host: 'evil.example' },
    })
    expect(status).toBe(201)
    expect(body.accept_url).toMatch(/^http:\/\/127\.0\.0\.1:8181\/invitations\/accept\?token=/)
    await plain.close()
  })
})

const login = (email: string, password: string) => backend.call('POST', '/v1/auth/login', { body: { email, password } })

const audit = (action: string) =>
  backend.pool.db
    .selectFrom('audit_event')
    .select(['actor_kind', 'actor_id', 'target_type', 'target_id', 'ip', 'details'])
    .where('organization', '=', acme.number)
    .where('action', '=', action)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()

describe('the names of people', () => {
  const me = (as: Credentials) => backend.call('GET', '/v1/me', { as })
  const rename = (name: unknown, as: Credentials) => backend.call('PATCH', '/v1/me', { as, body: { name } })

  it('stand next to the e-mails of members and in the audit log, which has each change', async () => {
    const shop = await backend.organization('Shop')
    const ada = await backend.member(shop, 'owner')
    expect((await me(ada)).body.name).toBeNull()
    expect((await rename('Ada Lovelace', ada)).body.name).toBe('Ada Lovelace')
    const { members } = (await backend.call('GET', `/v1/organizations/${shop.id}/members`, { as: ada })).body
    const listed = members.find(({ name }: { name: string }) => name === 'Ada Lovelace')
    const { audit_events: events } = (await backend.call('GET', '/v1/audit-events?action=user.name_changed', { as: ada })).body
    expect(events).toHaveLength(1)
    expect(events[0]).toMatchObject({
      actor: { name: 'Ada Lovelace', email: listed.email },
      details: { name: 'Ada Lovelace', previous: null },
    })
    expect((await rename(null, ada)).body.name).toBeNull()
  })

  it.each(['', '   ', '\u200B\u200B', 'n'.repeat(201)])(
    'are refused where nobody sees them or they are too long: %j',
    async (name) => {
      expect((await rename(name, owner)).status).toBe(400)
    },
  )

  it('and the organization and the role are shown to the holder of the link, and not after it was used', async () => {
    const read = (token: unknown) =>
      backend.call('POST', '/v1/auth/invitations/read', { body: { token }, ip: `198.51.100.${(address += 1) % 250}` })
    await rename('Ada', owner)
    const email = newEmail()
    const token = tokenOf(await invite({ email, role: 'viewer' }))
    const { status, body } = await read(token)
    expect([status, body]).toEqual([
      200,
      {
        organization: 'Acme',
        email,
        role: 'viewer',
        invited_by: { email: expect.stringContaining('@'), name: 'Ada' },
        expires_at: expect.any(String),
      },
    ])
    const accepted = await accept(token, PASSWORD, { name: 'Grace' })
    expect(accepted.status).toBe(200)
    expect((await me({ authorization: `Bearer ${accepted.body.token}` })).body).toMatchObject({ email, name: 'Grace' })
    for (const each of [token, 'unknown']) expect((await read(each)).status).toBe(404)
  })
})
