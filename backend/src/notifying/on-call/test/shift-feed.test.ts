import { DAY_MS } from '@vedette/shared'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Credentials, startTestBackend, type TestBackend, type TestOrganization } from '../../../../test/harness.ts'
import { areParsersMissing, parseByPython } from '../../../../test/peer-parser.ts'
import { encodeId } from '../../../platform/ids.ts'

let backend: TestBackend
let organization: TestOrganization
let owner: Credentials & { userId: string }
let scheduleId: string
const NAME = 'Shop; Ümlaut, "1"'
beforeAll(async () => {
  backend = await startTestBackend()
  organization = await backend.organization()
  owner = await backend.member(organization, 'owner')
  const userId = encodeId('user', owner.userId)
  const layer = { user_ids: [userId], starts_at: '2020-01-06T08:00:00Z' }
  const restrictions = [{ days: ['MO'], from: '09:00', to: '17:00' }]
  const body = { name: NAME, time_zone: 'Europe/Berlin', layers: [{ ...layer, restrictions }] }
  scheduleId = (await backend.call('POST', '/v1/schedules', { as: owner, body })).body.id
})
afterAll(() => backend.close())

const call = (method: string, as: Credentials = owner) => backend.call(method, `/v1/schedules/${scheduleId}/calendar`, { as })
const createAddress = async (): Promise<string> => new URL((await call('POST')).body.calendar_url).pathname
const read = async (url: string) => {
  const { statusCode: status, headers, body } = await backend.vedette.app.inject({ method: 'GET', url })
  return { status, headers, body }
}
const hasCalendar = async () => (await backend.call('GET', `/v1/schedules/${scheduleId}`, { as: owner })).body.has_calendar

describe('the calendar of a schedule', () => {
  it('has an address that the next one replaces, and that ends with the calendar or the schedule [DUTY-01]', async () => {
    expect(await hasCalendar()).toBe(false)
    const first = await createAddress()
    expect(first).toMatch(/^\/calendars\/vdt_cal_[0-9A-Za-z]{49}$/)
    expect(await hasCalendar()).toBe(true)
    const { status, headers } = await read(first)
    expect([status, headers['content-type'], headers['cache-control']]).toEqual([200, 'text/calendar; charset=utf-8', 'no-store'])
    const second = await createAddress()
    expect([(await read(first)).status, (await read(second)).status]).toEqual([404, 200])
    expect((await call('DELETE')).status).toBe(204)
    // The second time nothing changes.
    expect((await call('DELETE')).status).toBe(204)
    expect([await hasCalendar(), await read(second)]).toMatchObject([false, { status: 404, body: 'not found\n' }])
    const { body: other } = await backend.call('POST', '/v1/schedules', { as: owner, body: { name: 'Other' } })
    const { body: calendar } = await backend.call('POST', `/v1/schedules/${other.id}/calendar`, { as: owner })
    const { pathname } = new URL(calendar.calendar_url)
    expect((await read(pathname)).status).toBe(200)
    await backend.call('DELETE', `/v1/schedules/${other.id}`, { as: owner })
    expect((await read(pathname)).status).toBe(404)
    const { body: audit } = await backend.call('GET', '/v1/audit-events?limit=100', { as: owner })
    const actions = audit.audit_events.map(({ action }: { action: string }) => action)
    expect(actions.filter((action: string) => action.startsWith('schedule.calendar'))).toEqual([
      'schedule.calendar_created',
      'schedule.calendar_deleted',
      'schedule.calendar_created',
      'schedule.calendar_created',
    ])
  })

  it('is unknown to other secrets, viewers and organizations [DUTY-02]', async () => {
    const key = (await backend.apiKey(organization, 'admin'))['x-api-key'] ?? ''
    const path = await createAddress()
    const typo = `${path.slice(0, -1)}${path.endsWith('a') ? 'b' : 'a'}`
    for (const url of [`/calendars/${key}`, '/calendars/x', typo]) expect([url, (await read(url)).status]).toEqual([url, 404])
    expect((await call('POST', await backend.member(organization, 'viewer'))).status).toBe(403)
    const foreigner = await backend.member(await backend.organization('Other'), 'owner')
    expect([(await call('POST', foreigner)).status, (await call('DELETE', foreigner)).status]).toEqual([404, 404])
    expect((await read(path)).status).toBe(200)
  })

  it.skipIf(areParsersMissing())('is read by icalendar of Debian: each shift of 92 days once [DUTY-03]', async () => {
    const script = `import icalendar
result = [{name: part[name].dt if hasattr(part[name], "dt") else part[name] for name in part} for part in icalendar.Calendar.from_ical(data).walk("VEVENT")]`
    const path = await createAddress()
    const events = parseByPython(script, (await read(path)).body) as Record<string, string>[]
    const { body: me } = await backend.call('GET', '/v1/auth/me', { as: owner })
    // Mondays from 26 October to 18 January; the clock changes on 25 October.
    expect(events.map((event) => event['DTSTART'])).toEqual(
      Array.from({ length: 13 }, (_, week) =>
        new Date(Date.parse('2026-10-26T08:00:00Z') + week * 7 * DAY_MS).toISOString().replace('.000Z', '+00:00'),
      ),
    )
    expect(events[0]).toMatchObject({
      UID: `${scheduleId}-${encodeId('user', owner.userId)}-20261026T080000Z`,
      DTEND: '2026-10-26T16:00:00+00:00',
      SUMMARY: `${me.email} (${NAME})`,
      TRANSP: 'TRANSPARENT',
    })
    expect(new Set(events.map((event) => event['UID'])).size).toBe(13)
    // One answer for a whole day.
    const today = (await read(path)).body
    backend.clock.advance(3_600_000)
    expect((await read(path)).body).toBe(today)
  })
})
