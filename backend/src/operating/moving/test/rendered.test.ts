import { describe, expect, it } from 'vitest'
import { TOOLS } from '../index.ts'

const at = (hour: number) => new Date(Date.UTC(2026, 11, 1, hour)).toISOString()

/** Who is on duty, by id: hours since the first of December and names. */
function renderedOf(tool: string, files: Record<string, unknown>) {
  const rendered = TOOLS[tool]?.rendered(new Map(Object.entries(files))) ?? []
  const hours = (ms: number) => (ms - Date.UTC(2026, 11, 1)) / 3_600_000
  return Object.fromEntries(
    [...rendered].map(([id, entries]) => [
      id,
      entries.map(({ fromMs, toMs, email }) => `${hours(fromMs)}-${hours(toMs)} ${email.replace('@example.com', '')}`),
    ]),
  )
}

describe('who is on duty at the source', () => {
  const users = ['ada', 'ben', 'cem'].map((username) => ({ username, email: `${username}@example.com` }))
  const roll = (from: number, to: number, username: string) => ({ start: at(from), end: at(to), onCallUser: { username } })
  const override = (from: number, to: number, original: string, by: string) => ({
    origOnCallUser: { username: original },
    overrideOnCallUser: { username: by },
    start: at(from),
    end: at(to),
  })
  const splunk = (schedules: object[]) =>
    renderedOf('splunk-oncall', {
      'fetched.json': { from: at(1), to: at(90 * 24) },
      'user.json': { users: [users] },
      'team/ops/rotations.json': { rotations: [{ label: 'Weeks', slug: 'rtg-1' }, { label: 'Unused' }] },
      'team/ops/oncall/schedule.json': { schedules },
    })

  it('of Splunk On-Call is in the rolls of a rotation, the one of now included, with overrides in place of their person', () => {
    const schedule = [
      {
        rotationName: 'Weeks',
        onCallUser: { username: 'ada' },
        shiftRoll: at(8),
        rolls: [roll(8, 16, 'ben'), roll(16, 24, 'ada')],
      },
      { rotationName: 'Other', rolls: [roll(0, 24, 'cem')] },
    ]
    const overrides = [override(10, 12, 'ben', 'cem'), override(0, 2, 'ada', 'ben'), override(20, 30, 'ada', 'cem'), {}]
    expect(splunk([{ schedule, overrides }])).toEqual({
      'rtg-1': ['1-2 ben', '2-8 ada', '8-10 ben', '10-12 cem', '12-16 ben', '16-20 ada', '20-24 cem'],
    })
  })

  it('of Splunk On-Call may have the names of the first version of its API', () => {
    const schedule = [
      { rotationName: 'Weeks', onCall: 'ada', shiftRoll: at(8), rolls: [{ change: at(8), until: at(9), onCall: 'dee' }] },
    ]
    expect(splunk([{ schedule }])).toEqual({ 'rtg-1': ['1-8 ada', '8-9 dee'] })
  })

  it('of Grafana OnCall is in the final shifts, of nobody too', () => {
    const shift = (own: object) => ({ shift_start: at(0), shift_end: at(8), ...own })
    expect(
      renderedOf('grafana-oncall', {
        'users.json': { results: [{ id: 'U1', email: 'ada@example.com' }] },
        'schedules/S1/final_shifts.json': {
          results: [
            shift({ user_pk: 'U1', user_email: 'old@example.com' }),
            shift({ user_pk: 'U2', user_email: 'ben@example.com' }),
            shift({ user_pk: 'U3', user_email: 'cem@example.com', shift_end: 'soon' }),
          ],
        },
        'schedules/S2/final_shifts.json': { results: [] },
      }),
    ).toEqual({ S1: ['0-8 ada', '0-8 ben'], S2: [] })
  })

  it('of Opsgenie are all members of a team that has a turn', () => {
    const person = (id: string) => ({ type: 'user', id, name: `${id}@example.com` })
    const period = (from: number, to: number, own: object) => ({ startDate: at(from), endDate: at(to), ...own })
    const periods = [
      period(0, 8, { recipient: { type: 'team', id: 't1', name: 'Ops' }, flattenedRecipients: [person('ada'), person('ben')] }),
      period(8, 16, { recipient: person('cem'), flattenedRecipients: [person('cem')] }),
      period(16, 24, { recipient: { type: 'none' } }),
    ]
    expect(
      renderedOf('opsgenie', { 'schedules/s1/timeline.json': { data: { finalTimeline: { rotations: [{ periods }] } } } }),
    ).toEqual({ s1: ['0-8 ada', '0-8 ben', '8-16 cem'] })
  })
})
