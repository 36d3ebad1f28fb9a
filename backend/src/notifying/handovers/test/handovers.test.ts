import { DAY_MS, HOUR_MS } from '@vedette/shared'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { type Credentials, startTestBackend, type TestBackend, type TestOrganization } from '../../../../test/harness.ts'
import { openTestIncident } from '../../../../test/incident.ts'
import { startTestSmtp, type TestSmtp } from '../../../../test/smtp.ts'
import { encodeId, parseId } from '../../../platform/ids.ts'

const URL_BASE = 'https://vedette.example.com'
/** 09:00 in Berlin. */
const MONDAY = Date.parse('2026-11-23T08:00:00.000Z')

let smtp: TestSmtp
let backend: TestBackend
let second: TestBackend
let organization: TestOrganization
let key: Credentials
beforeAll(async () => {
  smtp = await startTestSmtp()
  const environment = { VEDETTE_SMTP_URL: smtp.url, VEDETTE_PUBLIC_URL: URL_BASE }
  backend = await startTestBackend({ environment, startMs: MONDAY - HOUR_MS })
  second = await startTestBackend({ environment, databaseUrl: backend.databaseUrl, clock: backend.clock })
})
afterAll(async () => {
  for (const instance of [second, backend]) await instance.close()
  await smtp.close()
})

beforeEach(async () => {
  await backend.pool.db.deleteFrom('schedule').execute()
  organization = await backend.organization('Shop <b>')
  key = await backend.apiKey(organization, 'write')
  const clock = backend.clock
  const weeks = Math.ceil((clock.now() - (MONDAY - HOUR_MS)) / (7 * DAY_MS))
  clock.advance(MONDAY - HOUR_MS + weeks * 7 * DAY_MS - clock.now())
})

async function person(isVerified = true) {
  const { userId } = await backend.member(organization, 'member')
  const { email } = await backend.pool.db
    .updateTable('app_user')
    .set({ email_verified_at: isVerified ? new Date(backend.clock.now()) : null })
    .where('id', '=', userId)
    .returning('email')
    .executeTakeFirstOrThrow()
  return { userId, id: encodeId('user', userId), email }
}

/** Weekly turns from the next Monday, 09:00 in Berlin. */
const turns = (...userIds: string[]) => ({
  user_ids: userIds,
  starts_at: new Date(backend.clock.now() + HOUR_MS).toISOString(),
  repeat: 'FREQ=WEEKLY;BYDAY=MO',
})

async function create(body: object): Promise<string> {
  const answer = await backend.call('POST', '/v1/schedules', {
    as: key,
    body: { name: 'Night <i>', time_zone: 'Europe/Berlin', ...body },
  })
  expect(answer.status).toBe(201)
  return answer.body.id
}

async function change(id: string, body: object): Promise<void> {
  expect((await backend.call('PATCH', `/v1/schedules/${id}`, { as: key, body })).status).toBe(200)
}

/** Runs the job of all instances at once, then sends; the mails since the last call. */
async function mailsAfter(ms: number) {
  backend.clock.advance(ms)
  await Promise.all([backend, second].map(({ jobs }) => jobs.sendHandoverMails()))
  await backend.jobs.sendMails()
  return smtp.mails.splice(0)
}
const subjectsAfter = async (ms: number) =>
  (await mailsAfter(ms)).map(({ to, raw }) => `${to.join()}: ${/^Subject: (.*)\r$/m.exec(raw)?.[1]}`).toSorted()

it('mails who comes on duty and who goes, once with two instances, with the open incidents', async () => {
  const [ada, ben] = [await person(), await person()]
  const id = await create({ layers: [turns(ada.id, ben.id)] })
  expect(await mailsAfter(0)).toEqual([])
  const incident = await openTestIncident(backend, organization, { summary: 'Checkout is down' })
  const [begin, ...others] = await mailsAfter(HOUR_MS)
  expect(others).toEqual([])
  expect(begin?.to).toEqual([ada.email])
  expect(
    begin?.text.replaceAll('\r\n', '\n'),
  ).toBe(`You are on duty in the schedule "Night <i>" of Shop <b> until Monday 30 November at 09:00 (Europe/Berlin).

${URL_BASE}/alerts/on-call/${id}

OPEN NOW
Open incidents: 1.
- Checkout is down: open
  ${URL_BASE}/incidents/${incident}

The schedule has a setting that turns these mails off.
`)
  expect(begin?.raw).toContain('&lt;i&gt;')
  expect(await mailsAfter(7 * DAY_MS - 1)).toEqual([])
  const mails = await mailsAfter(1)
  expect(mails.map(({ to }) => to.join()).toSorted()).toEqual([ada.email, ben.email].toSorted())
  const textTo = (email: string) => mails.find(({ to }) => to.includes(email))?.text
  expect(textTo(ada.email)).toContain(`has ended. ${ben.email} is on duty now until Monday 7 December at 09:00 (Europe/Berlin).`)
  expect(textTo(ben.email)).toContain(`(Europe/Berlin). Before you it was ${ada.email}.`)
  expect(await mailsAfter(HOUR_MS)).toEqual([])
})

it('mails at overrides, at changes of the schedule, and where nobody is on duty afterwards', async () => {
  const [ada, ben] = [await person(), await person()]
  const id = await create({ layers: [{ ...turns(ada.id), repeat: null }] })
  expect(await subjectsAfter(HOUR_MS)).toEqual([`${ada.email}: You are on duty: Night <i>`])
  const from = backend.clock.now() + HOUR_MS
  const override = {
    user_id: ben.id,
    starts_at: new Date(from).toISOString(),
    ends_at: new Date(from + HOUR_MS / 2).toISOString(),
  }
  await change(id, { overrides: [override] })
  expect(await subjectsAfter(0)).toEqual([])
  const swapped = (began: string, ended: string) =>
    [`${began}: You are on duty: Night <i>`, `${ended}: Your duty has ended: Night <i>`].toSorted()
  expect(await subjectsAfter(HOUR_MS)).toEqual(swapped(ben.email, ada.email))
  expect(await subjectsAfter(HOUR_MS / 2)).toEqual(swapped(ada.email, ben.email))
  await change(id, { layers: [] })
  const [mail, ...others] = await mailsAfter(0)
  expect([mail?.to, others]).toEqual([[ada.email], []])
  expect(mail?.text).toContain('Nobody is on duty now: incidents go to the owners.')
})

it('mails those who come and go where several are on duty together, and nobody who stays', async () => {
  const [ada, ben, cem] = [await person(), await person(), await person()]
  const layer = { ...turns(), user_ids: [[ada.id, ben.id], [ben.id, cem.id], []] }
  await create({ layers: [layer] })
  const began = await mailsAfter(HOUR_MS)
  expect(began.map(({ to }) => to.join()).toSorted()).toEqual([ada.email, ben.email].toSorted())
  expect(began.find(({ to }) => to.includes(ada.email))?.text).toContain(`With you: ${ben.email}.`)
  const changed = await mailsAfter(7 * DAY_MS)
  expect(changed.map(({ to }) => to.join()).toSorted()).toEqual([ada.email, cem.email].toSorted())
  const textTo = (email: string) => changed.find(({ to }) => to.includes(email))?.text
  expect(textTo(cem.email)).toContain(`Before you it was ${ada.email}.`)
  expect(textTo(cem.email)).toContain(`With you: ${ben.email}.`)
  expect(textTo(ada.email)).toContain(`On duty now until Monday`)
  expect(textTo(ada.email)).toContain(`(Europe/Berlin): ${ben.email}, ${cem.email}.`)
  expect(await subjectsAfter(7 * DAY_MS)).toEqual(
    [ben, cem].map(({ email }) => `${email}: Your duty has ended: Night <i>`).toSorted(),
  )
})

it('mails the next person within an hour after the one on duty left the organization', async () => {
  const [ada, ben] = [await person(), await person()]
  await create({
    layers: [
      { ...turns(ben.id), repeat: null },
      { ...turns(ada.id), repeat: null },
    ],
  })
  expect(await subjectsAfter(HOUR_MS)).toEqual([`${ada.email}: You are on duty: Night <i>`])
  await backend.pool.db.deleteFrom('membership').where('user_id', '=', ada.userId).execute()
  expect(await subjectsAfter(HOUR_MS)).toEqual([`${ben.email}: You are on duty: Night <i>`])
})

it('mails nobody whose e-mail is not verified, of a schedule without mails, or at the first look after an upgrade', async () => {
  const [ada, ben] = [await person(), await person(false)]
  const [silent, old] = [
    await create({ layers: [turns(ada.id)], handover_mail: false }),
    await create({ layers: [turns(ada.id)] }),
  ]
  await create({ layers: [turns(ben.id)] })
  const { db } = backend.pool
  await db.updateTable('schedule').set({ handover_at: null }).where('handover_mail', '=', true).execute()
  expect(await subjectsAfter(HOUR_MS)).toEqual([])
  await change(old, { layers: [turns(ben.id)] })
  await change(silent, { handover_mail: true })
  expect(await subjectsAfter(HOUR_MS)).toEqual([
    `${ada.email}: You are on duty: Night <i>`,
    `${ada.email}: Your duty has ended: Night <i>`,
  ])
})

it('goes on with the other schedules where one fails, and mails that one later', async () => {
  const ada = await person()
  const [broken] = [await create({ layers: [turns(ada.id)] }), await create({ layers: [turns(ada.id)] })]
  const { db } = backend.pool
  const stored = db.updateTable('schedule').where('id', '=', parseId('schedule', broken) as string)
  const { rota } = await db.selectFrom('schedule').select('rota').executeTakeFirstOrThrow()
  await stored.set({ rota: { layers: [{}], overrides: [] } as never }).execute()
  expect(await subjectsAfter(HOUR_MS)).toEqual([`${ada.email}: You are on duty: Night <i>`])
  await stored.set({ rota }).execute()
  expect(await subjectsAfter(HOUR_MS)).toEqual([`${ada.email}: You are on duty: Night <i>`])
})
