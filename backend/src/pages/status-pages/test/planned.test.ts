import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { sql } from 'kysely'
import { type Credentials, startTestBackend, type TestBackend, type TestOrganization } from '../../../../test/harness.ts'
import { startTestSmtp, type TestSmtp } from '../../../../test/smtp.ts'
import { startReceiver, type Receiver } from '../../../../test/receiver.ts'
import { pagesOf } from '../../../../test/status-pages.ts'
import { newId, parseId } from '../../../platform/ids.ts'

let backend: TestBackend
let smtp: TestSmtp
let receiver: Receiver
let organization: TestOrganization
let member: Credentials
let pages: ReturnType<typeof pagesOf>
beforeAll(async () => {
  smtp = await startTestSmtp()
  receiver = await startReceiver()
  const environment = {
    VEDETTE_SMTP_URL: smtp.url,
    VEDETTE_ALLOW_PRIVATE_TARGETS: '127.0.0.0/8',
    VEDETTE_PUBLIC_URL: 'https://vedette.example.org',
  }
  backend = await startTestBackend({ environment })
})
afterAll(async () => {
  await backend.close()
  await smtp.close()
  await receiver.close()
})
beforeEach(async () => {
  organization = await backend.organization()
  member = await backend.member(organization, 'member')
  pages = pagesOf(backend, organization, member)
  smtp.mails.length = 0
  receiver.received.length = 0
})

const HOUR = 3_600_000
const iso = (ms: number) => new Date(ms).toISOString()
const send = (method: string, url: string, body?: unknown) => backend.call(method, url, { as: member, body })
/** A page with a subscriber by e-mail who has confirmed. */
async function subscribedPage(own: object = {}) {
  const page = await pages.page(own)
  const at = new Date(backend.clock.now())
  await backend.pool.db
    .insertInto('status_subscriber')
    .values({
      organization: organization.number,
      page_id: parseId('statusPage', page.id) as string,
      id: newId(),
      type: 'email',
      email: 'ada@example.com',
      config: '{}',
      secrets_encrypted: null,
      monitors: [],
      confirmed_at: at,
      mailed_at: null,
      created_at: at,
    })
    .execute()
  return page
}
/** Announces a maintenance of an hour and forgets the mail of that. Returns the path of the post. */
async function planned(id: string, inMs: number, own: object = {}): Promise<string> {
  const startsAt = backend.clock.now() + inMs
  const times = { starts_at: iso(startsAt), ends_at: iso(startsAt + HOUR) }
  const body = { type: 'maintenance', title: 'New disks', text: 'We replace disks.', ...times, ...own }
  const made = await send('POST', `/v1/status-pages/${id}/posts`, body)
  expect(made.status).toBe(201)
  await sent()
  return `/v1/status-pages/${id}/posts/${made.body.id}`
}
/** Subjects of the mails since the last call. */
async function sent(): Promise<string[]> {
  await backend.jobs.sendStepMails()
  const subjects = smtp.mails.map(({ raw }) => /^Subject: (.*)$/m.exec(raw)?.[1]?.trim() ?? '')
  smtp.mails.length = 0
  return subjects
}
/** The same after this time, with two instances. */
async function sentAfter(ms: number): Promise<string[]> {
  backend.clock.advance(ms)
  await Promise.all([backend.jobs.announcePlanned(), backend.jobs.announcePlanned()])
  return sent()
}
const subject = (state: string) => `[Shop status] New disks: ${state}`

it('reminds subscribers of a maintenance an hour before, and notifies them of its start and end, once with two instances [STATUS-88]', async () => {
  const { id } = await subscribedPage()
  await send('POST', `/v1/status-pages/${id}/subscribers`, { type: 'webhook', url: receiver.url })
  const post = await planned(id, 3 * HOUR)
  expect(await sentAfter(2 * HOUR - 1)).toEqual([])
  expect(await sentAfter(1)).toEqual([subject('Scheduled')])
  expect(await sentAfter(HOUR - 1)).toEqual([])
  expect(await sentAfter(1)).toEqual([subject('In progress')])
  expect(await sentAfter(HOUR)).toEqual([subject('Completed')])
  expect(await sentAfter(2 * HOUR)).toEqual([])
  const { body } = await send('GET', post)
  expect(body.updates.map(({ status, text }: { status: string; text: string }) => [status, text])).toEqual([
    ['completed', 'The planned maintenance is completed.'],
    ['in_progress', 'The planned maintenance is in progress.'],
    ['scheduled', 'Reminder: this maintenance begins in an hour.'],
    ['scheduled', 'We replace disks.'],
  ])
  await backend.jobs.sendStepWebhooks()
  expect(receiver.received.map((request) => JSON.parse(request.body).data.post.status)).toEqual([
    'scheduled',
    'scheduled',
    'in_progress',
    'completed',
  ])
})

it('sends nothing by the times of a maintenance that was announced without a notification, or is no more [STATUS-89]', async () => {
  const { id } = await subscribedPage()
  await planned(id, 2 * HOUR, { notify: false })
  await send('DELETE', await planned(id, 2 * HOUR))
  expect(await sentAfter(HOUR)).toEqual([])
  expect(await sentAfter(HOUR)).toEqual([])
})

it('leaves out a step that a member has announced [STATUS-90]', async () => {
  const { id } = await subscribedPage()
  const post = await planned(id, HOUR / 2)
  await send('POST', `${post}/updates`, { status: 'in_progress', text: 'We begin early.' })
  expect(await sent()).toEqual([subject('In progress')])
  expect(await sentAfter(HOUR / 2)).toEqual([])
  await send('POST', `${post}/updates`, { status: 'completed', text: 'Done.' })
  expect(await sent()).toEqual([subject('Completed')])
  expect(await sentAfter(2 * HOUR)).toEqual([])
})

it('follows a maintenance that is moved, also after its end [STATUS-91]', async () => {
  const { id } = await subscribedPage()
  const post = await planned(id, 2 * HOUR)
  expect(await sentAfter(HOUR)).toEqual([subject('Scheduled')])
  const move = (fromMs: number, toMs: number) =>
    send('PATCH', post, { starts_at: iso(backend.clock.now() + fromMs), ends_at: iso(backend.clock.now() + toMs) })
  expect((await move(3 * HOUR, 4 * HOUR)).status).toBe(200)
  expect(await sentAfter(HOUR)).toEqual([])
  expect(await sentAfter(HOUR)).toEqual([subject('Scheduled')])
  expect(await sentAfter(HOUR)).toEqual([subject('In progress')])
  expect(await sentAfter(HOUR)).toEqual([subject('Completed')])
  await move(-2 * HOUR, HOUR)
  expect(await sentAfter(0)).toEqual([subject('In progress')])
  await move(HOUR / 2, HOUR)
  expect((await send('GET', post)).body.status).toBe('scheduled')
  expect(await sentAfter(HOUR / 2)).toEqual([subject('In progress')])
  expect(await sentAfter(HOUR / 2)).toEqual([subject('Completed')])
})

it('sends after a pause of all instances the start, no reminder, and of a maintenance that is over the end alone [STATUS-92]', async () => {
  const { id } = await subscribedPage()
  await planned(id, 2 * HOUR)
  expect(await sentAfter(2 * HOUR - 60_000)).toEqual([])
  expect(await sentAfter(11 * 60_000)).toEqual([subject('In progress')])
  expect(await sentAfter(HOUR)).toEqual([subject('Completed')])
  await planned(id, 2 * HOUR)
  expect(await sentAfter(4 * HOUR)).toEqual([subject('Completed')])
  await planned(id, 2 * HOUR)
  expect(await sentAfter(48 * HOUR)).toEqual([])
})

it('sends a step once whose transaction was rolled back, in the words and names of the page [STATUS-93]', async () => {
  const { wireId } = await pages.monitor({ name: 'internal-shop-01' })
  const sections = [{ name: 'All', monitors: [wireId], names: { [wireId]: 'Laden' } }]
  const { id } = await subscribedPage({ language: 'de', sections })
  await planned(id, HOUR / 2, { monitors: [wireId] })
  await sql`alter table subscriber_webhook rename to elsewhere`.execute(backend.pool.db)
  backend.clock.advance(HOUR / 2)
  await backend.jobs.announcePlanned()
  await sql`alter table elsewhere rename to subscriber_webhook`.execute(backend.pool.db)
  await backend.jobs.announcePlanned()
  await backend.jobs.announcePlanned()
  await backend.jobs.sendStepMails()
  const [mail] = smtp.mails
  expect(smtp.mails).toHaveLength(1)
  expect(mail?.text).toContain('Die geplante Wartung hat begonnen.')
  expect([mail?.text.includes('Laden'), mail?.text.includes('internal-shop-01')]).toEqual([true, false])
})
