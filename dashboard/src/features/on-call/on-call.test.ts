import type { EscalationPolicy, Schedule, ScheduleLayer } from '@vedette/shared'
import { describe, expect, it } from 'vitest'
import { newPolicy, toPolicyBody, toPolicyInput } from './policy-input.ts'
import { newLayer, toScheduleBody, toScheduleInput } from './schedule-input.ts'
import { weeksFrom } from './weeks.ts'

const HOURS = { days: ['MO' as const, 'FR' as const], from: '09:00', to: '17:00' }
const SCHEDULE: Schedule = {
  id: 'sch_1',
  name: 'Shop',
  time_zone: 'Europe/Berlin',
  layers: [
    {
      user_ids: ['usr_1', 'usr_2', 'usr_1'],
      starts_at: '2026-11-23T08:00:00.000Z',
      ends_at: null,
      repeat: 'FREQ=WEEKLY;BYDAY=MO',
      restrictions: [],
    },
    { user_ids: ['usr_3'], starts_at: '2026-07-01T07:00:00.000Z', ends_at: null, repeat: null, restrictions: [HOURS] },
    {
      user_ids: [['usr_3', 'usr_1'], [], 'usr_2'],
      starts_at: '2026-07-01T07:00:00.000Z',
      ends_at: '2027-01-01T08:00:00.000Z',
      repeat: 'FREQ=HOURLY;INTERVAL=12',
      restrictions: [],
    },
    {
      user_ids: ['usr_3'],
      starts_at: '2026-07-01T07:00:00.000Z',
      ends_at: null,
      repeat: 'FREQ=WEEKLY;INTERVAL=2',
      restrictions: [],
    },
  ],
  overrides: [],
  handover_mail: false,
  ical_url: null,
  ical: null,
  has_calendar: false,
  managed: null,
  created_at: '2026-11-21T09:31:12.000Z',
  updated_at: '2026-11-21T09:31:12.000Z',
}
const POLICY: EscalationPolicy = {
  id: 'esc_1',
  name: 'Shop',
  time_zone: 'Europe/Berlin',
  steps: [{ channel_ids: ['chn_1'], schedule_ids: ['sch_1'], user_ids: ['usr_1'], wait_seconds: 90, restrictions: [HOURS] }],
  repeats: 2,
  reopen_seconds: 7_200,
  tags: ['shop'],
  managed: null,
  created_at: '2026-11-21T09:31:12.000Z',
  updated_at: '2026-11-21T09:31:12.000Z',
}

describe('the editor of schedules', () => {
  it('changes nothing of a schedule that is saved without changes', () => {
    const { name, time_zone, layers, handover_mail, ical_url } = SCHEDULE
    expect(toScheduleBody(toScheduleInput(SCHEDULE))).toEqual({ name, time_zone, layers, handover_mail, ical_url })
  })

  it('shows local times of the schedule', () => {
    expect(toScheduleInput(SCHEDULE).layers.map(({ starts }) => starts)).toEqual([
      '2026-11-23T09:00',
      '2026-07-01T09:00',
      '2026-07-01T09:00',
      '2026-07-01T09:00',
    ])
    expect(toScheduleInput(SCHEDULE).layers.map(({ ends }) => ends)).toEqual(['', '', '2027-01-01T09:00', ''])
  })

  it.each(['FREQ=HOURLY', 'FREQ=HOURLY;INTERVAL=12', 'FREQ=HOURLY;INTERVAL=1', 'FREQ=HOURLY;INTERVAL=0'])(
    'keeps the turns of %s as they are written',
    (repeat) => {
      const [layer] = SCHEDULE.layers
      const hourly = { ...SCHEDULE, layers: [{ ...(layer as ScheduleLayer), repeat }] }
      expect(toScheduleBody(toScheduleInput(hourly)).layers?.[0]?.repeat).toBe(repeat)
    },
  )

  it.each([
    ['2026-11-28T07:59:00Z', '2026-11-27T09:00'],
    ['2026-11-28T08:00:00Z', '2026-11-28T09:00'],
  ])('suggests at %s a layer that has begun', (now, starts) =>
    expect(newLayer(Date.parse(now), 'Europe/Berlin').starts).toBe(starts),
  )
})

describe('the editor of escalation policies', () => {
  it('changes nothing of a policy that is saved without changes', () => {
    const { name, time_zone, steps, repeats, reopen_seconds, tags } = POLICY
    expect(toPolicyBody(toPolicyInput(POLICY))).toEqual({ name, time_zone, steps, repeats, reopen_seconds, tags })
  })

  it('takes what is typed as no number for no number, and an empty time of reopening for never', () => {
    const typed = { ...newPolicy('UTC'), repeats: ' ' }
    expect(toPolicyBody(typed)).toMatchObject({ repeats: Number.NaN, reopen_seconds: null })
    expect(toPolicyBody({ ...typed, repeats: '3', reopen: '1 h 30 min' })).toMatchObject({ repeats: 3, reopen_seconds: 5_400 })
  })
})

describe('the weeks of a schedule', () => {
  it('have seven local days each, also where the clock changes', () => {
    const weeks = weeksFrom(Date.parse('2026-10-20T21:30:00Z'), 'Europe/Berlin', 2)
    const times = weeks.map(({ fromMs, toMs }) => [fromMs, toMs].map((ms) => new Date(ms).toISOString()))
    expect(times).toEqual([
      ['2026-10-19T22:00:00.000Z', '2026-10-26T23:00:00.000Z'],
      ['2026-10-26T23:00:00.000Z', '2026-11-02T23:00:00.000Z'],
    ])
    expect(weeks[0]?.days).toHaveLength(7)
    expect(new Date(weeks[0]?.days[6] ?? 0).toISOString()).toBe('2026-10-25T23:00:00.000Z')
  })

  it('begin at the first instant of a day without a midnight', () => {
    // The clock of Beirut went from 00:00 to 01:00.
    const [week] = weeksFrom(Date.parse('2026-03-29T12:00:00Z'), 'Asia/Beirut', 1)
    expect(new Date(week?.fromMs ?? 0).toISOString()).toBe('2026-03-28T22:00:00.000Z')
  })
})
