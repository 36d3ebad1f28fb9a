import { HOUR_MS } from '@vedette/shared'
import { type AddressInfo, createServer } from 'node:net'
import { generate } from 'otplib/functional'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { PASSWORD, startTestBackend, type TestBackend, type TestOrganization } from '../../../../test/harness.ts'
import { startTestSmtp, type TestSmtp } from '../../../../test/smtp.ts'
import { actionsIn, ascending, person, sessionOf } from './person.ts'

const NEW_PASSWORD = 'another long and rare passphrase'

describe('a password reset', () => {
  let backend: TestBackend
  let second: TestBackend
  let smtp: TestSmtp
  let organization: TestOrganization
  let isRefusing = false
  beforeAll(async () => {
    smtp = await startTestSmtp({ onRcptTo: (_address, _session, done) => (isRefusing ? done(new Error('busy')) : done()) })
    const environment = { VEDETTE_SMTP_URL: smtp.url, VEDETTE_PUBLIC_URL: 'https://status.example.org' }
    backend = await startTestBackend({ environment })
    second = await startTestBackend({ environment, databaseUrl: backend.databaseUrl, clock: backend.clock })
    organization = await backend.organization()
  })
  afterAll(async () => {
    await second.close()
    await backend.close()
    await smtp.close()
  })
  beforeEach(() => void smtp.mails.splice(0))

  const requestReset = (email: unknown, on = backend) => on.call('POST', '/v1/auth/password-reset', { body: { email } })
  const confirm = (body: unknown, on = backend) => on.call('POST', '/v1/auth/password-reset/confirm', { body })
  const requests = () => backend.pool.db.selectFrom('password_reset_request').select('email').execute()
  const tokenIn = (text: string | undefined) =>
    /^https:\/\/status\.example\.org\/password-reset#token=(\S+)$/m.exec(text ?? '')?.[1] ?? ''
  /** A living link of this e-mail, out of a real mail. */
  async function linkOf(email: string): Promise<string> {
    await requestReset(email)
    await backend.jobs.sendResets()
    return tokenIn(smtp.mails.findLast(({ to }) => to.includes(email))?.text)
  }

  it('comes by mail, opens a session with the new password, and ends all others [AUTH-25, START-32, START-33]', async () => {
    const user = await person(backend, organization)
    const { status, body } = await requestReset(user.email.toUpperCase())
    expect([status, body]).toEqual([202, {}])
    await backend.jobs.sendResets()
    expect(smtp.mails).toHaveLength(1)
    expect(smtp.mails[0]).toMatchObject({ to: [user.email], from: 'vedette@status.example.org' })
    const token = tokenIn(smtp.mails[0]?.text)
    expect(token).toMatch(/^[\w-]{43}$/)
    const answer = await confirm({ token, new_password: NEW_PASSWORD }, second)
    expect(answer.status).toBe(200)
    expect(Object.keys(answer.body).sort()).toEqual(['expires_at', 'token'])
    for (const on of [backend, second]) {
      expect((await on.call('GET', '/v1/auth/me', { as: user.as })).status).toBe(401)
      expect((await on.call('GET', '/v1/auth/me', { as: sessionOf(answer) })).status).toBe(200)
    }
    expect((await user.login()).status).toBe(401)
    expect((await user.login({ password: NEW_PASSWORD })).status).toBe(200)
  })

  it('answers alike and does the same work for an unknown e-mail, to which nothing is sent [AUTH-24]', async () => {
    const user = await person(backend, organization)
    const known = await requestReset(user.email)
    const unknown = await requestReset('nobody@example.com')
    expect(unknown.body).toEqual(known.body)
    expect(unknown.status).toBe(known.status)
    expect(Object.keys(unknown.headers).sort()).toEqual(Object.keys(known.headers).sort())
    // The same row in the same table: who it is for is asked when the mail goes out.
    expect((await requests()).map(({ email }) => email).sort()).toEqual([user.email, 'nobody@example.com'].sort())
    await backend.jobs.sendResets()
    expect(smtp.mails.map(({ to }) => to)).toEqual([[user.email]])
    expect(await requests()).toEqual([])
  })

  it('keeps the token as its SHA-256 only', async () => {
    const user = await person(backend, organization)
    const token = await linkOf(user.email)
    const row = await backend.pool.db
      .selectFrom('password_reset')
      .selectAll()
      .where('user_id', '=', user.userId)
      .executeTakeFirstOrThrow()
    expect(row.hash).toHaveLength(32)
    expect(JSON.stringify(row)).not.toContain(token)
  })

  it('works once, also when two come at once', async () => {
    const user = await person(backend, organization)
    const token = await linkOf(user.email)
    const body = { token, new_password: NEW_PASSWORD }
    const statuses = (await Promise.all([confirm(body), confirm(body, second), confirm(body)]))
      .map(({ status }) => status)
      .sort(ascending)
    expect(statuses).toEqual([200, 404, 404])
    expect((await confirm(body)).status).toBe(404)
  })

  it('works for an hour', async () => {
    const user = await person(backend, organization)
    const early = await linkOf(user.email)
    backend.clock.advance(HOUR_MS - 1)
    expect((await confirm({ token: early, new_password: NEW_PASSWORD })).status).toBe(200)
    const late = await linkOf(user.email)
    backend.clock.advance(HOUR_MS)
    const { status, body } = await confirm({ token: late, new_password: NEW_PASSWORD })
    expect([status, body.error.code]).toEqual([404, 'not_found'])
    await backend.jobs.deleteExpired()
    expect(
      await backend.pool.db.selectFrom('password_reset').select('user_id').where('user_id', '=', user.userId).execute(),
    ).toEqual([])
  })

  it('works with the newest link only, and a minute lies between two', async () => {
    const user = await person(backend, organization)
    const first = await linkOf(user.email)
    backend.clock.advance(59_000)
    expect(await linkOf(user.email)).toBe(first)
    expect(smtp.mails).toHaveLength(1)
    backend.clock.advance(1_000)
    const newest = await linkOf(user.email)
    expect(newest).not.toBe(first)
    expect((await confirm({ token: first, new_password: NEW_PASSWORD })).status).toBe(404)
    expect((await confirm({ token: newest, new_password: NEW_PASSWORD })).status).toBe(200)
  })

  it('dies with a change of the password', async () => {
    const user = await person(backend, organization)
    const token = await linkOf(user.email)
    await backend.call('POST', '/v1/auth/password', {
      as: user.as,
      body: { current_password: PASSWORD, new_password: NEW_PASSWORD },
    })
    expect((await confirm({ token, new_password: `${NEW_PASSWORD}!` })).status).toBe(404)
  })

  it('is sent again while the mail server refuses, by one instance at a time, and given up after an hour', async () => {
    const user = await person(backend, organization)
    isRefusing = true
    try {
      await requestReset(user.email)
      await Promise.all([backend.jobs.sendResets(), second.jobs.sendResets()])
      expect(await requests()).toHaveLength(1)
      isRefusing = false
      await backend.jobs.sendResets()
      expect(smtp.mails).toEqual([])
      backend.clock.advance(60_000)
      await Promise.all([backend.jobs.sendResets(), second.jobs.sendResets()])
      expect(smtp.mails).toHaveLength(1)
      expect((await confirm({ token: tokenIn(smtp.mails[0]?.text), new_password: NEW_PASSWORD })).status).toBe(200)

      isRefusing = true
      await requestReset(user.email)
      backend.clock.advance(HOUR_MS)
      await backend.jobs.sendResets()
      expect(await requests()).toEqual([])
    } finally {
      isRefusing = false
    }
  })

  it('does not hold up the end of the program, and goes out after the next start', async () => {
    const connected = Promise.withResolvers<void>()
    const silent = createServer(() => connected.resolve())
    await new Promise<void>((resolve) => void silent.listen(0, '127.0.0.1', resolve))
    const { port } = silent.address() as AddressInfo
    const environment = { VEDETTE_SMTP_URL: `smtp://127.0.0.1:${port}` }
    const ending = await startTestBackend({ databaseUrl: backend.databaseUrl, clock: backend.clock, environment })
    const user = await person(backend, organization)
    await requestReset(user.email, ending)
    const sending = ending.jobs.sendResets()
    await connected.promise
    // Ends though the server never says a word.
    ending.jobs.end()
    await sending
    await ending.close()
    silent.close()
    backend.clock.advance(60_000)
    await backend.jobs.sendResets()
    expect(smtp.mails.map(({ to }) => to)).toEqual([[user.email]])
  })

  it('is not lost with a process that died before it sent it', async () => {
    const user = await person(backend, organization)
    isRefusing = true
    try {
      await requestReset(user.email)
      await backend.jobs.sendResets()
    } finally {
      isRefusing = false
    }
    // Its lease ends at once, within the minute that lies between two links.
    await backend.pool.db
      .updateTable('password_reset_request')
      .set({ next_try_at: new Date(backend.clock.now()) })
      .execute()
    await second.jobs.sendResets()
    expect(smtp.mails.map(({ to }) => to)).toEqual([[user.email]])
    expect((await confirm({ token: tokenIn(smtp.mails[0]?.text), new_password: NEW_PASSWORD })).status).toBe(200)
  })

  it('asks for the second factor where there is one, and spends the link only with it', async () => {
    const user = await person(backend, organization)
    const { secret, recovery_codes } = (await backend.call('POST', '/v1/auth/totp', { as: user.as, body: {} })).body
    const code = await generate({ secret, epoch: Math.floor(backend.clock.now() / 1000) })
    await backend.call('POST', '/v1/auth/totp', { as: user.as, body: { code } })
    const token = await linkOf(user.email)
    const without = await confirm({ token, new_password: NEW_PASSWORD })
    expect([without.status, without.body.error.code]).toEqual([401, 'totp_required'])
    const wrong = await confirm({ token, new_password: NEW_PASSWORD, totp_code: code })
    expect([wrong.status, wrong.body.error.code]).toEqual([401, 'unauthorized'])
    expect((await user.login({ totp_code: recovery_codes[0] })).status).toBe(200)
    expect((await confirm({ token, new_password: NEW_PASSWORD, totp_code: recovery_codes[1] })).status).toBe(200)
    expect((await user.login({ password: NEW_PASSWORD, totp_code: recovery_codes[1] })).status).toBe(401)
  })

  it('is written down in each organization, without token and password [AUDIT-11, AUDIT-13]', async () => {
    const own = await backend.organization()
    const user = await person(backend, own)
    const token = await linkOf(user.email)
    await confirm({ token, new_password: NEW_PASSWORD })
    const events = await actionsIn(backend, own)
    expect(events).toEqual([
      expect.objectContaining({ action: 'user.password_reset', actor_id: user.userId, details: { sessions_ended: 1 } }),
    ])
    expect(JSON.stringify(events)).not.toContain(token)
  })

  it.each([
    [undefined, 'email'],
    [7, 'email'],
    ['', 'email'],
    ['x'.repeat(255), 'email'],
    ['a\0@example.com', 'email'],
  ])('refuses %j as an e-mail and names it', async (email, path) => {
    const { status, body } = await requestReset(email)
    expect([status, body.error.details[0].path]).toEqual([400, path])
  })

  it.each([
    [{ token: 'x' }, 'new_password'],
    [{ new_password: NEW_PASSWORD }, 'token'],
    [{ token: 'x', new_password: 'password1234' }, 'new_password'],
    [{ token: 'x', new_password: 'short' }, 'new_password'],
    [{ token: 'x'.repeat(257), new_password: NEW_PASSWORD }, 'token'],
    [{ token: 'x', new_password: NEW_PASSWORD, totp_code: 1 }, 'totp_code'],
    [{ token: 'x', new_password: NEW_PASSWORD, email: 'a@b.c' }, 'email'],
  ])('refuses %j and names the field [WIRE-14]', async (given, path) => {
    const { status, body } = await confirm(given)
    expect([status, body.error.details[0].path]).toEqual([400, path])
  })

  it('is a 404 with a token that is none', async () => {
    for (const token of ['x', 'A'.repeat(43), '\u00e9', "' or 1=1"])
      expect((await confirm({ token, new_password: NEW_PASSWORD })).status).toBe(404)
  })

  it('is limited per address, and per e-mail from however many addresses [LIMIT-15, LIMIT-16]', async () => {
    const limited = await startTestBackend({
      databaseUrl: backend.databaseUrl,
      clock: backend.clock,
      environment: { VEDETTE_RATE_LIMITS: 'auth=10', VEDETTE_SMTP_URL: smtp.url },
    })
    const tries = async (count: number, body: (index: number) => object, ip: (index: number) => string, path = '') => {
      const statuses = []
      for (let index = 0; index < count; index += 1)
        statuses.push((await limited.call('POST', `/v1/auth/password-reset${path}`, { body: body(index), ip: ip(index) })).status)
      return statuses
    }
    const manyMails = await tries(
      11,
      (index) => ({ email: `a${index}@example.com` }),
      () => '203.0.113.1',
    )
    expect(manyMails).toEqual([...Array(10).fill(202), 429])
    const manyIps = await tries(
      11,
      () => ({ email: 'Eve@example.com' }),
      (index) => `198.51.100.${index}`,
    )
    expect(manyIps).toEqual([...Array(10).fill(202), 429])
    const user = await person(backend, organization)
    const secretOf = await backend.call('POST', '/v1/auth/totp', { as: user.as, body: {} })
    const epoch = Math.floor(backend.clock.now() / 1000)
    await backend.call('POST', '/v1/auth/totp', {
      as: user.as,
      body: { code: await generate({ secret: secretOf.body.secret, epoch }) },
    })
    const token = await linkOf(user.email)
    const guess = () => ({ token, new_password: NEW_PASSWORD, totp_code: 'no-such-code' })
    const guesses = await tries(11, guess, (index) => `192.0.2.${index}`, '/confirm')
    expect(guesses).toEqual([...Array(10).fill(401), 429])
    await limited.close()
  })

  it('keeps nothing where no mail is set up, and answers the same [AUTH-24]', async () => {
    const mute = await startTestBackend({ databaseUrl: backend.databaseUrl, clock: backend.clock })
    await backend.jobs.sendResets()
    const user = await person(backend, organization)
    expect((await requestReset(user.email, mute)).status).toBe(202)
    expect(await requests()).toEqual([])
    await mute.jobs.sendResets()
    await mute.close()
  })
})
