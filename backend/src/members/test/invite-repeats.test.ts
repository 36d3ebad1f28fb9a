import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { type Credentials, startTestBackend, type TestBackend, type TestOrganization } from '../../../test/harness.ts'
import type { Mail } from '../../platform/mail.ts'

describe('an invitation that is sent again under its Idempotency-Key', () => {
  let backend: TestBackend
  let shop: TestOrganization
  let owner: Credentials
  const mails: Mail[] = []
  beforeAll(async () => {
    backend = await startTestBackend({ mailer: { isSetUp: true, send: async (mail) => void mails.push(mail) } })
    shop = await backend.organization('Shop')
    owner = await backend.member(shop, 'owner')
  })
  afterAll(() => backend.close())

  const invite = (key: string, email: string) =>
    backend.call('POST', `/v1/organizations/${shop.id}/members/invite`, {
      as: owner,
      body: { email, role: 'viewer' },
      headers: { 'idempotency-key': key },
    })
  const accept = (link: string) =>
    backend.call('POST', '/v1/auth/invitations/accept', {
      body: { token: new URL(link).searchParams.get('token'), password: 'a long and rare passphrase' },
    })

  it('is a 409 with the id of the first, whose link lives on, and no second letter goes out [IDEM-01, IDEM-08, IDEM-09]', async () => {
    const first = await invite('one', 'one@example.com')
    const again = await invite('one', 'one@example.com')
    expect([first.status, again.status]).toEqual([201, 409])
    expect(again.body.error.details).toEqual([{ path: 'id', message: first.body.id }])
    expect(JSON.stringify(again.body)).not.toContain('token=')
    const kept = await backend.pool.db.selectFrom('idempotency_key').selectAll().execute()
    expect(JSON.stringify(kept)).not.toContain('token=')
    expect((await accept(first.body.accept_url)).status).toBe(200)
    // The letter of a later invitation is here: one of the repeat would have been before it.
    await invite('two', 'two@example.com')
    await vi.waitFor(() => expect(mails.map(({ to }) => to)).toEqual(['one@example.com', 'two@example.com']))
  })

  it('makes one invitation, one audit event and one letter of ten at once [IDEM-07]', async () => {
    const before = mails.length
    const answers = await Promise.all(Array.from({ length: 10 }, () => invite('ten', 'ten@example.com')))
    const made = answers.filter(({ status }) => status === 201)
    expect(made).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(9)
    const { body } = await backend.call('GET', '/v1/audit-events?action=member.invited', { as: owner })
    const found = body.audit_events.filter(({ details }: { details: { email: string } }) => details.email === 'ten@example.com')
    expect(found).toHaveLength(1)
    expect((await accept(made[0]?.body.accept_url)).status).toBe(200)
    await vi.waitFor(() => expect(mails).toHaveLength(before + 1))
  })
})
