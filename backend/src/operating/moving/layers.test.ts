import { HOUR_MS } from '@vedette/shared'
import { describe, expect, it } from 'vitest'
import { fromInstant, type Rotation } from './layers.ts'

const iso = (ms: number | undefined) => (ms === undefined ? undefined : new Date(ms).toISOString())
const rotation = (own: Partial<Rotation>): Rotation => ({
  name: 'R',
  turns: [['ada'], ['ben'], ['cem']],
  startMs: Date.parse('2027-03-22T08:00Z'),
  endMs: undefined,
  length: { unit: 'week', count: 1 },
  spans: [],
  ...own,
})
const partsOf = (own: Partial<Rotation>, from: string) =>
  fromInstant(rotation(own), Date.parse(from), 'Europe/Berlin')?.map(({ turns, startMs, endMs }) => [
    turns.flat().join(),
    iso(startMs),
    iso(endMs),
  ])

describe('a rotation that has somebody on duty only from an instant on', () => {
  it('has the rest of the turn that is under way, and its next handover at the local time of its start', () => {
    expect(partsOf({}, '2027-04-01T00:00Z')).toEqual([
      ['ben', '2027-04-01T00:00:00.000Z', '2027-04-05T07:00:00.000Z'],
      ['cem,ada,ben', '2027-04-05T07:00:00.000Z', undefined],
    ])
  })

  it('is whole at a handover, counts turns backwards before its start, and ends when it does', () => {
    expect(partsOf({}, '2027-03-29T07:00Z')).toEqual([['ben,cem,ada', '2027-03-29T07:00:00.000Z', undefined]])
    expect(partsOf({}, '2027-03-21T00:00Z')).toEqual([
      ['cem', '2027-03-21T00:00:00.000Z', '2027-03-22T08:00:00.000Z'],
      ['ada,ben,cem', '2027-03-22T08:00:00.000Z', undefined],
    ])
    const endMs = Date.parse('2027-04-02T00:00Z')
    expect(partsOf({ endMs }, '2027-04-01T00:00Z')).toEqual([['ben', '2027-04-01T00:00:00.000Z', '2027-04-02T00:00:00.000Z']])
    expect(partsOf({ endMs }, '2027-04-02T00:00Z')).toEqual([])
    expect(partsOf({ turns: [['ada']] }, '2027-04-01T00:00Z')).toEqual([['ada', '2027-04-01T00:00:00.000Z', undefined]])
  })

  it('by hours counts elapsed time, and has no parts where a change of the clock skips its handover', () => {
    const length = { unit: 'hour', count: 7 } as const
    const [, later] = fromInstant(rotation({ length }), rotation({}).startMs + 170 * HOUR_MS, 'Europe/Berlin') ?? []
    expect([iso(later?.startMs), later?.turns.flat().join()]).toEqual(['2027-03-29T15:00:00.000Z', 'ben,cem,ada'])
    const night = { startMs: Date.parse('2027-03-21T01:30Z') }
    expect(partsOf(night, '2027-03-25T00:00Z')).toBeUndefined()
  })
})
