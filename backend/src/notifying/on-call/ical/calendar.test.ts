import { describe, expect, it } from 'vitest'
import { dutiesOf } from './duties.ts'
import { parseCalendar } from './parse.ts'

const RANGE = { fromMs: Date.parse('2027-03-01T00:00:00Z'), toMs: Date.parse('2027-05-01T00:00:00Z') }
const calendar = (...events: string[][]) =>
  [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    ...events.flatMap((lines) => ['BEGIN:VEVENT', 'UID:u1', ...lines, 'END:VEVENT']),
    'END:VCALENDAR',
    '',
  ].join('\r\n')
/** `from to name`, in UTC. */
const read = (text: string, zone = 'Europe/Berlin') => {
  const { duties, faults } = dutiesOf(parseCalendar(text, zone), RANGE)
  const iso = (ms: number) => new Date(ms).toISOString().slice(0, 16)
  return {
    faults,
    duties: duties.map(
      ({ fromMs, toMs, names, priority }) =>
        `${iso(fromMs)} ${iso(toMs)} ${names.join('+')}${priority > 0 ? ` L${priority}` : ''}`,
    ),
  }
}

describe('a calendar', () => {
  it.each<[string, string[], string[]]>([
    [
      'an instant',
      ['DTSTART:20270310T080000Z', 'DTEND:20270310T160000Z', 'SUMMARY:ada'],
      ['2027-03-10T08:00 2027-03-10T16:00 ada'],
    ],
    [
      'a local time of a zone that it names, with a length',
      ['DTSTART;TZID=America/New_York:20270310T080000', 'DURATION:PT8H30M', 'SUMMARY:[L2] ada'],
      ['2027-03-10T13:00 2027-03-10T21:30 ada L2'],
    ],
    [
      'a local time of a zone that nobody knows: that of the schedule',
      ['DTSTART;TZID=Our office:20270310T080000', 'DTEND;TZID=Our office:20270310T090000', 'SUMMARY:ada'],
      ['2027-03-10T07:00 2027-03-10T08:00 ada'],
    ],
    ['a whole day', ['DTSTART;VALUE=DATE:20270310', 'SUMMARY:ada'], ['2027-03-09T23:00 2027-03-10T23:00 ada']],
    [
      'people who are invited, in folded lines',
      [
        'DTSTART:20270310T080000Z',
        'DTEND:20270310T160000Z',
        'SUMMARY:Night',
        'ATTENDEE;CN="Ada: B";ROLE=REQ',
        ' -PARTICIPANT:mailto:Ada@exam',
        ' ple.com',
        'ATTENDEE:MAILTO:ben@example.com',
      ],
      ['2027-03-10T08:00 2027-03-10T16:00 ada@example.com+ben@example.com'],
    ],
    [
      'a rule over a change of the clock, without one of its starts',
      [
        'DTSTART;TZID=Europe/Berlin:20270322T090000',
        'DTEND;TZID=Europe/Berlin:20270322T170000',
        'RRULE:FREQ=WEEKLY;COUNT=3',
        'EXDATE;TZID=Europe/Berlin:20270405T090000',
        'SUMMARY:ada',
      ],
      ['2027-03-22T08:00 2027-03-22T16:00 ada', '2027-03-29T07:00 2027-03-29T15:00 ada'],
    ],
    ['one that was cancelled', ['DTSTART:20270310T080000Z', 'DTEND:20270310T160000Z', 'STATUS:CANCELLED', 'SUMMARY:ada'], []],
    ['one that is over before the range', ['DTSTART:20260310T080000Z', 'DTEND:20260310T160000Z', 'SUMMARY:ada'], []],
    [
      'an alarm with times of its own',
      [
        'DTSTART:20270310T080000Z',
        'DTEND:20270310T160000Z',
        'SUMMARY:ada',
        'BEGIN:VALARM',
        'DTSTART:20270101T000000Z',
        'SUMMARY:x',
        'END:VALARM',
      ],
      ['2027-03-10T08:00 2027-03-10T16:00 ada'],
    ],
  ])('is read with %s', (_, lines, duties) => expect(read(calendar(lines))).toEqual({ faults: [], duties }))

  it('has an occurrence that was moved in place of that of its rule', () => {
    const weekly = [
      'DTSTART:20270301T080000Z',
      'DTEND:20270301T160000Z',
      'RRULE:FREQ=WEEKLY;UNTIL=20270315T080000Z',
      'SUMMARY:ada',
    ]
    const moved = ['RECURRENCE-ID:20270308T080000Z', 'DTSTART:20270309T080000Z', 'DTEND:20270309T160000Z', 'SUMMARY:ben']
    expect(read(calendar(weekly, moved)).duties).toEqual([
      '2027-03-01T08:00 2027-03-01T16:00 ada',
      '2027-03-09T08:00 2027-03-09T16:00 ben',
      '2027-03-15T08:00 2027-03-15T16:00 ada',
    ])
  })

  it('names what it cannot read, and reads the rest', () => {
    const one = ['DTSTART:20270310T080000Z', 'DTEND:20270310T160000Z', 'SUMMARY:ada']
    const { duties, faults } = read(
      calendar(
        one,
        ['DTSTART:20271399T080000Z', 'SUMMARY:no start'],
        ['DTSTART:20270310T080000Z', 'SUMMARY:no end'],
        ['DTSTART:20270310T080000Z', 'DTEND:20270310T160000Z', 'RRULE:FREQ=SECONDLY', 'SUMMARY:seconds'],
        [...one.slice(0, 2), 'RDATE:20270311T080000Z', 'SUMMARY:dates'],
      ),
    )
    expect(duties).toHaveLength(1)
    expect(faults).toEqual([
      'event "no start" has no start that can be read',
      'event "no end" has no end that can be read',
      'event "dates" has dates of its own (RDATE)',
      expect.stringMatching(/^event "seconds": its rule /),
    ])
    expect(read('<html>').faults).toEqual(['it is no iCalendar'])
    expect(read(`BEGIN:VCALENDAR\r\n${'x'.repeat(5_000_000)}`).faults).toEqual([expect.stringMatching(/may have 4194304/)])
  })
})

it.each([
  [20, 20, undefined],
  [21, 21, 'and 1 more'],
  [4_000, 21, 'and 3980 more'],
])('of %i events that cannot be read 20 are named, each cut, and the others counted', (count, lines, last) => {
  const event = `BEGIN:VEVENT\nSUMMARY:${'x'.repeat(900)}\nEND:VEVENT\n`
  const { faults } = read(`BEGIN:VCALENDAR\n${event.repeat(count)}END:VCALENDAR\n`)
  expect([faults.length, faults[20]]).toEqual([lines, last])
  expect(Math.max(...faults.map(({ length }) => length))).toBe(200)
})

it('a calendar of too many events says so once', () => {
  const event = 'BEGIN:VEVENT\nSUMMARY:ada\nDTSTART:20261201T080000Z\nDTEND:20261201T090000Z\nEND:VEVENT\n'
  const { events, faults } = parseCalendar(`BEGIN:VCALENDAR\n${event.repeat(5_003)}END:VCALENDAR\n`, 'UTC')
  expect([events.length, faults]).toEqual([5_000, ['it has more than 5000 events']])
})

it('a calendar of too many lines is none', () => {
  expect(parseCalendar(`BEGIN:VCALENDAR\n${'A:\n'.repeat(250_000)}`, 'UTC')).toEqual({
    events: [],
    isNone: true,
    faults: ['it has more than 250000 lines'],
  })
})

it('rules that never occur, and those whose starts would be counted for decades, cost no search', () => {
  const event = (rule: string) => ['DTSTART:19000101T080000Z', 'DTEND:19000101T160000Z', `RRULE:${rule}`, 'SUMMARY:ada']
  const rules = Array.from({ length: 1_000 }, (_, index) => `FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30;INTERVAL=${1 + (index % 900)}`)
  const startedMs = process.cpuUsage().user / 1_000
  expect(read(calendar(...rules.map(event), event('FREQ=DAILY;COUNT=999')))).toEqual({
    duties: [],
    faults: ['event "ada": its rule has a COUNT, and began more than 10 years ago'],
  })
  // It was 3 ms for each of them.
  expect(process.cpuUsage().user / 1_000 - startedMs).toBeLessThan(1_500)
})
