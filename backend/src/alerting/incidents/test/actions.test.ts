import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type AlertFixture, createAlertFixture, LOCAL_TARGETS } from '../../../../test/alert-fixture.ts'
import {
  type Credentials,
  startTestBackend,
  TEST_SECRET,
  type TestBackend,
  type TestOrganization,
} from '../../../../test/harness.ts'
import { type Receiver, startReceiver } from '../../../../test/receiver.ts'
import { createSecrets } from '../../../platform/crypto/installation-secrets.ts'
import { actionEncrypter, actionUrl } from '../../../notifying/notifications/index.ts'
import { encodeId, newId, parseId } from '../../../platform/ids.ts'

let backend: TestBackend
let receiver: Receiver
beforeAll(async () => {
  receiver = await startReceiver()
  backend = await startTestBackend({ environment: LOCAL_TARGETS })
})
afterAll(async () => {
  await backend.close()
  await receiver.close()
})

let organization: TestOrganization
let owner: Credentials & { userId: string }
let ada: Credentials & { userId: string }
let contactId: string
let alerts: AlertFixture
beforeEach(async () => {
  await backend.pool.db.deleteFrom('notification_delivery').execute()
  organization = await backend.organization()
  owner = await backend.member(organization, 'owner')
  ada = await backend.member(organization, 'member')
  const body = { type: 'ntfy', config: { url: receiver.url, topic: 'ada' } }
  contactId = (await backend.call('POST', '/v1/contact-methods', { as: ada, body })).body.id
  alerts = await createAlertFixture(backend, organization, owner)
  const policy = { name: 'Shop', steps: [{ user_ids: [encodeId('user', ada.userId)] }] }
  const { id } = await alerts.call('POST', '/v1/escalation-policies', policy)
  await alerts.call('PATCH', `/v1/alert-rules/${alerts.ruleId}`, { escalation_policy_id: id })
  receiver.received.length = 0
})

interface Sent {
  title: string
  actions?: { label: string; url: string; method: string; headers: Record<string, string>; body: string }[]
}
/** An incident of which Ada was notified, and the message that she got. */
async function notified(): Promise<{ id: string; sent: Sent; path: string; token: string }> {
  const id = await alerts.open()
  await alerts.deliver()
  const sent = JSON.parse(receiver.received.at(-1)?.body ?? '') as Sent
  const url = new URL(sent.actions?.[0]?.url ?? '')
  return { id: encodeId('incident', id), sent, path: url.pathname + url.search, token: url.searchParams.get('token') ?? '' }
}
const read = (id: string) => alerts.call('GET', `/v1/incidents/${id}`)
/** Also where sessions have expired. */
const statusOf = async (id: string): Promise<string | undefined> => {
  const own = backend.pool.db
    .selectFrom('incident')
    .select('status')
    .where('id', '=', parseId('incident', id) as string)
  return (await own.executeTakeFirst())?.status
}
const send = async (method: 'GET' | 'POST', path: string, form?: Record<string, string>, own: Record<string, string> = {}) => {
  const headers = { ...own, ...(form && { 'content-type': 'application/x-www-form-urlencoded' }) }
  const payload = form && new URLSearchParams(form).toString()
  const answer = await backend.vedette.app.inject({ method, url: path, headers, ...(payload !== undefined && { payload }) })
  return { status: answer.statusCode, text: answer.body, headers: answer.headers }
}

describe('the link of a notification', () => {
  it('shows the incident at a GET, and acts at a POST for its person, which the timeline names', async () => {
    const { id, sent, path } = await notified()
    expect(sent.actions?.map(({ label, method, body }) => [label, method, body])).toEqual([
      ['Acknowledge', 'POST', 'action=acknowledge'],
      ['Snooze 1 h', 'POST', 'action=snooze'],
    ])
    const page = await send('GET', path)
    expect([page.status, page.headers['cache-control']]).toEqual([200, 'no-store'])
    expect(page.text).toContain('Shop is down: no answer')
    expect(page.text).toMatch(/value="acknowledge".*value="snooze".*value="resolve"/)
    expect((await read(id)).status).toBe('open')
    expect((await send('POST', path, { action: 'acknowledge', comment: 'I have it' })).status).toBe(200)
    const { email } = (await backend.call('GET', '/v1/auth/me', { as: ada })).body
    const incident = await read(id)
    expect(incident).toMatchObject({ status: 'acknowledged', acknowledged_by: encodeId('user', ada.userId) })
    expect(incident.timeline.slice(-2)).toMatchObject([
      { type: 'acknowledged', message: `acknowledged by ${email} (ntfy)` },
      { type: 'comment', message: 'I have it' },
    ])
  })

  it('opens pages in the language of the organization, and of the browser where it is not valid', async () => {
    await alerts.call('PATCH', `/v1/organizations/${organization.id}`, { language: 'de' })
    const { path } = await notified()
    const page = await send('GET', path)
    for (const text of [
      '<html lang="de">',
      'Shop: ausgefallen',
      'Dieser Vorfall ist offen.',
      '>Quittieren</button>',
      'Kommentar',
    ])
      expect(page.text).toContain(text)
    expect((await send('POST', path, { action: 'resolve' })).text).toContain('<h1>Der Vorfall ist gelöst</h1>')
    expect((await send('POST', path, { action: 'resolve' })).text).toContain('Das ist schon geschehen')
    const invalid = async (language: string) =>
      (await send('GET', '/incident-actions?token=x', undefined, { 'accept-language': language })).text
    expect(await invalid('de-AT')).toMatch(/<html lang="de">.*Dieser Link gilt nicht/)
    expect(await invalid('fr')).toMatch(/<html lang="en">.*This link is not valid/)
  })

  it('is forgotten with its end', async () => {
    const { path } = await notified()
    await send('POST', path, { action: 'acknowledge' })
    const used = () =>
      backend.pool.db.selectFrom('used_action_link').select('action').where('organization', '=', organization.number).execute()
    expect(await used()).toEqual([{ action: 'acknowledge' }])
    backend.clock.advance(86_400_001)
    await backend.jobs.deleteExpired()
    expect(await used()).toEqual([])
  })

  it('takes each action once', async () => {
    const { id, path } = await notified()
    const answers = await Promise.all(Array.from({ length: 5 }, () => send('POST', path, { action: 'acknowledge' })))
    expect(answers.map(({ status }) => status).filter((status) => status !== 409)).toEqual([200])
    expect((await read(id)).timeline.filter(({ type }: { type: string }) => type === 'acknowledged')).toHaveLength(1)
    expect((await send('POST', path, { action: 'snooze' })).status).toBe(200)
    expect((await send('POST', path, { action: 'resolve' })).status).toBe(200)
    expect((await read(id)).status).toBe('resolved')
    expect((await send('GET', path)).text).not.toContain('<form')
  })

  it('opens the incident again an hour after a snooze', async () => {
    const { id, path } = await notified()
    await send('POST', path, { action: 'snooze' })
    backend.clock.advance(3_599_000)
    await backend.jobs.escalate()
    expect(await statusOf(id)).toBe('acknowledged')
    backend.clock.advance(1_000)
    await backend.jobs.escalate()
    expect(await statusOf(id)).toBe('open')
  })

  it('escapes what the incident says', async () => {
    const id = await alerts.open({ summary: '<img src=x onerror=alert(1)> is down' })
    await alerts.deliver()
    const { actions } = JSON.parse(receiver.received.at(-1)?.body ?? '') as Sent
    const { text, headers } = await send(
      'GET',
      new URL(actions?.[0]?.url ?? '').pathname + new URL(actions?.[0]?.url ?? '').search,
    )
    expect(text).toContain('&lt;img src=x onerror=alert(1)&gt; is down')
    expect(text).not.toContain('<img')
    expect(headers['content-security-policy']).toContain("default-src 'none'")
    await alerts.resolve(id)
  })

  it('is in no message to a channel of the organization, and in none of an end', async () => {
    await alerts.call('PATCH', `/v1/alert-rules/${alerts.ruleId}`, { escalation_policy_id: null })
    await alerts.channel('ntfy', { url: receiver.url, topic: 'all' })
    await alerts.open()
    await alerts.deliver()
    expect(JSON.parse(receiver.received.at(-1)?.body ?? '')).not.toHaveProperty('actions')
  })
})

describe('forged acknowledgements', () => {
  const acts = (path: string) => send('POST', path, { action: 'acknowledge' })
  const pathOf = (token: string) => `/incident-actions?token=${encodeURIComponent(token)}`

  it('are refused: 40 tokens with a changed, missing or added byte', async () => {
    const { id, token } = await notified()
    const bytes = Buffer.from(token, 'base64url')
    const changed = Array.from({ length: 32 }, (_, index) => {
      const copy = Buffer.from(bytes)
      const place = Math.floor((index * bytes.length) / 32)
      copy[place] = (copy[place] as number) ^ (1 << (index % 8))
      return copy.toString('base64url')
    })
    const cut = [1, 8, 28, 100].map((length) => bytes.subarray(0, bytes.length - length).toString('base64url'))
    const others = [
      '',
      'x',
      Buffer.concat([bytes, Buffer.of(0)]).toString('base64url'),
      Buffer.alloc(bytes.length).toString('base64url'),
    ]
    const forged = [...changed, ...cut, ...others]
    expect(forged).toHaveLength(40)
    for (const each of forged) expect((await acts(pathOf(each))).status, each).toBe(404)
    expect((await read(id)).status).toBe('open')
  })

  it('are refused: made with another secret, or for another purpose', async () => {
    const { id } = await notified()
    const link = {
      organizationId: parseId('organization', organization.id) as string,
      userId: ada.userId,
      channelId: parseId('channel', contactId) as string,
      incidentId: parseId('incident', id) as string,
    }
    const urlBy = (secret: string, own: object = {}) =>
      actionUrl(actionEncrypter(createSecrets([secret])), '', { ...link, ...own }, backend.clock.now())
    expect((await acts(urlBy('another secret that has more than 32 bytes'))).status).toBe(404)
    const elsewhere = await backend.organization()
    const foreign = [
      { organizationId: parseId('organization', elsewhere.id) as string },
      { userId: newId() },
      { userId: owner.userId },
      { channelId: newId() },
      { incidentId: newId() },
    ]
    for (const own of foreign) expect((await acts(urlBy(TEST_SECRET, own))).status).toBe(404)
    expect((await read(id)).status).toBe('open')
    expect((await acts(urlBy(TEST_SECRET))).status).toBe(200)
  })

  it('are refused: after 24 hours', async () => {
    const { id, path } = await notified()
    backend.clock.advance(86_400_000)
    for (const method of ['GET', 'POST'] as const) expect((await send(method, path, { action: 'acknowledge' })).status).toBe(404)
    expect(await statusOf(id)).toBe('open')
  })

  const member = () => `/v1/organizations/${organization.id}/members/${encodeId('user', ada.userId)}`
  it.each<[string, () => Promise<unknown>]>([
    ['the contact method is removed', () => backend.call('DELETE', `/v1/contact-methods/${contactId}`, { as: ada })],
    ['the person has left', () => backend.call('DELETE', member(), { as: owner })],
    ['the person may only read', () => backend.call('PATCH', member(), { as: owner, body: { role: 'viewer' } })],
    [
      'the organization demands a second factor',
      () =>
        backend.pool.db
          .updateTable('organization')
          .set({ require_second_factor: true })
          .where('number', '=', organization.number)
          .execute(),
    ],
  ])('are refused: %s', async (_, end) => {
    const { id, path } = await notified()
    await end()
    for (const method of ['GET', 'POST'] as const) expect((await send(method, path, { action: 'acknowledge' })).status).toBe(404)
    expect(await statusOf(id)).toBe('open')
  })

  it('a comment that is too long is refused whole, and one of blanks is none', async () => {
    const { id, path } = await notified()
    const long = await send('POST', path, { action: 'acknowledge', comment: 'x'.repeat(2_001) })
    expect([long.status, long.text]).toEqual([400, expect.stringContaining('It may have 2000 characters.')])
    expect((await read(id)).status).toBe('open')
    expect((await send('POST', path, { action: 'acknowledge', comment: ' \u200b ' })).status).toBe(200)
    expect((await read(id)).timeline.at(-1).type).toBe('acknowledged')
  })

  it('a person whom a provider signs in may act where the organization demands a second factor', async () => {
    const { id, path } = await notified()
    const db = backend.pool.db
    await db.updateTable('organization').set({ require_second_factor: true }).where('number', '=', organization.number).execute()
    const provider = { id: newId(), organization: organization.number, at: new Date(backend.clock.now()) }
    await sql`
      insert into identity_provider (id, organization, name, kind, issuer, client_id, secret_encrypted, email_domains,
        creates_accounts, default_role, role_mapping, enabled, created_at, updated_at)
      values (${provider.id}, ${provider.organization}, 'x', 'oidc', 'https://192.0.2.1', 'x', '', '{}', false, 'member', '[]', true,
        ${provider.at}, ${provider.at})`.execute(db)
    const identity = { identity_provider: provider.id, subject: 'ada', user_id: ada.userId, created_at: provider.at }
    await db.insertInto('user_identity').values(identity).execute()
    expect((await send('POST', path, { action: 'acknowledge' })).status).toBe(200)
    expect(await statusOf(id)).toBe('acknowledged')
  })

  it('are refused: an unknown action, JSON, or a body that is too large', async () => {
    const { id, path } = await notified()
    expect((await send('POST', path, { action: 'delete' })).status).toBe(400)
    expect((await send('POST', path)).status).toBe(400)
    expect((await send('POST', path, { action: 'acknowledge', comment: 'x'.repeat(20_000) })).status).toBe(413)
    expect((await read(id)).status).toBe('open')
  })
})
