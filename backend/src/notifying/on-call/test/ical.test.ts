import { DAY_MS, HOUR_MS, MASK, MINUTE_MS } from '@vedette/shared'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Credentials, startTestBackend, type TestBackend, type TestOrganization } from '../../../../test/harness.ts'
import { type Receiver, startReceiver } from '../../../../test/receiver.ts'
import { encodeId, parseId } from '../../../platform/ids.ts'

const START = Date.parse('2026-11-30T10:00:00Z')

let backend: TestBackend
let receiver: Receiver
let organization: TestOrganization
let owner: Credentials & { userId: string }
let key: Credentials
let email: string
beforeAll(async () => {
  receiver = await startReceiver()
  backend = await startTestBackend({ startMs: START, environment: { VEDETTE_ALLOW_PRIVATE_TARGETS: '127.0.0.1/32' } })
})
afterAll(async () => {
  await backend.close()
  await receiver.close()
})
beforeEach(async () => {
  backend.clock.advance(START - backend.clock.now())
  await backend.pool.pg.query('delete from schedule')
  organization = await backend.organization()
  owner = await backend.member(organization, 'owner')
  email = (await backend.call('GET', '/v1/auth/me', { as: owner })).body.email
  // Sessions end within a day.
  key = await backend.apiKey(organization, 'admin')
  receiver.received.length = 0
  serve(calendarOf(shift(1)))
})

async function call(method: string, path: string, body?: unknown) {
  const answer = await backend.call(method, path, { as: key, body })
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${JSON.stringify(answer.body)}`)
  return answer.body
}
const create = (own: object = {}) =>
  call('POST', '/v1/schedules', { name: 'Shop', ical_url: `${receiver.url}/secret-7.ics`, ...own })
const read = (id: string) => call('GET', `/v1/schedules/${id}`)
const patch = (id: string, body: object) => backend.call('PATCH', `/v1/schedules/${id}`, { as: key, body })
const refresh = () => backend.jobs.refreshCalendars()

const instant = (ms: number) => new Date(ms).toISOString().replaceAll(/[-:]|\.\d+/g, '')
/** From 12:00 to 13:00 UTC, so many days after the start. */
const spanOf = (day: number) => {
  const fromMs = Math.floor(START / DAY_MS) * DAY_MS + day * DAY_MS + 12 * HOUR_MS
  return { fromMs, toMs: fromMs + HOUR_MS }
}
const shift = (day: number, who: string = email) => {
  const { fromMs, toMs } = spanOf(day)
  return `BEGIN:VEVENT\r\nUID:${day}\r\nDTSTART:${instant(fromMs)}\r\nDTEND:${instant(toMs)}\r\nSUMMARY:${who}\r\nEND:VEVENT\r\n`
}
const calendarOf = (...events: string[]) => `BEGIN:VCALENDAR\r\nVERSION:2.0\r\n${events.join('')}END:VCALENDAR\r\n`
const serve = (text: string, headers: Record<string, string> = {}) =>
  receiver.answer((response) => void response.writeHead(200, { 'content-type': 'text/calendar', ...headers }).end(text))
const overrideOf = (day: number, userId = encodeId('user', owner.userId)) => {
  const { fromMs, toMs } = spanOf(day)
  return { user_id: userId, starts_at: new Date(fromMs).toISOString(), ends_at: new Date(toMs).toISOString() }
}

describe('a schedule that follows a calendar', () => {
  it('has the shifts of its calendar, read once a day, next to overrides by hand', async () => {
    const byHand = overrideOf(9)
    const { id, ical_url: shown, ical } = await create({ overrides: [byHand] })
    expect([shown, ical]).toEqual([MASK, { read_at: null, error: null, failing_since: null, faults: [], shifts: [] }])
    await refresh()
    expect((await read(id)).ical).toMatchObject({ read_at: new Date(START).toISOString(), error: null, shifts: [overrideOf(1)] })
    expect(receiver.received[0]).toMatchObject({ method: 'GET', path: '/secret-7.ics' })
    const at = encodeURIComponent(overrideOf(1).starts_at)
    expect((await call('GET', `/v1/schedules/${id}/on-call?at=${at}`)).current).toMatchObject([{ layer: null, email }])
    serve(calendarOf(shift(2), shift(3)))
    await refresh()
    expect(receiver.received).toHaveLength(1)
    backend.clock.advance(DAY_MS)
    await refresh()
    const after = await read(id)
    expect([after.ical.shifts, after.overrides]).toEqual([[overrideOf(2), overrideOf(3)], [byHand]])
    expect(after.updated_at).toBe(after.created_at)
  })

  it('does not show its address, keeps it for the mask, and ends with null', async () => {
    const { id } = await create()
    await refresh()
    expect((await patch(id, { name: 'Night', ical_url: MASK })).body).toMatchObject({
      name: 'Night',
      ical: { shifts: [overrideOf(1)] },
    })
    const { rows } = await backend.pool.pg.query('select to_jsonb(schedule) as row from schedule')
    const { rows: audit } = await backend.pool.pg.query('select details from audit_event')
    expect(JSON.stringify([rows, audit, await call('GET', '/v1/schedules')])).not.toContain('secret-7')
    expect((await patch(id, { ical_url: null })).body).toMatchObject({ ical_url: null, ical: null })
    expect((await patch(id, { ical_url: MASK })).body.error.details).toMatchObject([{ path: 'ical_url' }])
    for (const url of ['ftp://127.0.0.1/a', 'nonsense', 'https://ada:secret@example.com/a.ics'])
      expect((await patch(id, { ical_url: url })).body.error.details).toMatchObject([{ path: 'ical_url' }])
  })

  it('takes the answer that nothing has changed, and reads all of it again after 30 days', async () => {
    serve(calendarOf(shift(1)), { etag: '"v1"' })
    const { id } = await create()
    await refresh()
    receiver.answer((response) => void response.writeHead(304).end())
    backend.clock.advance(DAY_MS)
    await refresh()
    expect(receiver.received[1]?.headers['if-none-match']).toBe('"v1"')
    expect((await read(id)).ical).toMatchObject({
      error: null,
      shifts: [overrideOf(1)],
      read_at: new Date(START + DAY_MS).toISOString(),
    })
    backend.clock.advance(30 * DAY_MS)
    serve(calendarOf(shift(40)), { etag: '"v2"' })
    await refresh()
    expect(receiver.received[2]?.headers).not.toHaveProperty('if-none-match')
    expect((await read(id)).ical.shifts).toEqual([overrideOf(1), overrideOf(40)])
  })

  it('keeps what it has while the calendar fails, says since when, and tries again each hour', async () => {
    const { id } = await create()
    await refresh()
    receiver.answer((response) => void response.writeHead(500).end())
    backend.clock.advance(DAY_MS)
    await refresh()
    backend.clock.advance(HOUR_MS)
    await refresh()
    const since = new Date(START + DAY_MS).toISOString()
    expect((await read(id)).ical).toMatchObject({
      error: 'it answered with status 500',
      failing_since: since,
      shifts: [overrideOf(1)],
    })
    serve(calendarOf(shift(5)))
    backend.clock.advance(HOUR_MS)
    await refresh()
    expect((await read(id)).ical).toMatchObject({ error: null, failing_since: null, shifts: [overrideOf(5)] })
  })

  it('names people who are no members, and finds them once they are', async () => {
    serve(calendarOf(shift(1, 'zoe@example.com')), { etag: '"v1"' })
    const { id } = await create()
    await refresh()
    expect((await read(id)).ical).toMatchObject({ faults: ['it names "zoe@example.com", who is no member here'], shifts: [] })
    const zoe = await backend.member(organization, 'member')
    await backend.pool.pg.query(`update app_user set email = 'zoe@example.com' where id = $1`, [zoe.userId])
    backend.clock.advance(DAY_MS)
    await refresh()
    expect(receiver.received[1]?.headers).not.toHaveProperty('if-none-match')
    expect((await read(id)).ical).toMatchObject({ faults: [], shifts: [overrideOf(1, encodeId('user', zoe.userId))] })
  })

  it('names the first 20 of what it cannot read, and counts all others', async () => {
    serve(calendarOf(...Array.from({ length: 4_000 }, (_, index) => shift(1).replace(/DTSTART:.*/, `DTSTART:x${index}`))))
    const { id } = await create()
    await refresh()
    const { faults } = (await read(id)).ical
    expect([faults.length, faults.at(-1)]).toEqual([21, 'and 3980 more'])
  })

  it('does not take what another address said once its own was changed meanwhile', async () => {
    const { id } = await create()
    let changed: Promise<unknown> = Promise.resolve()
    receiver.answer((response) => {
      changed = patch(id, { ical_url: `${receiver.url}/other.ics` }).then(() => response.writeHead(200).end(calendarOf(shift(1))))
    })
    await refresh()
    await changed
    expect((await read(id)).ical).toMatchObject({ read_at: null, shifts: [] })
  })

  it('refuses calendars that are endless, lead to an address that is not allowed, are none, or have too much', async () => {
    const { id } = await create()
    await refresh()
    const daily = Array.from(
      { length: 5_000 },
      (_, index) =>
        `BEGIN:VEVENT\nUID:${index}\nDTSTART:20261201T000000Z\nDTEND:20261201T010000Z\nRRULE:FREQ=DAILY\nSUMMARY:x\nEND:VEVENT\n`,
    )
    const hostile: [respond: Parameters<Receiver['answer']>[0], error: string][] = [
      [
        (response) => {
          response.writeHead(200)
          const more = () => {
            while (!response.destroyed && response.write('x'.repeat(65_536)));
          }
          response.on('drain', more)
          more()
        },
        'it has more than 4 MiB',
      ],
      [
        (response) => void response.writeHead(302, { location: 'http://127.0.0.2:1/a' }).end(),
        'the target is not a public address (loopback)',
      ],
      [(response) => void response.writeHead(302, { location: '/again' }).end(), 'more than 3 redirects'],
      [(response) => void response.writeHead(200).end('<html>sign in</html>'), 'it is no iCalendar'],
      [(response) => void response.writeHead(404).end(), 'it answered with status 404'],
      [(response) => void response.writeHead(200).end(calendarOf(...daily)), 'it has more than 20000 shifts in 120 days'],
      [(response) => void response.socket?.destroy(), 'the connection was lost'],
    ]
    backend.clock.advance(DAY_MS)
    for (const [respond, error] of hostile) {
      receiver.answer(respond)
      await refresh()
      const { ical } = await read(id)
      expect(ical).toMatchObject({ error: expect.stringContaining(error), shifts: [overrideOf(1)] })
      expect(ical.error).not.toContain('secret-7')
      backend.clock.advance(HOUR_MS)
    }
    const many = Array.from({ length: 5_000 }, (_, index) => shift(2 + (index % 100)).replace(/UID:\d+/, `UID:${index}`))
    serve(calendarOf(...many))
    await refresh()
    expect((await read(id)).ical).toMatchObject({ error: null, faults: [] })
  })

  it('follows a redirect to another path', async () => {
    receiver.answer((response, { path }) => {
      if (path === '/secret-7.ics') response.writeHead(302, { location: '/moved.ics' }).end()
      else response.writeHead(200).end(calendarOf(shift(1)))
    })
    const { id } = await create()
    await refresh()
    expect((await read(id)).ical).toMatchObject({ error: null, shifts: [overrideOf(1)] })
  })

  it('is not read after its deletion, and is planned and taken over by a configuration without showing its address', async () => {
    const { id } = await create()
    await backend.call('DELETE', `/v1/schedules/${id}`, { as: key })
    await refresh()
    expect(receiver.received).toEqual([])
    const resources = [{ kind: 'schedule', ref: 'shop', spec: { name: 'Shop', ical_url: `${receiver.url}/secret-8.ics` } }]
    const plan = async (spec: object) => {
      const set = await call('POST', '/v1/change-sets', { owner: 'git', resources: [{ ...resources[0], spec }] })
      expect(JSON.stringify(set)).not.toContain('secret-8')
      return set
    }
    const set = await plan(resources[0]?.spec ?? {})
    await call('POST', `/v1/change-sets/${set.id}/apply`)
    await refresh()
    const [schedule] = (await call('GET', '/v1/schedules')).schedules
    expect(schedule.ical.shifts).toEqual([overrideOf(1)])
    expect((await plan(resources[0]?.spec ?? {})).steps).toEqual([])
    expect((await plan({ name: 'Shop' })).steps).toEqual([])
    expect((await plan({ name: 'Shop', ical_url: null })).steps).toHaveLength(1)
    const { rows } = await backend.pool.pg.query('select ical_url from schedule where id = $1', [
      parseId('schedule', schedule.id),
    ])
    expect(rows[0].ical_url.includes('secret-8')).toBe(false)
  })
})

it('a process that dies while it reads leaves the calendar to be read 15 minutes later', async () => {
  const { id } = await create()
  await backend.pool.pg.query(`update schedule set ical_due_at = $1`, [new Date(START + 15 * MINUTE_MS)])
  await refresh()
  expect(receiver.received).toEqual([])
  backend.clock.advance(15 * MINUTE_MS)
  await refresh()
  expect((await read(id)).ical.shifts).toEqual([overrideOf(1)])
})
