import { HOUR_MS, MINUTE_MS } from '@vedette/shared'
import { generate } from 'otplib/functional'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { accountMails } from '../../../../test/account-mail.ts'
import { PASSWORD, startTestBackend, type TestBackend, type TestOrganization } from '../../../../test/harness.ts'
import { person } from './person.ts'

const WRONG = '000000'

describe('a second factor that somebody guesses or steals', () => {
  let backend: TestBackend
  let second: TestBackend
  let organization: TestOrganization
  beforeAll(async () => {
    const environment = { VEDETTE_SMTP_URL: 'smtp://127.0.0.1:9', VEDETTE_RATE_LIMITS: 'off' }
    backend = await startTestBackend({ environment })
    second = await startTestBackend({ environment, databaseUrl: backend.databaseUrl, clock: backend.clock })
    organization = await backend.organization()
  })
  afterAll(async () => {
    await second.close()
    await backend.close()
  })

  const setUp = (as: object, body: object = {}) => backend.call('POST', '/v1/auth/totp', { as, body })
  const subjects = async (userId: string) => (await accountMails(backend, userId)).map(({ subject }) => subject)
  async function guarded() {
    const user = await person(backend, organization)
    const { secret, recovery_codes: recoveryCodes } = (await setUp(user.as)).body
    const code = () => generate({ secret, epoch: Math.floor(backend.clock.now() / 1000) })
    expect((await setUp(user.as, { code: await code() })).status).toBe(200)
    backend.clock.advance(MINUTE_MS)
    return { ...user, code, recoveryCodes: recoveryCodes as string[] }
  }

  it('is set up by a session of under five minutes, or with the password', async () => {
    const young = await person(backend, organization)
    backend.clock.advance(5 * MINUTE_MS - 1)
    expect((await setUp(young.as)).status).toBe(201)
    backend.clock.advance(1)
    const refused = await setUp(young.as)
    expect([refused.status, refused.body.error.details[0].path]).toEqual([400, 'password'])
    expect((await setUp(young.as, { password: 'a wrong password' })).status).toBe(401)
    expect((await setUp(young.as, { password: PASSWORD })).status).toBe(201)
  })

  it('waits after ten wrong codes, twice as long after each, up to an hour, over all backends', async () => {
    const user = await guarded()
    const attempt = async (totp_code: string, on = backend) => {
      const { status, headers } = await user.login({ totp_code }, on)
      return [status, headers['retry-after']]
    }
    for (let count = 0; count < 10; count += 1)
      expect(await attempt(WRONG, count % 2 ? backend : second)).toEqual([401, undefined])
    for (const seconds of [30, 60, 120, 240, 480, 960, 1920, 3600, 3600]) {
      for (const on of [backend, second]) expect(await attempt(await user.code(), on)).toEqual([429, String(seconds)])
      backend.clock.advance(seconds * 1_000 - 1)
      expect((await attempt(WRONG))[0]).toBe(429)
      backend.clock.advance(1)
      expect((await attempt(WRONG))[0]).toBe(401)
    }
    backend.clock.advance(HOUR_MS)
    expect((await attempt(await user.code()))[0]).toBe(200)
    // Counted from the start again.
    expect((await attempt(WRONG))[0]).toBe(401)
    backend.clock.advance(MINUTE_MS)
    expect((await attempt(await user.code()))[0]).toBe(200)
  })

  it('lets a recovery code in meanwhile, and ends no session', async () => {
    const user = await guarded()
    for (let count = 0; count < 10; count += 1) await user.login({ totp_code: WRONG })
    expect((await backend.call('GET', '/v1/auth/me', { as: user.as })).status).toBe(200)
    expect((await user.login({ totp_code: user.recoveryCodes[0] })).status).toBe(200)
    backend.clock.advance(MINUTE_MS)
    expect((await user.login({ totp_code: await user.code() })).status).toBe(200)
  })

  it('counts codes that are to remove it, and none without the right password', async () => {
    const user = await guarded()
    for (let count = 0; count < 12; count += 1) await user.login({ totp_code: WRONG, password: 'a wrong password' })
    expect((await user.login({ totp_code: await user.code() })).status).toBe(200)
    const remove = (code: string) => backend.call('DELETE', '/v1/auth/totp', { as: user.as, body: { code } })
    for (let count = 0; count < 10; count += 1) expect((await remove(WRONG)).status).toBe(401)
    backend.clock.advance(1_000)
    expect((await remove(WRONG)).status).toBe(429)
    expect((await remove(user.recoveryCodes[1] ?? '')).status).toBe(204)
  })

  it('is mailed about: enabled, five wrong codes, disabled; and so are passwords and API keys', async () => {
    const user = await guarded()
    for (let count = 0; count < 7; count += 1) await user.login({ totp_code: WRONG })
    await backend.call('DELETE', '/v1/auth/totp', { as: user.as, body: { password: PASSWORD } })
    const body = { current_password: PASSWORD, new_password: 'another long and rare passphrase' }
    await backend.call('POST', '/v1/auth/password', { as: user.as, body })
    expect(await subjects(user.userId)).toEqual([
      'Two-factor authentication is enabled (Vedette)',
      'Wrong codes of your second factor (Vedette)',
      'Two-factor authentication is disabled (Vedette)',
      'Your password has changed (Vedette)',
    ])
    const owner = await backend.member(organization, 'owner')
    await backend.call('POST', '/v1/api-keys', { as: owner, body: { name: 'k', scopes: ['read'] } })
    expect(await subjects(owner.userId)).toEqual(['A new API key (Vedette)'])
  })
})
