import { describe, expect, it } from 'vitest'
import type { SuppressedIncident } from '../../incidents/index.ts'
import { chooseParents } from './choose-parents.ts'

const of = (id: string, ...parentIds: (string | null)[]) => ({ incident: { incident_id: id } as SuppressedIncident, parentIds })
const chosen = (candidates: ReturnType<typeof of>[], parents: Record<string, string> = {}) =>
  chooseParents(candidates, new Map(Object.entries(parents))).map(({ incident, parentId }) => [incident.incident_id, parentId])

describe('chooseParents', () => {
  it('takes the first of what is down, also without an incident', () => {
    expect(chosen([of('a', 'p', 'q'), of('b', null), of('c')])).toEqual([
      ['a', 'p'],
      ['b', null],
    ])
  })

  it('takes another one where the incident is above the first, and none where it is above all', () => {
    expect(chosen([of('a', 'p', 'q')], { p: 'x', x: 'a' })).toEqual([['a', 'q']])
    expect(chosen([of('a', 'p')], { p: 'a' })).toEqual([])
    expect(chosen([of('a', 'a')])).toEqual([])
  })

  it('lets one of two that are chosen together be notified', () => {
    expect(chosen([of('a', 'b'), of('b', 'a')])).toEqual([['a', 'b']])
  })

  it('ends where stored parents form a circle', () => {
    expect(chosen([of('a', 'p')], { p: 'q', q: 'p' })).toEqual([['a', 'p']])
  })
})
