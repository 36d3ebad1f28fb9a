import { randomInt } from 'node:crypto'
import { DAY_MS, HOUR_MS } from '@vedette/shared'
import { readConfigureGlobal } from 'fast-check'
import { describe, expect, it } from 'vitest'
import { roundsOf } from '../../../../../scripts/test-rounds.ts'
import { ZONES } from '../../../../test/clock-changes.ts'
import { areParsersMissing, parseByPython } from '../../../../test/peer-parser.ts'
import { randomFrom } from '../../../../test/random.ts'
import { shiftsAt, shiftsIn } from '../../../notifying/on-call/index.ts'
import { readPagerDuty } from '../pagerduty/read.ts'
import { renderedByPagerDuty } from '../pagerduty/rendered.ts'
import { NOW, people, rotaOf, USERS } from './generated-rules.ts'

const user = (id: string) => ({ type: 'user_member', user_id: id })
const nobody = { type: 'empty_member' }
const rotating = (members: object[], each = 1) => ({
  type: 'rotating_member_assignment_strategy',
  shifts_per_member: each,
  members,
})
const zoned = (text: string, zone = 'Europe/Berlin') => ({ date_time: text, time_zone: zone })
const event = (own: object) => ({
  name: 'Days',
  start_time: zoned('2026-12-07T08:00:00Z'),
  end_time: zoned('2026-12-07T16:00:00Z'),
  effective_since: '2026-12-07T08:00:00Z',
  effective_until: null,
  recurrence: ['RRULE:FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR'],
  assignment_strategy: rotating([user('ada'), user('ben')]),
  ...own,
})
const users = { users: USERS.map((name) => ({ id: name, email: `${name}@example.com` })) }

function read(schedule: object, more: Record<string, unknown> = {}) {
  const files = new Map<string, unknown>([
    ['users.json', users],
    ['schedules/S1.json', { schedule: { id: 'S1', name: 'Shop', time_zone: 'Europe/Berlin', ...schedule } }],
    ...Object.entries(more),
  ])
  const { resources, report } = readPagerDuty(files, people, NOW)
  return { specs: resources.map(({ spec }) => spec), row: report.find(({ source }) => source.id === 'S1'), resources }
}
const layerOf = (own: object) => {
  const layers = read({ rotations: [{ id: 'R1', events: [event(own)] }] }).specs[0]?.['layers'] as object[] | undefined
  return layers?.[0]
}
const reasonOf = (own: object) => read({ rotations: [{ events: [event(own)] }] }).row?.reason

describe('schedules of PagerDuty by shifts (API v3)', () => {
  it('become layers: a turn each shift, within its hours', () => {
    expect(layerOf({})).toEqual({
      user_ids: ['ada', 'ben'],
      starts_at: '2026-12-07T08:00:00.000Z',
      ends_at: null,
      repeat: 'FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR',
      restrictions: [{ days: ['MO', 'TU', 'WE', 'TH', 'FR'], from: '09:00', to: '17:00' }],
    })
    const week = { start_time: zoned('2026-12-07T08:00:00Z'), end_time: zoned('2026-12-14T08:00:00Z') }
    const strategy = rotating([user('ada'), nobody], 2)
    expect(layerOf({ ...week, recurrence: ['RRULE:FREQ=WEEKLY'], assignment_strategy: strategy })).toMatchObject({
      user_ids: ['ada', 'ada', [], []],
      repeat: 'FREQ=WEEKLY',
      restrictions: [],
    })
    expect(layerOf({ ...week, recurrence: ['RRULE:FREQ=WEEKLY;INTERVAL=2'] })).toMatchObject({
      user_ids: ['ada', [], 'ben', []],
      repeat: 'FREQ=WEEKLY',
    })
    const every = { type: 'every_member_assignment_strategy', members: [user('ada'), user('ben')] }
    expect(layerOf({ assignment_strategy: every, effective_until: '2027-06-01T00:00:00Z' })).toMatchObject({
      user_ids: [['ada', 'ben']],
      repeat: null,
      ends_at: '2027-06-01T00:00:00.000Z',
    })
    expect(layerOf({ recurrence: ['RRULE:FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR;COUNT=7'] })).toMatchObject({
      ends_at: '2026-12-15T16:00:00.000Z',
    })
  })

  it('are read with the names of clients too: effectiveSince, recurrences, assignmentStrategies', () => {
    const strategies = [{ type: 'rotating_member_assignment_strategy', shiftsPerMember: 1, members: [{ userId: 'ben' }] }]
    const { specs, row } = read({
      rotations: [
        {
          events: [
            {
              name: 'Days',
              startTime: '2026-12-07T09:00:00+01:00',
              endTime: '2026-12-07T17:00:00+01:00',
              effectiveSince: '2026-12-07T08:00:00Z',
              recurrences: ['RRULE:FREQ=DAILY'],
              assignmentStrategies: strategies,
            },
          ],
        },
      ],
    })
    expect(row?.fidelity).toBe('exact')
    expect(specs).toMatchObject([{ layers: [{ user_ids: ['ben'], restrictions: [{ from: '09:00', to: '17:00' }] }] }])
  })

  it('whose rotations overlap are several schedules, all named by the steps; custom shifts and overrides come', () => {
    const policies = [{ id: 'P1', name: 'Shop', escalation_rules: [{ targets: [{ id: 'S1', type: 'schedule_v3_reference' }] }] }]
    const { resources, row } = read(
      {
        rotations: [
          { id: 'R1', events: [event({})] },
          { id: 'R2', events: [event({ name: 'Second' })] },
        ],
      },
      {
        'escalation_policies.json': { escalation_policies: policies },
        'schedules/S1/custom_shifts.json': {
          custom_shifts: [
            {
              id: 'C1',
              start_time: '2026-12-05T10:00:00Z',
              end_time: '2026-12-05T12:00:00Z',
              assignments: [{ member: user('cem') }],
            },
          ],
        },
        'schedules/S1/overrides.json': {
          overrides: [
            {
              id: 'O1',
              rotation_id: 'R2',
              start_time: '2026-12-08T00:00:00Z',
              end_time: '2026-12-10T00:00:00Z',
              overridden_member: user('ben'),
              overriding_member: user('dee'),
            },
          ],
        },
      },
    )
    expect(resources.map(({ spec }) => [spec['name'], (spec['layers'] as unknown[])?.length, spec['overrides']])).toEqual([
      ['Shop', 2, []],
      ['Shop: Second', 1, [{ user_id: 'dee', starts_at: '2026-12-08T08:00:00.000Z', ends_at: '2026-12-08T16:00:00.000Z' }]],
      ['Shop', undefined, undefined],
    ])
    expect(resources[2]?.spec['steps']).toMatchObject([{ schedule_ids: [{}, {}] }])
    expect(row).toMatchObject({ fidelity: 'exact', becomes: [expect.any(String), expect.any(String)] })
  })

  it.each<[string, object, string]>([
    ['of a day of months', { recurrence: ['RRULE:FREQ=DAILY;BYMONTHDAY=1'] }, 'Days: its rule has days of months or years'],
    ['of months', { recurrence: ['RRULE:FREQ=MONTHLY'] }, 'Days: its rule is MONTHLY, and not by hours, days or weeks'],
    [
      'of the first Monday',
      { recurrence: ['RRULE:FREQ=WEEKLY;BYDAY=1MO'] },
      'Days: its rule has a number in BYDAY, which WEEKLY does not take',
    ],
    [
      'with dates of its own',
      { recurrence: ['RRULE:FREQ=DAILY', 'EXDATE:20261225T080000Z'] },
      'Days: it has dates of its own (EXDATE)',
    ],
    ['without a rule', { recurrence: [] }, 'Days: it has 0 rules, and must have one'],
    [
      'that overlap',
      { end_time: zoned('2026-12-08T16:00:00Z') },
      'Days: its shifts are longer than the time between them, and overlap',
    ],
    [
      'of another strategy',
      { assignment_strategy: { ...rotating([user('ada')]), type: 'moon' } },
      'Days: its assignment strategy "moon" is unknown',
    ],
    [
      'of more turns than a layer has',
      { recurrence: ['RRULE:FREQ=WEEKLY;INTERVAL=900'], assignment_strategy: rotating([user('ada'), user('ben')], 900) },
      'Days: it becomes 1620000 turns; a layer has at most 50',
    ],
    ['of nobody', { assignment_strategy: rotating([]) }, 'Days: it has no members'],
    ['of no time', { start_time: 7 }, 'Days: its start_time and end_time must be instants'],
  ])('with events %s are refused by name', (_name, own, reason) => {
    expect(reasonOf(own)).toBe(reason)
  })

  it('say that turns are counted from the first shift after effective_since', () => {
    const { row, specs } = read({ rotations: [{ events: [event({ effective_since: '2026-12-09T12:00:00Z' })] }] })
    expect(specs).toMatchObject([{ layers: [{ starts_at: '2026-12-10T08:00:00.000Z' }] }])
    expect(row).toMatchObject({
      fidelity: 'changed',
      changes: ['Days: its turns are counted from its first shift after effective_since'],
    })
  })

  it('have entries to compare with: computed_shift_assignments', () => {
    const final_schedule = {
      computed_shift_assignments: [
        { start_time: '2026-12-07T08:00:00Z', end_time: '2026-12-07T16:00:00Z', member: user('ada') },
        { start_time: '2026-12-08T08:00:00Z', end_time: '2026-12-08T16:00:00Z', member: nobody },
      ],
    }
    const files = new Map<string, unknown>([
      ['users.json', users],
      ['schedules/S1.json', { schedule: { id: 'S1', rotations: [], final_schedule } }],
    ])
    expect(renderedByPagerDuty(files).get('S1')).toEqual([
      { fromMs: Date.parse('2026-12-07T08:00Z'), toMs: Date.parse('2026-12-07T16:00Z'), email: 'ada@example.com' },
    ])
  })
})

/** Who is on duty at instants by the rules themselves: times are local, so that a shift over a change of the clock ends on time. */
const ORACLE = `
from datetime import datetime, timedelta, timezone
from dateutil import rrule, tz
EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
def answer(case):
    zone = tz.gettz(case["zone"])
    local = lambda ms: (EPOCH + timedelta(milliseconds=ms)).astimezone(zone).replace(tzinfo=None)
    utc = lambda at: (tz.resolve_imaginary(at.replace(tzinfo=zone)) - EPOCH) / timedelta(milliseconds=1)
    start, length = local(case["start"]), local(case["end"]) - local(case["start"])
    shifts = []
    for at in rrule.rrulestr(case["rule"], dtstart=start):
        if at > datetime(2028, 1, 20): break
        if utc(at) >= case["since"]: shifts.append((utc(at), utc(at + length)))
    members, each = case["members"], case["each"]
    found = []
    for ms in case["instants"]:
        on = {members[index // each % len(members)] for index, (begin, end) in enumerate(shifts) if begin <= ms < end and (case["until"] is None or ms < case["until"])}
        found.append(sorted(one for one in on if one))
    return found
result = [answer(case) for case in json.loads(data)]
`

const seed = readConfigureGlobal()?.seed ?? randomInt(2 ** 31)

it.skipIf(areParsersMissing(['dateutil']))(
  `shifts of PagerDuty’s API v3 have the people on duty that dateutil says, over both changes of the clock of 2027 (TEST_SEED=${seed})`,
  { timeout: 120_000 },
  () => {
    const random = randomFrom(seed)
    const below = (most: number) => Math.floor(random() * most)
    const pick = <T>(list: readonly T[]): T => list[below(list.length)] as T
    const rules: readonly [rule: string, hours: number][] = [
      ['FREQ=DAILY', 24],
      ['FREQ=DAILY', 8],
      ['FREQ=DAILY;INTERVAL=3', 72],
      ['FREQ=DAILY;INTERVAL=3', 24],
      ['FREQ=DAILY;INTERVAL=4', 9],
      ['FREQ=WEEKLY', 168],
      ['FREQ=WEEKLY', 61],
      ['FREQ=WEEKLY;INTERVAL=2', 336],
      ['FREQ=WEEKLY;INTERVAL=3', 168],
      ['FREQ=WEEKLY;INTERVAL=2', 20],
      ['FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR', 10],
      ['FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR,SA,SU', 24],
      ['FREQ=DAILY;BYDAY=SA,SU', 24],
      ['FREQ=WEEKLY;BYDAY=FR', 62],
      ['FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,WE', 12],
      ['FREQ=WEEKLY;INTERVAL=2;BYDAY=SU,WE;WKST=SU', 12],
      ['FREQ=WEEKLY;BYDAY=MO,TH;COUNT=40', 24],
      ['FREQ=WEEKLY;BYDAY=TU,SA;UNTIL=20270801T000000', 30],
    ]
    const cases = ZONES.flatMap(([zone, ...changes]) =>
      Array.from({ length: roundsOf(4) * 3 }, () => {
        const [rule, hours] = pick(rules)
        // A Sunday, or within the week: a rule may begin on a day that it does not have.
        const start =
          Date.parse('2026-12-06T17:30Z') +
          (rule.includes('INTERVAL=2;BYDAY') ? (rule.includes('SU,') ? 0 : 1) : below(10)) * DAY_MS
        const members = Array.from({ length: 1 + below(4) }, () => (random() < 0.15 ? '' : pick(USERS)))
        const instants = Array.from({ length: 100 }, (_, index) =>
          index % 2 === 0 ? Date.parse(pick(changes)) + (random() - 0.5) * 6 * DAY_MS : start + random() * 380 * DAY_MS,
        ).map(Math.floor)
        const since = start + (members.length === 1 && !rule.includes('INTERVAL=2;BYDAY') ? below(20) * DAY_MS : 0)
        const until = random() < 0.2 ? start + 200 * DAY_MS : null
        return { zone, start, end: start + hours * HOUR_MS, since, until, rule, members, each: 1 + below(3), instants }
      }),
    )
    const expected = parseByPython(ORACLE, JSON.stringify(cases)) as string[][][]
    const wrong = cases.flatMap((one, index): object[] => {
      const iso = (ms: number) => new Date(ms).toISOString()
      const { specs, row } = read({
        rotations: [
          {
            events: [
              event({
                start_time: zoned(iso(one.start), one.zone),
                end_time: zoned(iso(one.end), one.zone),
                effective_since: iso(one.since),
                effective_until: one.until === null ? null : iso(one.until),
                recurrence: [`RRULE:${one.rule}`],
                assignment_strategy: rotating(
                  one.members.map((name) => (name === '' ? nobody : user(name))),
                  one.each,
                ),
              }),
            ],
          },
        ],
      })
      // In Sydney the first shift is a day later.
      if (row?.reason?.endsWith('it begins in the middle of one of its weeks')) return []
      if (row?.reason) return [{ ...one, instants: [], reason: row.reason }]
      const shifts = specs.flatMap((spec) => shiftsIn(rotaOf(spec), { fromMs: NOW, toMs: NOW + 400 * DAY_MS }, () => true))
      const differing = one.instants.filter((ms, place) => {
        const ours = shiftsAt(shifts, ms).map(({ userId }) => userId)
        return [...new Set(ours)].toSorted().join() !== expected[index]?.[place]?.join()
      })
      return differing.length === 0 ? [] : [{ ...one, instants: differing.slice(0, 3).map(iso), said: row?.changes }]
    })
    expect(wrong.slice(0, 2)).toEqual([])
  },
)
