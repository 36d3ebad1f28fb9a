import { ALL_FIELDS } from '../fields.ts'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fromScaled, toScaled } from './scale.ts'

describe('toScaled and fromScaled', () => {
  it('keep every decimal of the wire precision [PUSH-33]', () => {
    fc.assert(
      fc.property(fc.constantFrom(...ALL_FIELDS), fc.integer({ min: 0, max: 2 ** 49 }), (field, scaled) => {
        expect(toScaled(fromScaled(scaled, field), field)).toBe(scaled)
      }),
    )
  })

  it.each<['percent' | 'rate' | 'count', number, number]>([
    ['percent', 12.345, 1_235],
    ['percent', 1.005, 100],
    ['percent', 0.004, 0],
    ['percent', -0, 0],
    ['rate', 0.0005, 1],
    ['rate', 1234.5678, 1_234_568],
    ['count', 2.5, 3],
  ])('%s %d is stored as %d [PUSH-33]', (unit, given, scaled) => {
    expect(toScaled(given, { unit })).toBe(scaled)
  })
})
