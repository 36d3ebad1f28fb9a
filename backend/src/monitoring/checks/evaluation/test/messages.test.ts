import * as fc from 'fast-check'
import { ASSERTION_TYPES, UNIT_WORDS } from '@vedette/shared'
import { expect, it } from 'vitest'
import { expectationOf, formatProperty, formatValue } from '../messages.ts'

it('a value whose cut falls within a character is cut in front of it', () => {
  expect(formatValue(`${'a'.repeat(59)}🔥 all systems go`)).toBe(`"${'a'.repeat(59)}…"`)
  expect(formatValue(`${'a'.repeat(58)}🔥 all systems go`)).toBe(`"${'a'.repeat(58)}🔥…"`)
})

it('no value and no property of an assertion becomes half a character, a control character or a long text', () => {
  const anyText = fc.array(fc.constantFrom('a', '🔥', '\ud83d', '\udd25', '\n', '\0'), { minLength: 50, maxLength: 70 })
  fc.assert(
    fc.property(anyText, (parts) => {
      const text = parts.join('')
      for (const message of [formatValue(text), formatProperty({ type: 'json_path', operator: 'equals', property: text })]) {
        expect(message.isWellFormed()).toBe(true)
        expect(message).not.toMatch(/\p{Cc}/u)
        expect(message.length).toBeLessThanOrEqual(63)
      }
    }),
  )
})

it('no message of an assertion has one of a unit as several', () => {
  const units = Object.values(ASSERTION_TYPES).flatMap(({ unit }) => unit ?? [])
  const several = new RegExp(`\\b1 (?:${UNIT_WORDS.join('|')})\\b`)
  fc.assert(
    fc.property(
      fc.constantFrom(...units),
      fc.constantFrom('less_than', 'equals', 'not_equals'),
      fc.nat(3),
      (unit, operator, value) => {
        expect(expectationOf({ type: 'body_size', operator, value }, unit)).not.toMatch(several)
      },
    ),
  )
})
