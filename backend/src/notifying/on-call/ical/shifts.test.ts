import { DAY_MS } from '@vedette/shared'
import { describe, expect, it } from 'vitest'
import { dutiesInTurns } from './duties.ts'
import { parseCalendar } from './parse.ts'
import { KEPT_MS, toShifts } from './shifts.ts'

const event = (...lines: string[]) => ['BEGIN:VEVENT', ...lines, 'END:VEVENT']
const calendarOf = (...events: string[][]) => ['BEGIN:VCALENDAR', ...events.flat(), 'END:VCALENDAR', ''].join('\r\n')
const NIGHT = ['DTSTART;TZID=Europe/Berlin:20260101T220000', 'DTEND;TZID=Europe/Berlin:20260102T060000', 'RRULE:FREQ=DAILY']
const MEMBERS: Readonly<Record<string, string>> = { ada: 'u1', ben: 'u2', cem: 'u3' }

/** `from to person`, in UTC. */
async function read(text: string, now: string, days: number, before: Parameters<typeof toShifts>[2] = []) {
  const nowMs = Date.parse(now)
  const found = await dutiesInTurns(parseCalendar(text, 'UTC'), { fromMs: nowMs, toMs: nowMs + days * DAY_MS }, 20_000)
  const { shifts, faults } = toShifts(found?.duties ?? [], (name) => MEMBERS[name], before, nowMs)
  const iso = (ms: number) => new Date(ms).toISOString().slice(0, 16)
  return { faults, shifts: shifts.map((one) => `${iso(one.starts_at)} ${iso(one.ends_at)} ${one.user_id}`) }
}

describe('the shifts of a calendar', () => {
  it('keep their local times over both changes of the clock', async () => {
    const text = calendarOf(event(...NIGHT, 'SUMMARY:ada'))
    expect((await read(text, '2027-03-27T12:00:00Z', 2)).shifts).toEqual([
      '2027-03-27T21:00 2027-03-28T05:00 u1',
      '2027-03-28T20:00 2027-03-29T04:00 u1',
    ])
    expect((await read(text, '2027-10-30T12:00:00Z', 2)).shifts).toEqual([
      '2027-10-30T20:00 2027-10-31T04:00 u1',
      '2027-10-31T21:00 2027-11-01T05:00 u1',
    ])
  })

  it('begin now, follow what is over by the calendar of before, and join with it', async () => {
    const at = (text: string) => Date.parse(text)
    const before = [
      { user_id: 'u3', starts_at: at('2026-11-30T12:00:00Z') - KEPT_MS - 2, ends_at: at('2026-11-30T12:00:00Z') - KEPT_MS },
      { user_id: 'u2', starts_at: at('2026-11-29T08:00:00Z'), ends_at: at('2026-11-29T09:00:00Z') },
      { user_id: 'u1', starts_at: at('2026-11-30T08:00:00Z'), ends_at: at('2026-11-30T16:00:00Z') },
      { user_id: 'u2', starts_at: at('2026-12-02T08:00:00Z'), ends_at: at('2026-12-02T16:00:00Z') },
    ]
    const text = calendarOf(event('DTSTART:20261130T100000Z', 'DTEND:20261130T180000Z', 'SUMMARY:ada'))
    expect((await read(text, '2026-11-30T12:00:00Z', 5, before)).shifts).toEqual([
      '2026-11-29T08:00 2026-11-29T09:00 u2',
      '2026-11-30T08:00 2026-11-30T18:00 u1',
    ])
  })

  it('have several people together, and those of a higher priority in place of others', async () => {
    const hours = (from: string, to: string) => [`DTSTART:20261201T${from}0000Z`, `DTEND:20261201T${to}0000Z`]
    const text = calendarOf(
      event(...hours('08', '16'), 'SUMMARY:ada'),
      event(...hours('10', '18'), 'SUMMARY:ben'),
      event(...hours('12', '13'), 'SUMMARY:[L1] cem'),
    )
    expect((await read(text, '2026-12-01T00:00:00Z', 5)).shifts).toEqual([
      '2026-12-01T08:00 2026-12-01T12:00 u1',
      '2026-12-01T10:00 2026-12-01T12:00 u2',
      '2026-12-01T12:00 2026-12-01T13:00 u3',
      '2026-12-01T13:00 2026-12-01T16:00 u1',
      '2026-12-01T13:00 2026-12-01T18:00 u2',
    ])
  })

  it('name people who are no members, and are at most 500', async () => {
    const text = calendarOf(
      event('DTSTART:20261201T080000Z', 'DTEND:20261201T090000Z', 'SUMMARY:zoe'),
      event('DTSTART:20261201T000000Z', 'DTEND:20261201T010000Z', 'RRULE:FREQ=DAILY', 'SUMMARY:ada'),
      ...Array.from({ length: 5 }, (_, index) =>
        event(`DTSTART:20261201T0${index + 2}0000Z`, `DTEND:20261201T0${index + 2}3000Z`, 'RRULE:FREQ=DAILY', 'SUMMARY:ben'),
      ),
    )
    const { shifts, faults } = await read(text, '2026-12-01T00:00:00Z', 100)
    expect([shifts.length, faults]).toEqual([
      500,
      ['it names "zoe", who is no member here', 'it has 600 shifts, and the first 500 count'],
    ])
  })

  it('are not collected beyond a bound', async () => {
    const daily = (index: number) =>
      event('DTSTART:20261201T000000Z', 'DTEND:20261201T010000Z', 'RRULE:FREQ=DAILY', `UID:${index}`, 'SUMMARY:ada')
    const calendar = parseCalendar(calendarOf(...Array.from({ length: 5_000 }, (_, index) => daily(index))), 'UTC')
    const fromMs = Date.parse('2026-12-01T00:00:00Z')
    expect(await dutiesInTurns(calendar, { fromMs, toMs: fromMs + 120 * DAY_MS }, 20_000)).toBeUndefined()
  })
})
