import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Credentials, startTestBackend, type TestBackend, type TestOrganization } from '../../../../test/harness.ts'
import { queuedToken } from '../../../../test/queued-mail.ts'

describe('an invitation that is sent again under its Idempotency-Key', () => {
  let backend: TestBackend
  let shop: TestOrganization
  let owner: Credentials
  beforeAll(async () => {
    // Nothing listens there: what is to be sent waits.
    backend = await startTestBackend({ environment: { VEDETTE_SMTP_URL: 'smtp://127.0.0.1:9' } })
    shop = await backend.organization('Shop')
    owner = await backend.member(shop, 'owner')
  })
  afterAll(() => backend.close())

  const waitingMails = async () => (await backend.pool.db.selectFrom('mail_outbox').select('id').execute()).length
  const invite = (key: string, email: string) =>
    backend.call('POST', `/v1/organizations/${shop.id}/members/invite`, {
      as: owner,
      body: { email, role: 'viewer' },
      headers: { 'idempotency-key': key },
    })
  const accept = async (id: string) =>
    backend.call('POST', '/v1/auth/invitations/accept', {
      body: { token: await queuedToken(backend, id), password: 'a long and rare passphrase' },
    })

  it('is a 409 with the id of the first, whose link lives on, and no second letter goes out [IDEM-01, IDEM-08, IDEM-09]', async () => {
    const first = await invite('one', 'one@example.com')
    const again = await invite('one', 'one@example.com')
    expect([first.status, again.status]).toEqual([201, 409])
    expect(again.body.error.details).toEqual([{ path: 'id', message: first.body.id }])
    expect(JSON.stringify(again.body)).not.toContain('token=')
    const kept = await backend.pool.db.selectFrom('idempotency_key').selectAll().execute()
    expect(JSON.stringify(kept)).not.toContain('token=')
    expect(await waitingMails()).toBe(1)
    expect((await accept(first.body.id)).status).toBe(200)
  })

  it('makes one invitation, one audit event and one letter of ten at once [IDEM-07]', async () => {
    const before = await waitingMails()
    const answers = await Promise.all(Array.from({ length: 10 }, () => invite('ten', 'ten@example.com')))
    const made = answers.filter(({ status }) => status === 201)
    expect(made).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(9)
    const { body } = await backend.call('GET', '/v1/audit-events?action=member.invited', { as: owner })
    const found = body.audit_events.filter(({ details }: { details: { email: string } }) => details.email === 'ten@example.com')
    expect(found).toHaveLength(1)
    expect(await waitingMails()).toBe(before + 1)
    expect((await accept(made[0]?.body.id)).status).toBe(200)
  })
})
