import { describe, expect, it } from 'vitest'
import { isTimeZone } from '../../wire/local-time.ts'
import { describeSchedule, longestPauseSeconds, nextExpected, scheduleFaults } from './schedule.ts'

describe('a schedule', () => {
  it.each<[unknown, string | undefined]>([
    [{ period_seconds: 300, grace_seconds: 60 }, undefined],
    [{ cron: '0 2 * * *', time_zone: 'Europe/Berlin', grace_seconds: 0 }, undefined],
    [{ on_calendar: 'Mon..Fri 10:00', time_zone: 'UTC', grace_seconds: 3600 }, undefined],
    [undefined, 'options.schedule: must be an object'],
    [[], 'options.schedule: must be an object'],
    [{ grace_seconds: 1 }, 'options.schedule: must have exactly one of'],
    [{ period_seconds: 60, cron: '* * * * *', grace_seconds: 1 }, 'options.schedule: must have exactly one of'],
    [{ period_seconds: 9, grace_seconds: 1 }, 'options.schedule.period_seconds: must be a whole number of seconds from 10 to'],
    [{ period_seconds: 60.5, grace_seconds: 1 }, 'options.schedule.period_seconds: must be a whole number'],
    [{ period_seconds: 60 }, 'options.schedule.grace_seconds: must be a whole number of seconds from 0 to 31622400'],
    [{ period_seconds: 60, grace_seconds: -1 }, 'options.schedule.grace_seconds'],
    [
      { period_seconds: 60, grace_seconds: 1, time_zone: 'UTC' },
      'options.schedule.time_zone: is not known next to period_seconds',
    ],
    [
      { cron: '* * * * *', time_zone: 'Mars/Base', grace_seconds: 1 },
      'options.schedule.time_zone: must be the name of a time zone',
    ],
    [{ cron: '* * * * *', time_zone: '+02:00', grace_seconds: 1 }, 'options.schedule.time_zone'],
    [{ cron: '* * * * *', grace_seconds: 1 }, 'options.schedule.time_zone'],
    [{ cron: '61 * * * *', time_zone: 'UTC', grace_seconds: 1 }, 'options.schedule.cron: has "61" as minute'],
    [{ cron: '0 0 30 2 *', time_zone: 'UTC', grace_seconds: 1 }, 'options.schedule.cron: never occurs'],
    [{ cron: 7, time_zone: 'UTC', grace_seconds: 1 }, 'options.schedule.cron: must be a text'],
    [
      { on_calendar: '*:*:*', time_zone: 'UTC', grace_seconds: 1 },
      'options.schedule.on_calendar: must not occur more often than every 10 seconds',
    ],
  ])('%j has the fault %s', (schedule, fault = 'none') => {
    const [first] = scheduleFaults(schedule)
    expect(first ? `${first.path}: ${first.message}` : 'none').toContain(fault)
  })

  it('expects a ping a period after the last one, or at the next time of its calendar', () => {
    const atMs = Date.parse('2026-11-24T10:00:00Z')
    expect(nextExpected({ period_seconds: 300, grace_seconds: 60 }, atMs)).toBe(atMs + 300_000)
    expect(nextExpected({ cron: '0 2 * * *', time_zone: 'Europe/Berlin', grace_seconds: 60 }, atMs)).toBe(
      Date.parse('2026-11-25T01:00:00Z'),
    )
  })

  it('expects no ping after the end of its calendar', () =>
    expect(
      nextExpected({ on_calendar: '2026-01-01', time_zone: 'UTC', grace_seconds: 0 }, Date.parse('2026-02-01T00:00:00Z')),
    ).toBeUndefined())

  it.each([
    [{ period_seconds: 300, grace_seconds: 0 }, 300],
    [{ cron: '0 2 * * *', time_zone: 'UTC', grace_seconds: 0 }, 86_400],
    [{ cron: '0 9-17 * * mon-fri', time_zone: 'UTC', grace_seconds: 0 }, 64 * 3_600],
  ])('%j has a longest pause of %i s', (schedule, seconds) =>
    expect(longestPauseSeconds(schedule, Date.parse('2026-11-24T10:00:00Z'))).toBe(seconds),
  )

  it('is described in words', () => {
    expect(describeSchedule({ period_seconds: 300, grace_seconds: 0 })).toBe('every 5 minutes')
    expect(describeSchedule({ period_seconds: 90, grace_seconds: 0 })).toBe('every 90 seconds')
    expect(describeSchedule({ cron: '0 2 * * *', time_zone: 'UTC', grace_seconds: 0 })).toBe('by cron 0 2 * * * in UTC')
  })
})

it.each([
  ['Europe/Berlin', true],
  ['UTC', true],
  ['Mars/Olympus', false],
  ['+02:00', false],
  ['', false],
] as const)('%s is a time zone: %s', (name, expected) => expect(isTimeZone(name)).toBe(expected))
