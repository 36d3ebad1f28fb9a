import fc from 'fast-check'
import { expect, test } from 'vitest'
import { counted, quantity, UNIT_WORDS } from './quantity.ts'

test.each([
  [quantity(1, 'bytes'), '1 byte'],
  [quantity(0, 'bytes'), '0 bytes'],
  [quantity(1.5, 'days'), '1.5 days'],
  [quantity(1, 's'), '1 s'],
  [quantity(1, 'ms'), '1 ms'],
  [quantity('"1"', 'bytes'), '"1" bytes'],
  [counted`after ${1} bytes of the body`, 'after 1 byte of the body'],
  [counted`after ${1} of ${11} bytes, ${-1} days ago`, 'after 1 of 11 bytes, -1 day ago'],
  [counted`${'1'} days: a name; ${1} daystar`, '1 days: a name; 1 daystar'],
])('%s', (text, expected) => expect(text).toBe(expected))

test('only one is singular, in a template as alone', () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.integer(), fc.double({ noNaN: true }), fc.constant(1)),
      fc.constantFrom(...UNIT_WORDS),
      (value, unit) => {
        expect(quantity(value, unit).endsWith('s')).toBe(value !== 1 && value !== -1)
        const texts = Object.assign(['below ', ` ${unit}`], { raw: [] })
        expect(counted(texts, value)).toBe(`below ${quantity(value, unit)}`)
      },
    ),
  )
})
