import { expect, it } from 'vitest'
import { peopleOf } from '../model.ts'
import { readSplunkOnCall } from '../splunk-oncall/read.ts'

const NOW = Date.parse('2026-11-30T12:00:00Z')
const people = peopleOf(['ada', 'ben'].map((name) => ({ id: `usr_${name}`, email: `${name}@example.com` })))
const days = (...names: string[]) =>
  Object.fromEntries(['m', 't', 'w', 'th', 'f', 'sa', 'su'].map((name) => [name, names.includes(name)]))
const time = (start: number, end: number) => [{ start: { hour: start, minute: 0 }, end: { hour: end, minute: 30 } }]
const shift = (own: object) => ({
  label: 'Shift',
  timezone: 'Europe/Berlin',
  start: '2026-11-02T08:00:00Z',
  duration: 7,
  shifttype: 'std',
  shiftMembers: [{ username: 'ada' }, { username: 'ben' }],
  ...own,
})
const FILES = {
  'user.json': { users: ['ada', 'ben', 'cem'].map((username) => ({ username, email: `${username}@example.com` })) },
  'team/ops/rotations.json': {
    rotations: [
      { label: 'Weeks', shifts: [shift({})] },
      { label: 'Days', shifts: [shift({ shifttype: 'pho', mask: { day: days('m', 'f'), time: time(9, 17) } })] },
      {
        label: 'Weekend',
        shifts: [
          shift({ shifttype: 'cstm', mask: { day: days('f'), time: time(18, 0) }, mask3: { day: days('m'), time: time(0, 8) } }),
        ],
      },
      { label: 'Odd', shifts: [shift({ shifttype: 'moon' })] },
    ],
  },
  'policies/shop.json': {
    name: 'Shop',
    slug: 'shop',
    steps: [
      { timeout: 0, entries: [{ executionType: 'rotation_group', rotationGroup: { label: 'Weeks' } }] },
      { timeout: 15, entries: [{ executionType: 'user', user: { username: 'ben' } }, { executionType: 'webhook' }] },
    ],
  },
}

it('files of Splunk On-Call become schedules, one a rotation, and policies whose waits come after their step', () => {
  const { resources, report } = readSplunkOnCall(new Map(Object.entries(FILES)), people, NOW)
  const layerOf = (label: string) => resources.find(({ spec }) => spec['name'] === `ops: ${label}`)?.spec['layers']
  expect(layerOf('Weeks')).toEqual([
    {
      user_ids: ['usr_ada', 'usr_ben'],
      starts_at: '2026-11-02T08:00:00.000Z',
      ends_at: null,
      repeat: 'FREQ=WEEKLY',
      restrictions: [],
    },
  ])
  expect(layerOf('Days')).toMatchObject([{ restrictions: [{ days: ['MO', 'FR'], from: '09:00', to: '17:30' }] }])
  expect(layerOf('Weekend')).toMatchObject([
    {
      restrictions: [
        { days: ['FR'], from: '18:00', to: '00:00' },
        { days: ['SA', 'SU'], from: '00:00', to: '00:00' },
        { days: ['MO'], from: '00:00', to: '08:30' },
      ],
    },
  ])
  expect(resources.find(({ kind }) => kind === 'escalation_policy')?.spec).toEqual({
    name: 'Shop',
    steps: [
      {
        schedule_ids: [{ ref: expect.stringMatching(/^schedule:splunk-oncall\/rotations\/ops-Weeks-[0-9a-f]{8}$/) }],
        user_ids: [],
        wait_seconds: 900,
      },
      { schedule_ids: [], user_ids: ['usr_ben'], wait_seconds: 300 },
    ],
  })
  expect(report.map(({ source, fidelity }) => [source.name, fidelity])).toEqual([
    ['ada@example.com', 'exact'],
    ['ben@example.com', 'exact'],
    ['cem@example.com', 'refused'],
    ['Weeks', 'exact'],
    ['Days', 'exact'],
    ['Weekend', 'exact'],
    ['Odd', 'refused'],
    ['Shop', 'partly'],
    ['Splunk On-Call', 'refused'],
  ])
})

it('an override of Splunk On-Call comes for the times in which who is replaced is on duty', () => {
  const user = (username: string) => ({ username })
  const override = (from: string, to: string, who: string, by: string) => ({
    origOnCallUser: user(who),
    overrideOnCallUser: user(by),
    start: `2026-12-${from}T00:00:00Z`,
    end: `2026-12-${to}T00:00:00Z`,
    policy: { slug: 'shop' },
  })
  const overrides = [
    // Ada is on duty from Monday the 14th to the 21st, 09:00 in Berlin.
    override('10', '16', 'ada', 'ben'),
    override('14', '15', 'ada', 'cem'),
    override('08', '09', 'dee', 'ben'),
    { ...override('08', '09', 'ada', 'ben'), end: 'soon' },
    { ...override('01', '02', 'ada', 'ben'), start: '2026-11-01T00:00:00Z', end: '2026-11-29T00:00:00Z' },
  ]
  const read = (...more: object[]) =>
    readSplunkOnCall(
      new Map<string, unknown>([
        ['user.json', FILES['user.json']],
        ['team/ops/rotations.json', { rotations: [{ label: 'Weeks', shifts: [shift({})] }, ...more] }],
        ['team/ops/oncall/schedule.json', { team: 'ops', schedules: [{ schedule: [], overrides }] }],
      ]),
      people,
      NOW,
    )
  const { resources, report } = read()
  expect(resources[0]?.spec['overrides']).toEqual([
    { user_id: 'usr_ben', starts_at: '2026-12-14T08:00:00.000Z', ends_at: '2026-12-16T00:00:00.000Z' },
  ])
  expect(report.find(({ source }) => source.name === 'Weeks')).toMatchObject({
    fidelity: 'partly',
    changes: ['override cem for ada: cem@example.com is no member here'],
  })
  const overridesOf = ({ report: rows }: ReturnType<typeof read>) =>
    rows.filter(({ source }) => source.kind === 'override').map(({ source, fidelity, reason }) => [source.name, fidelity, reason])
  const why = 'who is replaced is on duty in no rotation that comes at that time'
  const unread = ['ben for ada', 'refused', 'it names no two people, or no start and end with an offset']
  expect(overridesOf(read())).toEqual([unread, ['ben for dee', 'exact', null]])
  expect(overridesOf(read({ label: 'Odd', shifts: [shift({ shifttype: 'moon' })] }))).toEqual([
    unread,
    ['ben for dee', 'refused', why],
  ])
})

it('shifts of Splunk On-Call that overlap are schedules of their own, which steps name all', () => {
  const both = [shift({ label: 'First' }), shift({ label: 'Second', duration: 2 })]
  const { resources, report } = readSplunkOnCall(
    new Map<string, unknown>([
      ...Object.entries(FILES),
      ['team/ops/rotations.json', { rotations: [{ label: 'Weeks', shifts: both }] }],
    ]),
    people,
    NOW,
  )
  expect(resources.map(({ spec }) => spec['name'])).toEqual(['ops: Weeks', 'ops: Weeks: Second', 'Shop'])
  expect(resources[2]?.spec['steps']).toMatchObject([{ schedule_ids: [{}, {}] }, {}])
  expect(report.find(({ source }) => source.name === 'Weeks')).toMatchObject({
    fidelity: 'exact',
    becomes: [expect.any(String), expect.any(String)],
    changes: [expect.stringMatching(/^rotations that are on duty at the same time are 2 schedules/)],
  })
})
