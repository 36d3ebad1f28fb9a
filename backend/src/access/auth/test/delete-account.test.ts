import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { actionsIn, person, REFUSED, refusals } from './person.ts'
import { accountMails } from '../../../../test/account-mail.ts'
import { insertMembership } from '../../members/index.ts'
import { decodeId } from '../../../platform/ids.ts'
import { PASSWORD, startTestBackend, type TestBackend } from '../../../../test/harness.ts'

describe('DELETE /v1/auth/me', () => {
  let backend: TestBackend
  let second: TestBackend
  beforeAll(async () => {
    const environment = { VEDETTE_SMTP_URL: 'smtp://127.0.0.1:9' }
    backend = await startTestBackend({ environment })
    second = await startTestBackend({ environment, databaseUrl: backend.databaseUrl, clock: backend.clock })
  })
  afterAll(async () => {
    await second.close()
    await backend.close()
  })

  const remove = (as: object, password = PASSWORD, on = backend) => on.call('DELETE', '/v1/auth/me', { as, body: { password } })

  it('deletes the account and what is its own; organizations keep what was made', async () => {
    const acme = await backend.organization()
    const owner = await backend.member(acme, 'owner')
    const user = await person(backend, acme, 'admin')
    const invited = { as: user.as, body: { email: 'guest@example.com', role: 'viewer' } }
    await backend.call('POST', `/v1/organizations/${acme.id}/members/invite`, invited)
    const monitor = { as: user.as, body: { name: 'Shop', url: 'http://127.0.0.1:9/' } }
    expect((await backend.call('POST', '/v1/monitors', monitor)).status).toBe(201)
    expect((await remove(user.as)).status).toBe(204)
    for (const on of [backend, second]) expect((await on.call('GET', '/v1/auth/me', { as: user.as })).status).toBe(401)
    expect((await user.login()).status).toBe(401)
    for (const table of [
      'session',
      'user_totp',
      'recovery_code',
      'password_reset',
      'email_verification',
      'membership',
    ] as const) {
      const rows = await backend.pool.db.selectFrom(table).select('user_id').where('user_id', '=', user.userId).execute()
      expect(rows, table).toEqual([])
    }
    const list = async (path: string) => (await backend.call('GET', path, { as: owner })).body.total
    expect(await list(`/v1/organizations/${acme.id}/members`)).toBe(2)
    expect(await list(`/v1/organizations/${acme.id}/invitations`)).toBe(0)
    expect(await list('/v1/monitors')).toBe(1)
    expect((await actionsIn(backend, acme)).at(-1)).toMatchObject({ action: 'member.left', actor_id: user.userId })
    expect((await accountMails(backend, user.userId)).map(({ to, subject }) => [to, subject])).toEqual([
      [user.email, 'Your account was deleted'],
    ])
  })

  /** An organization whose only owner is this person. */
  const own = async (as: object, name: string) =>
    decodeId('organization', (await backend.call('POST', '/v1/organizations', { as, body: { name } })).body.id)

  it('names the organizations without another owner, and deletes nothing', async () => {
    const user = await person(backend, await backend.organization('Acme'), 'owner')
    await own(user.as, 'Shop')
    const answer = await remove(user.as)
    expect([answer.status, answer.body.error.message]).toEqual([
      409,
      'You are the only owner of Shop. Make another member an owner, or delete it, first.',
    ])
    expect((await backend.call('GET', '/v1/auth/me', { as: user.as })).body.organizations).toHaveLength(2)
  })

  it('leaves one owner where both owners delete their accounts at once', async () => {
    const elsewhere = await backend.organization()
    const [one, other] = [await person(backend, elsewhere), await person(backend, elsewhere)]
    const { db } = backend.pool
    const id = await own(one.as, 'Shop')
    const { number } = await db.selectFrom('organization').select('number').where('id', '=', id).executeTakeFirstOrThrow()
    await insertMembership(db, number, other.userId, 'owner', new Date(backend.clock.now()))
    const answers = await Promise.all([remove(one.as), remove(other.as, PASSWORD, second)])
    expect(answers.map(({ status }) => status).sort((a, b) => a - b)).toEqual([204, 409])
  })

  it('needs the password, of a person', async () => {
    const acme = await backend.organization()
    const user = await person(backend, acme)
    expect((await remove(user.as, 'a wrong password')).status).toBe(401)
    expect((await user.login()).status).toBe(200)
    expect(await refusals(backend, acme, 'DELETE', '/v1/auth/me', { password: PASSWORD })).toEqual(REFUSED)
  })
})
