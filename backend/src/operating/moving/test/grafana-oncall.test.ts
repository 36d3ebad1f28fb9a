import { describe, expect, it } from 'vitest'
import { readGrafanaOnCall } from '../grafana-oncall/read.ts'
import { peopleOf } from '../model.ts'

const NOW = Date.parse('2026-11-30T12:00:00Z')
const people = peopleOf(['ada', 'ben'].map((name) => ({ id: `usr_${name}`, email: `${name}@example.com` })))
const USERS = { results: ['ada', 'ben', 'cem'].map((name) => ({ id: name, email: `${name}@example.com` })) }

/** The layers of a schedule of these shifts, or why there are none. */
function layersOf(...shifts: object[]) {
  const files = new Map<string, unknown>([
    ['users.json', USERS],
    [
      'schedules.json',
      {
        results: [
          {
            id: 'S1',
            name: 'Night',
            type: 'calendar',
            time_zone: 'Europe/Berlin',
            shifts: shifts.map((_, index) => `H${index}`),
          },
        ],
      },
    ],
    ['on_call_shifts.json', { results: shifts.map((shift, index) => ({ id: `H${index}`, name: `Shift ${index}`, ...shift })) }],
  ])
  const { resources, report } = readGrafanaOnCall(files, people, NOW)
  const row = report.find(({ source }) => source.kind === 'schedule')
  return { layers: resources[0]?.spec['layers'], zone: resources[0]?.spec['time_zone'], row }
}
const rolling = (own: object) => ({
  type: 'rolling_users',
  start: '2026-11-04T09:00:00',
  frequency: 'weekly',
  interval: 1,
  duration: 604_800,
  rolling_users: [['ada'], ['ben']],
  ...own,
})
const EVERY = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU']

describe('a schedule of Grafana OnCall that is a calendar', () => {
  const schedule = {
    id: 'S1',
    name: 'Night',
    type: 'ical',
    time_zone: 'Europe/Berlin',
  }
  const event = (from: string, to: string, summary: string) => [
    'BEGIN:VEVENT',
    `DTSTART:${from}`,
    `DTEND:${to}`,
    `SUMMARY:${summary}`,
    'END:VEVENT',
  ]
  const saved = (...events: string[][]) => ['BEGIN:VCALENDAR', ...events.flat(), 'END:VCALENDAR'].join('\r\n')
  const read = (own: object, calendars: Record<string, string>) => {
    const users = { results: [...USERS.results, { id: 'U9', username: 'Benny', email: 'ben@example.com' }] }
    const files = new Map<string, unknown>([
      ['users.json', users],
      ['schedules.json', { results: [{ ...schedule, ...own }] }],
      ...Object.entries(calendars),
    ])
    const { resources, report } = readGrafanaOnCall(files, people, NOW)
    const { overrides, ical_url: url } = resources[0]?.spec ?? {}
    return { overrides, url, row: report.find(({ source }) => source.kind === 'schedule') }
  }
  const override = (user_id: string, starts_at: string, ends_at: string) => ({ user_id, starts_at, ends_at })

  it('becomes overrides of the next 90 days, those of a higher priority last', () => {
    const calendar = saved(
      event('20261201T080000Z', '20261201T200000Z', '[L1] benny'),
      event('20261201T000000Z', '20261202T000000Z', 'ADA@example.com'),
      event('20261203T000000Z', '20261204T000000Z', 'cem'),
      event('20270501T000000Z', '20270502T000000Z', 'ada@example.com'),
    )
    const { overrides, row } = read({}, { 'schedules/S1.ics': calendar })
    expect(overrides).toEqual([
      override('usr_ada', '2026-12-01T00:00:00.000Z', '2026-12-02T00:00:00.000Z'),
      override('usr_ben', '2026-12-01T08:00:00.000Z', '2026-12-01T20:00:00.000Z'),
    ])
    expect(row).toMatchObject({
      fidelity: 'partly',
      changes: [
        'its calendar names "cem", who is no member here',
        'who is on duty in the next 90 days are overrides, until 2026-12-02T00:00:00.000Z: save the calendar and plan again each day',
      ],
    })
  })

  it('has the calendar of its overrides above it', () => {
    const files = {
      'schedules/S1.ics': saved(event('20261201T000000Z', '20261202T000000Z', '[L9] ada@example.com')),
      'schedules/S1-overrides.ics': saved(event('20261201T080000Z', '20261201T090000Z', 'ben@example.com')),
    }
    const { overrides } = read({ ical_url_overrides: 'ftp://calendar.example.com/y' }, files)
    expect((overrides as { user_id: string }[]).map(({ user_id: id }) => id)).toEqual(['usr_ada', 'usr_ben'])
  })

  it('goes on to follow its calendar, which names people by e-mail or was not saved', () => {
    const own = { ical_url_primary: ' webcal://calendar.example.com/x?key=1 ' }
    const url = 'webcal://calendar.example.com/x?key=1'
    const byEmail = saved(event('20261201T000000Z', '20261202T000000Z', '[L1] ADA@example.com'))
    expect(read(own, {})).toMatchObject({ url, overrides: undefined, row: { fidelity: 'changed' } })
    expect(read(own, { 'schedules/S1.ics': byEmail })).toMatchObject({ url, overrides: undefined })
    const byName = saved(event('20261201T000000Z', '20261202T000000Z', 'benny'))
    expect(read(own, { 'schedules/S1.ics': byName })).toMatchObject({ url: undefined, overrides: [{ user_id: 'usr_ben' }] })
    expect(JSON.stringify(read(own, {}).row)).not.toContain('calendar.example.com')
  })

  it('has overrides of the saved calendar of its overrides while it follows its own', () => {
    const both = { ical_url_primary: 'https://calendar.example.com/x', ical_url_overrides: 'https://calendar.example.com/y' }
    const files = { 'schedules/S1-overrides.ics': saved(event('20261201T080000Z', '20261201T090000Z', 'ben@example.com')) }
    expect(read(both, files)).toMatchObject({ url: both.ical_url_primary, overrides: [{ user_id: 'usr_ben' }] })
    expect(read(both, {}).row?.changes[0]).toMatch(/^the calendar of its overrides: /)
  })

  it('says what is missing: the file, people who are on duty together, more overrides than a schedule may have', () => {
    expect(read({}, {}).row).toMatchObject({ fidelity: 'refused', reason: 'it is a calendar: save it as schedules/S1.ics' })
    const together = saved(...['ada', 'ben'].map((name) => event('20261201T000000Z', '20261202T000000Z', `${name}@example.com`)))
    expect(read({}, { 'schedules/S1.ics': together }).row?.changes[0]).toMatch(/^people who are on duty together/)
    const hours = Array.from({ length: 220 }, (_, hour) =>
      new Date(NOW + hour * 3_600_000).toISOString().replaceAll(/[-:]|\.000/g, ''),
    )
    const many = saved(...hours.slice(1).map((to, index) => event(hours[index] as string, to, 'ada@example.com')))
    const { overrides, row } = read({}, { 'schedules/S1.ics': many })
    expect([(overrides as unknown[]).length, row?.changes[0]]).toEqual([
      200,
      'it has 219 shifts; the first 200 of them come, until 2026-12-08T20:00:00.000Z',
    ])
  })
})

describe('shifts of Grafana OnCall', () => {
  it.each<[string, object, object]>([
    [
      'of whole weeks',
      {},
      { user_ids: ['usr_ada', 'usr_ben'], starts_at: '2026-11-04T08:00:00.000Z', repeat: 'FREQ=WEEKLY', restrictions: [] },
    ],
    [
      'of 12 hours',
      { frequency: 'hourly', interval: 12, duration: 43_200 },
      { repeat: 'FREQ=HOURLY;INTERVAL=12', restrictions: [] },
    ],
    [
      'from another person on, together',
      { rolling_users: [['ada'], ['ada', 'ben']], start_rotation_from_user_index: 1 },
      { user_ids: [['usr_ada', 'usr_ben'], 'usr_ada'] },
    ],
    [
      'of hours of each day',
      { frequency: 'daily', duration: 28_800 },
      { repeat: 'FREQ=DAILY', restrictions: [{ days: EVERY, from: '09:00', to: '17:00' }] },
    ],
    [
      'of days of the week, whose weeks begin on Monday',
      { duration: 28_800, by_day: ['MO', 'FR'], week_start: 'MO' },
      {
        starts_at: '2026-11-02T08:00:00.000Z',
        repeat: 'FREQ=WEEKLY',
        restrictions: [{ days: ['MO', 'FR'], from: '09:00', to: '17:00' }],
      },
    ],
    ['with an end', { until: '2027-06-01T09:00:00' }, { ends_at: '2027-06-01T07:00:00.000Z' }],
    [
      'of one time',
      { type: 'single_event', start: '2026-12-01T09:00:00', duration: 3_600, users: ['ben'] },
      { user_ids: ['usr_ben'], starts_at: '2026-12-01T08:00:00.000Z', ends_at: '2026-12-01T09:00:00.000Z', repeat: null },
    ],
  ])('%s are exact', (_name, own, layer) => {
    const { layers, row } = layersOf(rolling(own))
    expect([layers, row?.fidelity]).toEqual([[expect.objectContaining(layer)], 'exact'])
  })

  it('are in the order of their levels, overrides last, and those that have ended are left out', () => {
    const override = { type: 'override', start: '2026-12-01T09:00:00', duration: 3_600, users: ['ada'], level: 0 }
    const { layers, row } = layersOf(
      override,
      rolling({ level: 2, rolling_users: [['ben']] }),
      rolling({ level: 1, rolling_users: [['ada']] }),
      rolling({ level: 1, until: '2026-11-10T09:00:00' }),
    )
    expect((layers as { user_ids: unknown }[]).map(({ user_ids: ids }) => ids)).toEqual([['usr_ada'], ['usr_ben'], ['usr_ada']])
    expect(row?.fidelity).toBe('exact')
  })

  it('in a zone of their own take their schedule with them', () => {
    const { zone, layers } = layersOf(rolling({ time_zone: 'UTC' }))
    expect([zone, layers]).toEqual(['UTC', [expect.objectContaining({ starts_at: '2026-11-04T09:00:00.000Z' })]])
  })

  it.each<[string, object, string]>([
    [
      'each second week on some days',
      { interval: 2, by_day: ['MO'], duration: 3_600 },
      'days of the week are possible with shifts of at most a day',
    ],
    [
      'each third day for some hours',
      { frequency: 'daily', interval: 3, duration: 3_600 },
      'its shifts are shorter than their interval',
    ],
    ['by month', { frequency: 'monthly' }, 'its frequency "monthly" is none of'],
    ['of days of the month', { by_monthday: [1] }, 'it has by_monthday'],
    ['that overlap themselves', { frequency: 'daily', duration: 90_000 }, 'its shifts are longer than their interval'],
  ])('%s are refused by their name', (_name, own, reason) => {
    expect(layersOf(rolling(own)).row).toMatchObject({
      fidelity: 'refused',
      reason: expect.stringContaining(`Shift 0: ${reason}`),
    })
  })
})

it('chains of Grafana OnCall become policies: what has no wait in between is one step', () => {
  const types = [
    { type: 'wait', duration: 60 },
    { type: 'notify_on_call_from_schedule', notify_on_call_from_schedule: 'S1' },
    { type: 'notify_persons', persons_to_notify: ['ada', 'cem'] },
    { type: 'wait', duration: 900 },
    { type: 'trigger_webhook' },
    { type: 'wait', duration: 300 },
    { type: 'notify_person_next_each_time', persons_to_notify_next_each_time: ['ben'] },
    { type: 'repeat_escalation' },
  ]
  const files = new Map<string, unknown>([
    ['users.json', USERS],
    [
      'schedules.json',
      [
        { id: 'S1', name: 'Night', type: 'web', time_zone: 'UTC', shifts: [] },
        { id: 'S2', name: 'Feed', type: 'ical' },
      ],
    ],
    ['escalation_chains.json', { results: [{ id: 'C1', name: 'Shop' }] }],
    [
      'escalation_policies.json',
      { results: types.map((one, position) => ({ escalation_chain_id: 'C1', position, ...one })).toReversed() },
    ],
  ])
  const { resources, report } = readGrafanaOnCall(files, people, NOW)
  expect(resources.find(({ kind }) => kind === 'escalation_policy')?.spec).toEqual({
    name: 'Shop',
    repeats: 5,
    steps: [
      { schedule_ids: [{ ref: 'schedule:grafana-oncall/schedules/S1' }], user_ids: ['usr_ada'], wait_seconds: 1_200 },
      { schedule_ids: [], user_ids: ['usr_ben'], wait_seconds: 300 },
    ],
  })
  expect(report.find(({ source }) => source.id === 'C1')).toMatchObject({
    fidelity: 'partly',
    changes: [
      'step 3: cem@example.com is no member here',
      'step 5: "trigger-webhook" does not come',
      'step 7 notifies all of its people, not the next one each time',
      'its first step is notified at once, not after 60 s',
    ],
  })
  expect(report.find(({ source }) => source.id === 'S2')).toMatchObject({ fidelity: 'refused' })
})
