import { describe, expect, it } from 'vitest'
import { peopleOf } from '../model.ts'
import { readPagerDuty } from '../pagerduty/read.ts'

const NOW = Date.parse('2026-11-30T12:00:00Z')
const people = peopleOf([
  { id: 'usr_ada', email: 'ada@example.com' },
  { id: 'usr_ben', email: 'ben@example.com' },
])

const user = (id: string) => ({ user: { id, type: 'user_reference' } })
const layer = (own: object) => ({
  name: 'Layer',
  start: '2026-11-02T08:00:00Z',
  end: null,
  rotation_virtual_start: '2026-11-02T08:00:00Z',
  rotation_turn_length_seconds: 604_800,
  users: [user('U1'), user('U2')],
  restrictions: [],
  ...own,
})
const schedule = (...layers: object[]) => ({ id: 'S1', name: 'Night', time_zone: 'Europe/Berlin', schedule_layers: layers })

const FILES: Readonly<Record<string, unknown>> = {
  'users.json': {
    users: [
      {
        id: 'U1',
        email: 'Ada@example.com',
        notification_rules: [{}, {}],
        contact_methods: [{ type: 'phone_contact_method', country_code: 49, address: '1511234567' }],
      },
      { id: 'U2', email: 'ben@example.com' },
      { id: 'U3', email: 'cem@example.com' },
    ],
  },
  'schedules.json': { schedules: [{ id: 'S1', name: 'Night' }] },
  'schedules/S1.json': {
    schedule: schedule(
      layer({
        name: 'Layer 2',
        rotation_turn_length_seconds: 43_200,
        restrictions: [
          { type: 'weekly_restriction', start_day_of_week: 5, start_time_of_day: '18:00:00', duration_seconds: 223_200 },
        ],
      }),
      layer({ name: 'Ended', end: '2026-11-29T08:00:00Z' }),
      layer({
        name: 'Layer 1',
        end: '2027-05-01T08:00:00Z',
        restrictions: [{ type: 'daily_restriction', start_time_of_day: '20:00:00', duration_seconds: 43_200 }],
      }),
    ),
  },
  'schedules/S1/overrides.json': {
    overrides: [
      { id: 'O1', start: '2026-12-01T10:00:00+01:00', end: '2026-12-01T12:00:00+01:00', user: { id: 'U2' } },
      { id: 'O0', start: '2026-11-01T10:00:00+01:00', end: '2026-11-01T12:00:00+01:00', user: { id: 'U2' } },
    ],
  },
  'escalation_policies.json': {
    escalation_policies: [
      {
        id: 'P1',
        name: 'Shop',
        num_loops: 12,
        escalation_rules: [
          {
            escalation_delay_in_minutes: 15,
            targets: [
              { id: 'S1', type: 'schedule_reference' },
              { id: 'U3', type: 'user_reference' },
            ],
          },
          { escalation_delay_in_minutes: 30, targets: [{ id: 'U3', type: 'user_reference' }] },
          { escalation_delay_in_minutes: 30, targets: [{ id: 'U1', type: 'user_reference' }] },
        ],
      },
    ],
  },
  'maintenance_windows.json': {
    maintenance_windows: [
      {
        id: 'W1',
        description: 'Deploy',
        start_time: '2026-12-06T22:00:00Z',
        end_time: '2026-12-06T23:00:00Z',
        services: [{ id: 'V1' }, { id: 'V2' }],
      },
    ],
  },
}

const { resources, report } = readPagerDuty(new Map(Object.entries(FILES)), people, NOW)
const specOf = (ref: string) => resources.find((one) => one.ref === ref)?.spec
const rowOf = (id: string) => report.find(({ source }) => source.id === id)

describe('the files of PagerDuty', () => {
  it('become schedules: layers in the other order, turns by hours, hours over days, overrides to come', () => {
    expect(specOf('pagerduty/schedules/S1')).toEqual({
      name: 'Night',
      time_zone: 'Europe/Berlin',
      layers: [
        {
          user_ids: ['usr_ada', 'usr_ben'],
          starts_at: '2026-11-02T08:00:00.000Z',
          ends_at: '2027-05-01T08:00:00.000Z',
          repeat: 'FREQ=WEEKLY',
          restrictions: [{ days: ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'], from: '20:00', to: '08:00' }],
        },
        {
          user_ids: ['usr_ada', 'usr_ben'],
          starts_at: '2026-11-02T08:00:00.000Z',
          ends_at: null,
          repeat: 'FREQ=HOURLY;INTERVAL=12',
          restrictions: [
            { days: ['FR'], from: '18:00', to: '00:00' },
            { days: ['SA', 'SU'], from: '00:00', to: '00:00' },
            { days: ['MO'], from: '00:00', to: '08:00' },
          ],
        },
      ],
      overrides: [{ user_id: 'usr_ben', starts_at: '2026-12-01T09:00:00.000Z', ends_at: '2026-12-01T11:00:00.000Z' }],
    })
    expect(rowOf('S1')).toMatchObject({ fidelity: 'exact', changes: [] })
  })

  it('become policies: a step that is left to nobody adds its wait to the previous one', () => {
    expect(specOf('pagerduty/escalation_policies/P1')).toEqual({
      name: 'Shop',
      repeats: 9,
      steps: [
        { schedule_ids: [{ ref: 'schedule:pagerduty/schedules/S1' }], user_ids: [], wait_seconds: 2_700 },
        { schedule_ids: [], user_ids: ['usr_ada'], wait_seconds: 1_800 },
      ],
    })
    expect(rowOf('P1')).toMatchObject({
      fidelity: 'partly',
      changes: [
        'step 1: cem@example.com is no member here',
        'step 2: cem@example.com is no member here',
        'it is repeated 9 times in place of 12',
      ],
    })
  })

  it('become windows, one a service, and name people and what to switch off', () => {
    expect(specOf('pagerduty/maintenance_windows/W1')).toMatchObject({ target: { type: 'monitor', tag: 'moved:V1' } })
    expect(specOf('pagerduty/maintenance_windows/W1/2')).toMatchObject({ target: { type: 'monitor', tag: 'moved:V2' } })
    expect(rowOf('U1')).toMatchObject({
      becomes: ['usr_ada'],
      fidelity: 'partly',
      changes: [expect.stringMatching(/^phone to …67 does not come/), expect.stringMatching(/^2 notification rules/)],
    })
    expect(rowOf('U3')).toMatchObject({ fidelity: 'refused' })
    expect(report.at(-1)).toMatchObject({ source: { kind: 'account' }, reason: expect.stringContaining('switch it off') })
  })

  it.each<[string, object, string]>([
    ['turns of no whole hours', { rotation_turn_length_seconds: 5_400 }, 'its turns of 5400 seconds are no whole hours'],
    ['a start that is no instant', { start: 'soon' }, 'rotation_virtual_start and start must be instants'],
    [
      'an eighth day',
      {
        restrictions: [{ type: 'weekly_restriction', start_day_of_week: 8, start_time_of_day: '09:00:00', duration_seconds: 60 }],
      },
      'start_day_of_week is 8, and must be 1 to 7',
    ],
    [
      'an unknown restriction',
      { restrictions: [{ type: 'x', start_time_of_day: '09:00:00', duration_seconds: 60 }] },
      'a restriction has the unknown type "x"',
    ],
  ])('with a layer of %s are refused by its name', (_name, own, reason) => {
    const files = new Map([['schedules/S1.json', { schedule: schedule(layer(own)) }]])
    const [row] = readPagerDuty(files, people, NOW).report
    expect(row).toMatchObject({ fidelity: 'refused', reason: expect.stringContaining(`Layer: ${reason}`) })
  })

  it('with a layer that begins later, within a turn, have the rest of that turn as a layer of its own', () => {
    const files = new Map([
      ['users.json', FILES['users.json']],
      ['schedules/S1.json', { schedule: schedule(layer({ start: '2026-12-09T10:00:00Z' })) }],
    ])
    const read = readPagerDuty(files, people, NOW)
    expect(read.resources[0]?.spec).toMatchObject({
      layers: [
        { user_ids: ['usr_ben'], starts_at: '2026-12-09T10:00:00.000Z', ends_at: '2026-12-14T08:00:00.000Z' },
        { user_ids: ['usr_ada', 'usr_ben'], starts_at: '2026-12-14T08:00:00.000Z', ends_at: null },
      ],
    })
    expect(read.report.find(({ source }) => source.id === 'S1')?.fidelity).toBe('exact')
  })

  it('with a person who is gone are exact where nobody else could be on duty instead, and say so', () => {
    const gone = layer({ users: [user('U1'), user('U9')] })
    const read = (...layers: object[]) =>
      readPagerDuty(
        new Map([
          ['users.json', FILES['users.json']],
          ['schedules/S1.json', { schedule: schedule(...layers) }],
        ]),
        people,
        NOW,
      ).report.find(({ source }) => source.id === 'S1')
    expect(read(gone)).toMatchObject({
      fidelity: 'exact',
      changes: ['Layer: U9 is no user there any more, and nobody is on duty here either'],
    })
    expect(read(gone, layer({}))).toMatchObject({ fidelity: 'partly', changes: ['Layer: U9 is no member here'] })
  })

  it('are read whatever types their values have', () => {
    const values = [null, 7, 'x', [], {}, [null], { schedules: [7], users: {}, services: 'x' }]
    for (const value of values)
      for (const path of [
        'users.json',
        'schedules.json',
        'schedules/a.json',
        'escalation_policies.json',
        'services.json',
        'maintenance_windows.json',
      ])
        expect(() => readPagerDuty(new Map([[path, value]]), people, NOW)).not.toThrow()
  })
})
