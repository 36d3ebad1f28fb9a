import { randomUUID } from 'node:crypto'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '@vedette/shared'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startTestBackend, TEST_SECRET, type TestBackend, type TestOrganization } from '../../../../test/harness.ts'
import { openTestIncident } from '../../../../test/incident.ts'
import { startTestSmtp, type TestSmtp } from '../../../../test/smtp.ts'
import { keepCheckPartitions } from '../../../monitoring/checks/index.ts'
import { createOutbox, mailEncrypter } from '../../../notifying/mail/index.ts'
import { createSecrets } from '../../../platform/crypto/installation-secrets.ts'
import { parseId } from '../../../platform/ids.ts'
import { silentLog } from '../../../platform/logging/log.ts'
import { sendWeeklySummaries, summaryEncrypter } from '../index.ts'

const URL_BASE = 'https://vedette.example.com'
const MONDAY = Date.parse('2026-11-23T00:00:00.000Z')

let smtp: TestSmtp
let backend: TestBackend
let second: TestBackend
beforeAll(async () => {
  smtp = await startTestSmtp()
  const environment = { VEDETTE_SMTP_URL: smtp.url, VEDETTE_PUBLIC_URL: URL_BASE }
  backend = await startTestBackend({ environment, startMs: MONDAY - 12 * HOUR_MS })
  second = await startTestBackend({ environment, databaseUrl: backend.databaseUrl, clock: backend.clock })
})
afterAll(async () => {
  for (const instance of [second, backend]) await instance.close()
  await smtp.close()
})

beforeEach(async () => {
  smtp.mails.length = 0
  await backend.pool.db.deleteFrom('weekly_summary').execute()
})

/** A member with a verified e-mail who turned the summary on. */
async function reader(organization: TestOrganization, isVerified = true) {
  const as = await backend.member(organization, 'viewer')
  const body = { weekly_summary: true }
  expect((await backend.call('PATCH', `/v1/organizations/${organization.id}/membership`, { as, body })).status).toBe(200)
  const { email } = await backend.pool.db
    .updateTable('app_user')
    .set({ email_verified_at: isVerified ? new Date(backend.clock.now()) : null })
    .where('id', '=', as.userId)
    .returning('email')
    .executeTakeFirstOrThrow()
  return { as, email }
}

async function monitorOf(organization: TestOrganization, name: string): Promise<string> {
  const as = await backend.apiKey(organization, 'write')
  const body = { name, url: 'https://shop.example.com/' }
  return (await backend.call('POST', '/v1/monitors', { as, body })).body.id
}

/** An organization with a monitor. */
async function shop(name = 'Shop') {
  const organization = await backend.organization(name)
  return { organization, monitor: await monitorOf(organization, 'Checkout') }
}

/** Checks an hour apart; outcome 0 is up, 2 is down. */
async function seedChecks(organization: TestOrganization, monitorId: string, fromMs: number, us: number, outcomes: number[]) {
  const { db } = backend.pool
  await keepCheckPartitions(db, silentLog, fromMs)
  const { number: monitor } = await db
    .selectFrom('monitor')
    .select('number')
    .where('id', '=', parseId('monitor', monitorId) as string)
    .executeTakeFirstOrThrow()
  const { number: region } = await db.selectFrom('region').select('number').executeTakeFirstOrThrow()
  await sql`insert into check_result (organization, monitor, region, at, day, outcome, response_us)
    select ${organization.number}, ${monitor}, ${region}, ${fromMs}::bigint + (ordinal - 1) * ${HOUR_MS}::bigint,
      ${new Date(fromMs).toISOString().slice(0, 10)}::date, outcome, case when outcome = 0 then ${us}::int end
    from unnest(${outcomes}::smallint[]) with ordinality as given (outcome, ordinal)`.execute(db)
}

/** Runs the job of all instances at once, then sends; the recipients since the last call. */
async function sendAll(): Promise<string[]> {
  await Promise.all([backend, second].map(({ jobs }) => jobs.sendWeeklySummaries()))
  await backend.jobs.sendMails()
  return smtp.mails.splice(0).flatMap(({ to }) => to)
}

async function toNextMonday(hours: number): Promise<void> {
  const { clock } = backend
  const weeks = Math.floor((clock.now() - MONDAY) / (7 * DAY_MS)) + 1
  clock.advance(MONDAY + weeks * 7 * DAY_MS + hours * HOUR_MS - clock.now())
  await backend.jobs.keepPartitions()
}

describe('the summary of a week', () => {
  it('has the figures of monitors, hosts and incidents, with links, as text and HTML', async () => {
    const { organization, monitor: failing } = await shop('Shop <b>')
    const [slow, server] = [await monitorOf(organization, 'Search & find'), await backend.server(organization)]
    const { db } = backend.pool
    await seedChecks(organization, failing, MONDAY - 5 * DAY_MS, 40_000, [0, 2, 0, 0])
    // Of another week.
    await seedChecks(organization, failing, MONDAY - 8 * DAY_MS, 9_000_000, [2, 2, 0])
    await seedChecks(organization, slow, MONDAY - 5 * DAY_MS, 800_000, [0, 0, 0, 0])
    const samples = [
      [30, 50, 95],
      [20, 70, 91.25],
    ].map(([minutes = 0, memory, disk]) => ({
      at: new Date(backend.clock.now() - minutes * MINUTE_MS).toISOString(),
      memory: { percent: memory },
      disk: { usage_percent: disk },
    }))
    const push = { batch_id: randomUUID(), sent_at: new Date(backend.clock.now()).toISOString(), agent_version: '0.1.0', samples }
    expect((await backend.call('POST', '/v1/agent/metrics', { as: server.as, body: push })).status).toBe(202)
    const resolved = await openTestIncident(backend, organization, { summary: 'Checkout is down', atMs: MONDAY - 3 * DAY_MS })
    const id = parseId('incident', resolved) as string
    await sql`update incident set status = 'resolved', resolved_at = at + interval '90 minutes' where id = ${id}`.execute(db)
    await db.deleteFrom('open_incident').where('incident_id', '=', id).execute()
    const open = await openTestIncident(backend, organization, { summary: 'Disk is full', atMs: MONDAY - HOUR_MS })
    const { email } = await reader(organization)
    const found = (code: string, severity: string, text: string) => {
      const about = { entityId: null, field: null, value: null, limit: null }
      return { code, severity, text, sinceMs: MONDAY - 2 * DAY_MS, ...about }
    }
    const disk = found('disk_failing', 'critical', 'Disk sda reports that it is failing')
    const findings = [disk, found('unit_failed', 'warning', 'Unit a has failed'), found('reboot_required', 'info', 'Restart')]
    const serverId = parseId('server', server.id) as string
    await sql`insert into server_health (organization, server_id, level, findings, memory, derived_ms)
      values (${organization.number}, ${serverId}, 3, ${JSON.stringify(findings)}, '{}', ${MONDAY})
      on conflict (organization, server_id) do update set level = 3, findings = excluded.findings,
        derived_ms = excluded.derived_ms`.execute(db)

    backend.clock.advance(MONDAY + 7 * HOUR_MS - backend.clock.now())
    await backend.jobs.compactSamples()
    await backend.jobs.compactChecks()
    await backend.jobs.sendWeeklySummaries()
    await backend.jobs.sendMails()
    const [mail] = smtp.mails.splice(0)
    expect(mail?.to).toEqual([email])
    expect(mail?.raw).toMatch(/^Subject: Weekly summary of Shop <b>: 2026-11-16 to 2026-11-22\r$/m)
    const text = mail?.text.replaceAll('\r\n', '\n') ?? ''
    const [off = ''] = /https\S+\/weekly-summary\/off\?token=[\w-]+/.exec(text) ?? []
    expect(text.replace(off, 'OFF')).toBe(`The week of Shop <b> from 2026-11-16 to 2026-11-22 (UTC).

${URL_BASE}

UPTIME
87.50 % of all checks of 2 monitors. The lowest:
- Checkout: 75.00 %
  ${URL_BASE}/monitors/${failing}

INCIDENTS
2 opened; in sum they lasted 9 h 30 min.
- Disk is full: 8 h, still open
  ${URL_BASE}/incidents/${open}
- Checkout is down: 1 h 30 min
  ${URL_BASE}/incidents/${resolved}

SLOWEST MONITORS
By the 95th percentile of response times.
- Search & find: ${/find: (\d+) ms/.exec(text)?.[1]} ms
  ${URL_BASE}/monitors/${slow}
- Checkout: 40 ms
  ${URL_BASE}/monitors/${failing}

FULLEST DISKS
At the end of the week.
- web-1: 91.25 %
  ${URL_BASE}/servers/${server.id}

MOST MEMORY IN USE
The mean of the week.
- web-1: 60.00 %
  ${URL_BASE}/servers/${server.id}

HEALTH OF SERVERS
Something is found on 1 server now. The worst:
- web-1: Disk sda reports that it is failing, since 2026-11-21, and 1 more
  ${URL_BASE}/servers/${server.id}

OPEN NOW
Open incidents: 1.
- Disk is full: open
  ${URL_BASE}/incidents/${open}

You turned this mail on in the settings of your account. This link turns it off:

OFF
`)
    // Within 1 %.
    expect(Math.abs(Number(/find: (\d+) ms/.exec(text)?.[1]) - 800)).toBeLessThanOrEqual(8)
    const unfolded = mail?.raw.replaceAll('\r\n ', ' ')
    expect(unfolded).toContain(`List-Unsubscribe: <${off}>\r\nList-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n`)

    // The link of the mail works.
    expect((await backend.call('POST', off.slice(URL_BASE.length))).status).toBe(200)
    expect(await db.selectFrom('weekly_summary').select('user_id').execute()).toEqual([])
  })

  it('is that of an organization without checks, samples and incidents', async () => {
    const { organization } = await shop('Quiet')
    await reader(organization)
    await toNextMonday(7)
    await backend.jobs.sendWeeklySummaries()
    await backend.jobs.sendMails()
    const text = smtp.mails.splice(0)[0]?.text ?? ''
    for (const line of ['There were no checks.', 'None.', 'No incident is open.']) expect(text).toContain(line)
    expect(text).not.toMatch(/SLOWEST|FULLEST|MEMORY/)
  })
})

describe('a weekly summary', () => {
  it('is mailed once each Monday from 07:00 UTC over all instances', async () => {
    const [one, other] = [await shop('One'), await shop('Other')]
    const readers = [await reader(one.organization), await reader(one.organization), await reader(other.organization)]
    const everybody = readers.map(({ email }) => email).sort()
    expect(await sendAll()).toEqual([])
    for (let week = 0; week < 2; week += 1) {
      await toNextMonday(6)
      backend.clock.advance(HOUR_MS - 1)
      expect(await sendAll()).toEqual([])
      backend.clock.advance(1)
      expect((await sendAll()).sort()).toEqual(everybody)
      expect(await sendAll()).toEqual([])
      backend.clock.advance(6 * DAY_MS)
      expect(await sendAll()).toEqual([])
    }
  })

  it('that was due while nothing ran is mailed once at the next start, with that of the newest week', async () => {
    const { email } = await reader((await shop()).organization)
    for (let week = 0; week < 3; week += 1) await toNextMonday(60)
    await second.jobs.sendWeeklySummaries()
    await second.jobs.sendMails()
    const to = new Date(backend.clock.now() - 3 * DAY_MS).toISOString().slice(0, 10)
    expect(smtp.mails.splice(0).map((mail) => [mail.to, mail.text.includes(`to ${to} (UTC)`)])).toEqual([[[email], true]])
    expect(await sendAll()).toEqual([])
  })

  it('comes on the Monday after it was turned on, also where that happens on a Monday', async () => {
    const { organization } = await shop()
    await toNextMonday(7)
    const { email } = await reader(organization)
    expect(await sendAll()).toEqual([])
    await toNextMonday(7)
    expect(await sendAll()).toEqual([email])
  })

  it('does not go to unverified e-mails, to who is refused for want of a second factor, and of empty organizations', async () => {
    const { organization } = await shop()
    const { organization: strict } = await shop('Strict')
    const { email } = await reader(organization)
    await reader(organization, false)
    await reader(strict)
    await reader(await backend.organization('Empty'))
    await backend.pool.db
      .updateTable('organization')
      .set({ require_second_factor: true })
      .where('number', '=', strict.number)
      .execute()
    await toNextMonday(7)
    expect(await sendAll()).toEqual([email])
  })

  it('is queued whole or not at all by an instance that is killed in the middle, and once by the next', async () => {
    const { organization } = await shop()
    const everybody = [await reader(organization), await reader(organization)].map(({ email }) => email).sort()
    await toNextMonday(7)
    const secrets = createSecrets([TEST_SECRET])
    const outbox = createOutbox(mailEncrypter(secrets), true)
    const killed = Promise.withResolvers<void>()
    let queued = 0
    const dying = sendWeeklySummaries({
      from: second.pool,
      clock: backend.clock,
      log: silentLog,
      outbox: {
        ...outbox,
        put: async (...mail) => {
          await outbox.put(...mail)
          queued += 1
          await killed.promise
        },
      },
      encrypter: summaryEncrypter(secrets),
      publicUrl: () => URL_BASE,
      ending: new AbortController().signal,
    })
    await expect.poll(() => queued).toBe(1)
    // What it has taken is not visible, and another instance waits for it.
    const { db } = backend.pool
    expect(await db.selectFrom('mail_outbox').select('id').execute()).toEqual([])
    const next = backend.jobs.sendWeeklySummaries()
    await expect.poll(() => waiting()).toBe(1)
    await sql`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and state = 'idle in transaction'`.execute(db)
    await next
    killed.resolve()
    await dying
    expect((await sendAll()).sort()).toEqual(everybody)
  })

  it('of an organization whose figures cannot be read is tried again, and delays no other', async () => {
    const [broken, other] = [await shop('Broken'), await shop('Other')]
    const [late, early] = [await reader(broken.organization), await reader(other.organization)]
    await toNextMonday(7)
    const { db } = backend.pool
    const plan = (value: string) =>
      sql`alter table organization drop constraint organization_plan_known; update organization set plan = ${sql.lit(value)}
        where number = ${sql.lit(broken.organization.number)}`.execute(db)
    await plan('unknown')
    expect(await sendAll()).toEqual([early.email])
    await sql`update organization set plan = 'free' where number = ${broken.organization.number}`.execute(db)
    expect(await sendAll()).toEqual([late.email])
  })
})

async function waiting(): Promise<number> {
  const { rows } = await sql`
    select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.execute(backend.pool.db)
  return rows.length
}
