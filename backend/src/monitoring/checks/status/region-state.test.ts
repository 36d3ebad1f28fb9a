import type { Outcome } from '@vedette/shared'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { deriveRegionState, type RegionProgress, type RegionStep } from './region-state.ts'

const UNKNOWN_REGION: RegionProgress = { state: null, failures: 0, successes: 0 }

/** `state failures/successes`, and `…` where a repeat comes. */
const spell = ({ after: { state, failures, successes }, repeats }: RegionStep): string =>
  `${state ?? 'unknown'} ${failures}/${successes}${repeats ? ' …' : ''}`

/** All steps of a region that sees these outcomes (u, g(rey: degraded), d, i), from nothing. */
function walk(outcomes: string, confirmations: number, from: RegionProgress = UNKNOWN_REGION): string[] {
  const names: Record<string, Outcome> = { u: 'up', g: 'degraded', d: 'down', i: 'inconclusive' }
  let before = from
  return outcomes.split('').map((letter) => {
    const step = deriveRegionState(before, names[letter] as Outcome, confirmations)
    before = step.after
    return spell(step)
  })
}

describe('a region', () => {
  it.each<[string, number, string[]]>([
    ['u', 2, ['up 0/0']],
    ['g', 2, ['degraded 0/0']],
    ['d', 1, ['down 1/0']],
    ['d', 2, ['unknown 1/0 …']],
    ['dd', 2, ['unknown 1/0 …', 'down 2/0']],
    ['udd', 2, ['up 0/0', 'up 1/0 …', 'down 2/0']],
    ['udud', 2, ['up 0/0', 'up 1/0 …', 'up 0/0', 'up 1/0 …']],
    ['uddd', 3, ['up 0/0', 'up 1/0 …', 'up 2/0 …', 'down 3/0']],
    ['ud', 1, ['up 0/0', 'down 1/0']],
    ['udgd', 2, ['up 0/0', 'up 1/0 …', 'degraded 0/0', 'degraded 1/0 …']],
    ['udid', 2, ['up 0/0', 'up 1/0 …', 'up 1/0', 'down 2/0']],
    ['uiu', 2, ['up 0/0', 'up 0/0', 'up 0/0']],
    ['i', 1, ['unknown 0/0']],
    ['gu', 2, ['degraded 0/0', 'degraded 0/1 …']],
    ['guu', 2, ['degraded 0/0', 'degraded 0/1 …', 'up 0/0']],
    ['gug', 2, ['degraded 0/0', 'degraded 0/1 …', 'degraded 0/0']],
    ['guiu', 2, ['degraded 0/0', 'degraded 0/1 …', 'degraded 0/1', 'up 0/0']],
  ])('follows the outcomes %s with %i confirmations', (outcomes, confirmations, steps) => {
    expect(walk(outcomes, confirmations)).toEqual(steps)
  })

  const down: RegionProgress = { state: 'down', failures: 2, successes: 0 }
  it.each<[string, string[]]>([
    ['d', ['down 3/0']],
    ['u', ['down 0/1 …']],
    ['uu', ['down 0/1 …', 'up 0/0']],
    ['ud', ['down 0/1 …', 'down 1/0']],
    ['udu', ['down 0/1 …', 'down 1/0', 'down 0/1 …']],
    ['g', ['degraded 0/0']],
    ['i', ['down 2/0']],
    ['uiu', ['down 0/1 …', 'down 0/1', 'up 0/0']],
  ])('that is down follows the outcomes %s', (outcomes, steps) => {
    expect(walk(outcomes, 2, down)).toEqual(steps)
  })

  it('that stays down counts failures only up to the limit of the column', () => {
    expect(deriveRegionState({ state: 'down', failures: 100, successes: 0 }, 'down', 10).after.failures).toBe(100)
  })
})

const outcomes = fc.array(fc.constantFrom<Outcome>('up', 'degraded', 'down', 'inconclusive'), { maxLength: 60 })
const confirmations = fc.integer({ min: 1, max: 10 })

interface SeenStep {
  outcome: Outcome
  before: RegionProgress
  step: RegionStep
  /** The conclusive outcomes until then, this one included. */
  conclusive: Outcome[]
}

function steps(outcomes: readonly Outcome[], confirmations: number): SeenStep[] {
  let before = UNKNOWN_REGION
  let conclusive: Outcome[] = []
  return outcomes.map((outcome) => {
    const step = deriveRegionState(before, outcome, confirmations)
    if (outcome !== 'inconclusive') conclusive = [...conclusive, outcome]
    const seen = { outcome, before, step, conclusive }
    before = step.after
    return seen
  })
}

const isBad = ({ state }: RegionProgress): boolean => state === 'down' || state === 'degraded'

describe('a region with any outcomes', () => {
  it('goes down only after the required number of consecutive failures [CHECK-09]', () => {
    fc.assert(
      fc.property(outcomes, confirmations, (seen, needed) => {
        const falls = steps(seen, needed).filter(({ before, step }) => step.after.state === 'down' && before.state !== 'down')
        const inARow = falls.map(({ conclusive }) => conclusive.length - 1 - conclusive.findLastIndex((one) => one !== 'down'))
        expect(inARow).toEqual(falls.map(() => needed))
      }),
    )
  })

  it('recovers only after two consecutive good checks [CHECK-15]', () => {
    fc.assert(
      fc.property(outcomes, confirmations, (seen, needed) => {
        const rises = steps(seen, needed).filter(({ before, step }) => isBad(before) && step.after.state === 'up')
        expect(rises.map(({ conclusive }) => conclusive.slice(-2))).toEqual(rises.map(() => ['up', 'up']))
      }),
    )
  })

  it('ends in the same state without its inconclusive checks', () => {
    fc.assert(
      fc.property(outcomes, confirmations, (seen, needed) => {
        const end = (list: readonly Outcome[]) => steps(list, needed).at(-1)?.step.after ?? UNKNOWN_REGION
        expect(end(seen)).toEqual(end(seen.filter((outcome) => outcome !== 'inconclusive')))
      }),
    )
  })

  it('is repeated only while a result needs confirmation', () => {
    fc.assert(
      fc.property(outcomes, confirmations, (seen, needed) => {
        const repeats = steps(seen, needed).filter(({ step }) => step.repeats)
        const why = repeats.map(({ outcome, step: { after } }) =>
          outcome === 'down' ? after.state !== 'down' && after.failures < needed : isBad(after) && after.successes === 1,
        )
        expect(why).toEqual(repeats.map(() => true))
      }),
    )
  })
})
