import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { actionsIn, person, sessionOf } from './person.ts'
import { PASSWORD, startTestBackend, type TestBackend, type TestOrganization } from '../../../../test/harness.ts'
import { queuedToken } from '../../../../test/queued-mail.ts'

const NEW_PASSWORD = 'another long and rare passphrase'

describe('an invitation of an e-mail whose account was never verified', () => {
  let backend: TestBackend
  let mute: TestBackend
  let acme: TestOrganization
  beforeAll(async () => {
    backend = await startTestBackend({ environment: { VEDETTE_SMTP_URL: 'smtp://127.0.0.1:9' } })
    mute = await startTestBackend({ databaseUrl: backend.databaseUrl, clock: backend.clock })
    acme = await backend.organization('Acme')
  })
  afterAll(async () => {
    await mute.close()
    await backend.close()
  })

  const invite = async (email: string, on = backend) => {
    const as = await backend.member(acme, 'owner')
    const { body } = await on.call('POST', `/v1/organizations/${acme.id}/members/invite`, { as, body: { email, role: 'member' } })
    return body.accept_url ? (new URL(body.accept_url).searchParams.get('token') as string) : queuedToken(on, body.id)
  }
  const accept = (token: string, more: object = {}) =>
    backend.call('POST', '/v1/auth/invitations/accept', { body: { token, password: NEW_PASSWORD, ...more } })
  const me = async (as: object) => (await backend.call('GET', '/v1/auth/me', { as })).body

  it('gives the e-mail to who received the mail; the earlier account is signed out and keeps its organizations', async () => {
    const squatter = await person(backend, await backend.organization('Lure'), 'owner')
    const answer = await accept(await invite(squatter.email), { replace_unverified: true })
    expect(answer.status).toBe(200)
    const owner = await me(sessionOf(answer))
    expect(owner).toMatchObject({ email: squatter.email, email_verified: true, organizations: [{ name: 'Acme' }] })
    expect((await backend.call('GET', '/v1/auth/me', { as: squatter.as })).status).toBe(401)
    expect((await squatter.login()).status).toBe(401)
    const again = await squatter.login({
      email: (
        await backend.pool.db.selectFrom('app_user').select('email').where('id', '=', squatter.userId).executeTakeFirstOrThrow()
      ).email,
    })
    expect(await me(sessionOf(again))).toMatchObject({ organizations: [{ name: 'Lure' }], email_verified: false })
  })

  it('leaves the account alone without `replace_unverified`, and the password is needed', async () => {
    const user = await person(backend, await backend.organization())
    const token = await invite(user.email)
    expect((await accept(token)).status).toBe(401)
    const answer = await accept(token, { password: PASSWORD })
    expect(answer.status).toBe(200)
    expect(await me(sessionOf(answer))).toMatchObject({ email: user.email, email_verified: true })
  })

  it('never replaces a verified account', async () => {
    const user = await person(backend, await backend.organization())
    const update = backend.pool.db.updateTable('app_user').set({ email_verified_at: new Date(backend.clock.now()) })
    await update.where('id', '=', user.userId).execute()
    const token = await invite(user.email)
    expect((await accept(token, { replace_unverified: true })).status).toBe(409)
    expect((await user.login()).status).toBe(200)
    // The refused attempt has not used the invitation.
    expect((await accept(token, { password: PASSWORD })).status).toBe(200)
  })

  it('replaces nothing where the link was not mailed: who invites could use it', async () => {
    const user = await person(backend, await backend.organization())
    const token = await invite(user.email, mute)
    expect((await accept(token, { replace_unverified: true })).status).toBe(401)
    expect((await user.login()).status).toBe(200)
    const guest = 'guest@example.com'
    const answer = await accept(await invite(guest, mute))
    expect(await me(sessionOf(answer))).toMatchObject({ email: guest, email_verified: false })
  })

  it('is in the audit log of the organizations of the earlier account', async () => {
    const lure = await backend.organization()
    const squatter = await person(backend, lure, 'owner')
    await accept(await invite(squatter.email), { replace_unverified: true })
    expect((await actionsIn(backend, lure)).map(({ action }) => action)).toContain('user.email_released')
  })
})
