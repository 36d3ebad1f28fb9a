import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { formatProperty, formatValue } from '../messages.ts'

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
