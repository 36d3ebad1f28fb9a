import { describe, expect, it } from 'vitest'
import { peopleOf } from '../model.ts'
import { readOpsgenie } from '../opsgenie/read.ts'
import { TENANT } from './opsgenie-tenant.ts'

const NOW = Date.parse('2026-11-30T12:00:00Z')
const people = peopleOf([
  { id: 'usr_ada', email: 'ada@example.com' },
  { id: 'usr_ben', email: 'BEN@example.com ' },
])
const { resources, report } = readOpsgenie(new Map(Object.entries(TENANT)), people, NOW)
const specOf = (ref: string) => resources.find((one) => one.ref === ref)?.spec
const rowOf = (kind: string, id: string) => report.find(({ source }) => source.kind === kind && source.id === id)

describe('the backup of Opsgenie', () => {
  it('becomes schedules: those whose rotations never overlap are one, others one a rotation', () => {
    expect(specOf('opsgenie/schedules/s1')).toEqual({
      name: 'shop/night',
      time_zone: 'Europe/Berlin',
      layers: [
        {
          user_ids: ['usr_ada', 'usr_ben'],
          starts_at: '2026-11-02T07:00:00.000Z',
          ends_at: null,
          repeat: 'FREQ=WEEKLY',
          restrictions: [{ days: ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'], from: '18:00', to: '08:00' }],
        },
        {
          user_ids: ['usr_ben', []],
          starts_at: '2026-11-02T07:00:00.000Z',
          ends_at: null,
          repeat: 'FREQ=HOURLY;INTERVAL=12',
          restrictions: [{ days: ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'], from: '08:00', to: '18:00' }],
        },
      ],
      overrides: [{ user_id: 'usr_ada', starts_at: '2026-12-01T18:00:00.000Z', ends_at: '2026-12-02T08:00:00.000Z' }],
    })
    expect(rowOf('schedule', 's1')).toMatchObject({ becomes: ['schedule:opsgenie/schedules/s1'], fidelity: 'exact', changes: [] })
    const [first, weekend] = [specOf('opsgenie/schedules/s2'), specOf('opsgenie/schedules/s2/2')]
    expect(first).toMatchObject({
      name: 'both',
      layers: [{ user_ids: ['usr_ada', ['usr_ada', 'usr_ben']], repeat: 'FREQ=DAILY;INTERVAL=2' }],
    })
    expect(weekend).toMatchObject({
      name: 'both: Weekend',
      layers: [
        {
          user_ids: [[], 'usr_ben'],
          ends_at: '2027-06-01T00:00:00.000Z',
          restrictions: [{ days: ['FR'] }, { days: ['SA', 'SU'] }, { days: ['MO'] }],
        },
      ],
    })
    expect(rowOf('schedule', 's2')).toMatchObject({
      fidelity: 'partly',
      changes: [
        'Weekend: cem@example.com is no member here',
        'First: the team ops is its members of today, all on duty together',
        'rotations that are on duty at the same time are 2 schedules: both, both: Weekend; steps of policies name all of them',
      ],
    })
    expect(rowOf('schedule', 's3')).toMatchObject({ fidelity: 'refused', reason: 'Mars/Olympus is no time zone' })
  })

  it('becomes policies whose waits are differences of delays, and whose rules of one delay are one step', () => {
    expect(specOf('opsgenie/escalations/e1')).toEqual({
      name: 'shop',
      repeats: 3,
      steps: [
        {
          schedule_ids: [{ ref: 'schedule:opsgenie/schedules/s2' }, { ref: 'schedule:opsgenie/schedules/s2/2' }],
          user_ids: [],
          wait_seconds: 300,
        },
        { schedule_ids: [{ ref: 'schedule:opsgenie/schedules/s1' }], user_ids: ['usr_ada'], wait_seconds: 3_300 },
        { schedule_ids: [], user_ids: ['usr_ben'], wait_seconds: 600 },
      ],
    })
    expect(rowOf('escalation', 'e1')).toMatchObject({
      fidelity: 'changed',
      changes: ['step 2 notifies who is on duty in s1, not "next"'],
    })
    expect(rowOf('escalation', 'e2')).toMatchObject({ fidelity: 'refused', reason: 'nobody whom it notifies is here' })
  })

  it('names people who are no members, what is missing of others, and what does not come', () => {
    expect(rowOf('user', 'u1')).toMatchObject({ becomes: ['usr_ada'], fidelity: 'partly' })
    expect(rowOf('user', 'u2')).toMatchObject({ becomes: ['usr_ben'], fidelity: 'exact' })
    expect(rowOf('user', 'u3')).toMatchObject({ reason: 'the account was deactivated at the source' })
    expect(rowOf('user', 'u4')).toMatchObject({ reason: expect.stringContaining('dee@example.com') })
    expect(rowOf('policy', 'p1')).toMatchObject({ fidelity: 'refused', source: { name: 'Quiet' } })
  })

  it('becomes alert sources of the integrations, with the policy of their team', () => {
    expect(specOf('opsgenie/integrations/i1')).toEqual({
      name: 'Prometheus',
      type: 'opsgenie',
      escalation_policy_id: { ref: 'escalation_policy:opsgenie/escalations/e1' },
    })
  })

  it('becomes windows of what has not ended, and heartbeats', () => {
    expect(specOf('opsgenie/maintenance/m1')).toMatchObject({ name: 'Deploy', target: { type: 'monitor', tag: 'moved:i1' } })
    expect(rowOf('maintenance', 'm0')).toMatchObject({ reason: 'it has ended' })
    expect(specOf('opsgenie/heartbeats/Backup')).toMatchObject({
      url: 'heartbeat://hb-backup',
      options: { schedule: { period_seconds: 86_400, grace_seconds: 0 } },
    })
  })

  it('ends with what to switch off at the source', () => {
    expect(report.at(-1)).toMatchObject({ source: { kind: 'account' }, reason: expect.stringContaining('switch it off') })
  })

  it.each<[string, object, string]>([
    ['a start without an offset', { startDate: '2026-11-02T08:00:00' }, 'startDate "2026-11-02T08:00:00" is no instant'],
    ['an unknown type', { type: 'monthly' }, 'type "monthly" is none of'],
    [
      '51 participants',
      { participants: Array.from({ length: 51 }, () => ({ type: 'none' })) },
      'it has 51 turns; a layer has at most 50',
    ],
    ['turns of 1,000 days', { length: 1_000, type: 'daily' }, 'its turns are 1000 days long; 1 to 999'],
    ['nobody', { participants: [] }, 'it has no participants'],
    [
      'too many hours',
      {
        timeRestriction: {
          type: 'weekday-and-time-of-day',
          restrictions: Array.from({ length: 11 }, (_, hour) => ({
            startDay: 'MONDAY',
            startHour: hour,
            endDay: 'MONDAY',
            endHour: hour + 1,
          })),
        },
      },
      'its hours become 11 restrictions; a layer has at most 10',
    ],
    [
      'an unknown restriction',
      { timeRestriction: { type: 'lunar', restrictions: [{}] } },
      'timeRestriction has the unknown type "lunar"',
    ],
  ])('refuses a rotation of %s, by its name', (_name, own, reason) => {
    const rotation = {
      id: 'r',
      name: 'Odd',
      type: 'weekly',
      length: 1,
      startDate: '2026-11-02T08:00:00Z',
      participants: [{ type: 'none' }],
      ...own,
    }
    const file = { schedule: { id: 's', name: 'S', timezone: 'UTC', rotations: [rotation] } }
    const read = readOpsgenie(new Map([['schedules/s.json', file]]), people, NOW)
    expect([read.resources, read.report[0]?.fidelity]).toEqual([[], 'refused'])
    expect(read.report[0]?.reason).toContain(`Odd: ${reason}`)
  })

  it('is read whatever types its values have', () => {
    const values = [null, 7, 'x', true, [], {}, [null], { id: {} }]
    for (const value of values)
      for (const path of [
        'users/a.json',
        'teams/a.json',
        'schedules/a.json',
        'escalations/a.json',
        'integrations/a.json',
        'maintenance/a.json',
        'heartbeats/a.json',
      ])
        expect(() => readOpsgenie(new Map([[path, value]]), people, NOW)).not.toThrow()
  })
})
