import type { CompositeRule, RegionState } from '@vedette/shared'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type CompositeRules, type CountedMember, deriveCompositeStatus, type Outside } from './rule.ts'

const vote = (letter: string, index: number): CountedMember => {
  const [status, outside] = (
    {
      u: ['up', null],
      d: ['down', null],
      g: ['degraded', null],
      p: ['down', 'paused'],
      m: ['down', 'maintenance'],
      n: ['up', 'not_checked'],
    } satisfies Record<string, [RegionState, Outside | null]>
  )[letter.toLowerCase()] as [RegionState, Outside | null]
  return { name: `m${index}`, status, outside, weight: 1, required: letter !== letter.toLowerCase() }
}
const derive = (letters: string, rules: CompositeRules) => deriveCompositeStatus(rules, letters.split('').map(vote))

describe('a composite', () => {
  it.each<[string, CompositeRule, RegionState]>([
    // All must work.
    ['uuu', { down_at_least: 1 }, 'up'],
    ['uud', { down_at_least: 1 }, 'down'],
    ['uug', { down_at_least: 1 }, 'degraded'],
    // One must work.
    ['ddu', { all_down: true }, 'degraded'],
    ['ddd', { all_down: true }, 'down'],
    ['ddg', { all_down: true }, 'degraded'],
    // Members that are paused, in maintenance or not checked have no say.
    ['ddp', { all_down: true }, 'down'],
    ['uum', { down_at_least: 1 }, 'up'],
    ['ddn', { all_down: true }, 'down'],
    // A share of the members that count.
    ['uudd', { up_below_percent: 50 }, 'degraded'],
    ['uddd', { up_below_percent: 50 }, 'down'],
    ['udd', { up_below_percent: 34 }, 'down'],
    ['udd', { up_below_percent: 33 }, 'degraded'],
    ['gggd', { up_below_percent: 75 }, 'degraded'],
    // Some must work whatever the others do.
    ['uuD', { any_required_down: true }, 'down'],
    ['ddU', { any_required_down: true }, 'degraded'],
  ])('of %s with %j is %s', (letters, down_when, status) => {
    expect(derive(letters, { down_when })?.status).toBe(status)
  })

  it.each<[string, CompositeRules, RegionState]>([
    ['uug', { down_when: { all_down: true }, degraded_when: { down_at_least: 2 } }, 'up'],
    ['ugg', { down_when: { all_down: true }, degraded_when: { down_at_least: 2 } }, 'degraded'],
    ['uuG', { down_when: { all_down: true }, degraded_when: { any_required_down: true } }, 'degraded'],
    ['ggd', { down_when: { all_down: true }, degraded_when: { all_down: true } }, 'degraded'],
    ['ugd', { down_when: { all_down: true }, degraded_when: { up_below_percent: 40 } }, 'degraded'],
    ['ugu', { down_when: { all_down: true }, degraded_when: { up_below_percent: 60 } }, 'up'],
  ])('of %s with %j is %s: a degraded member is not up for degraded_when', (letters, rules, status) => {
    expect(derive(letters, rules)?.status).toBe(status)
  })

  it('keeps its status while no member counts', () => {
    for (const letters of ['', 'p', 'pmn']) expect(derive(letters, { down_when: { all_down: true } })).toBeUndefined()
  })

  it('names up to five members', () => {
    expect(derive('dddu', { down_when: { down_at_least: 2 } })?.reason).toBe('3 of 4 members down: m0, m1, m2')
    expect(derive('ddddddd', { down_when: { all_down: true } })?.reason).toBe(
      '7 of 7 members down: m0, m1, m2, m3, m4 and 2 more',
    )
    expect(derive('ugu', { down_when: { all_down: true } })?.reason).toBe('1 of 3 members not up: m1')
    expect(derive('uup', { down_when: { all_down: true } })?.reason).toBe('2 of 2 members up')
  })

  it('counts weights in percent alone', () => {
    const heavy = [
      { ...vote('d', 0), weight: 3 },
      { ...vote('u', 1), weight: 1 },
    ]
    expect(deriveCompositeStatus({ down_when: { up_below_percent: 50 } }, heavy)?.status).toBe('down')
    expect(deriveCompositeStatus({ down_when: { down_at_least: 2 } }, heavy)?.status).toBe('degraded')
  })
})

const votes = fc.array(
  fc.record({
    name: fc.string({ maxLength: 3 }),
    status: fc.constantFrom<RegionState>('up', 'down', 'degraded'),
    outside: fc.constantFrom<Outside | null>(null, null, 'paused', 'maintenance', 'not_checked'),
    weight: fc.integer({ min: 1, max: 9 }),
    required: fc.boolean(),
  }),
  { maxLength: 8 },
)
const rule = fc.oneof(
  fc.record({ down_at_least: fc.integer({ min: 1, max: 8 }) }),
  fc.record({ up_below_percent: fc.integer({ min: 1, max: 100 }) }),
  fc.constant({ any_required_down: true as const }),
  fc.constant({ all_down: true as const }),
)
const RANK = { up: 0, degraded: 1, down: 2 } as const

describe('a composite with any members', () => {
  it('has the same status without those that have no say, in any order', () => {
    fc.assert(
      fc.property(votes, rule, fc.option(rule, { nil: undefined }), (members, down_when, degraded_when) => {
        const rules = { down_when, degraded_when }
        const own = deriveCompositeStatus(rules, members)?.status
        const counted = members.filter(({ outside }) => outside === null)
        expect(deriveCompositeStatus(rules, counted.toReversed())?.status).toBe(own)
      }),
    )
  })

  it('never gets better where a member gets worse', () => {
    fc.assert(
      fc.property(votes, rule, rule, fc.nat(), (members, down_when, degraded_when, at) => {
        const before = deriveCompositeStatus({ down_when, degraded_when }, members)
        const worse = members.map((member, index) =>
          index === at % members.length ? { ...member, status: 'down' as const } : member,
        )
        const after = deriveCompositeStatus({ down_when, degraded_when }, worse)
        expect(RANK[after?.status ?? 'down']).toBeGreaterThanOrEqual(RANK[before?.status ?? 'up'])
      }),
    )
  })
})
