import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { truncateText } from './outside-text.ts'

it.each([
  ['a text that fits stays', 'abc', 3, '', 'abc'],
  ['a text is cut', 'abcd', 3, '', 'abc'],
  ['the ending counts', 'abcdef', 4, '…', 'abc…'],
  ['a character of two units is left out as a whole', 'ab🔥cd', 3, '', 'ab'],
  ['a character of two units that fits stays', 'ab🔥cd', 4, '', 'ab🔥'],
  ['a character in front of the ending is left out as a whole', 'ab🔥cdef', 4, '…', 'ab…'],
  ['half a character that came so is replaced', 'a\ud83db', 3, '', 'a\ufffdb'],
  ['half a character at the cut is replaced', 'ab\ud83dcd', 3, '', 'ab\ufffd'],
  ['nothing remains of a character without room', '🔥', 1, '', ''],
  ['nothing remains without room', '🔥', 0, '', ''],
])('%s', (_, text, length, ending, truncated) => expect(truncateText(text, length, ending)).toBe(truncated))

it('a truncated text is never too long, never has half a character, and begins as the text did', () => {
  const anyText = fc.array(fc.constantFrom('a', 'ü', '🔥', '👩‍🚒', '\ud83d', '\udd25', '\0')).map((parts) => parts.join(''))
  fc.assert(
    fc.property(anyText, fc.nat(20), fc.constantFrom('', '…'), (text, length, ending) => {
      const truncated = truncateText(text, length + ending.length, ending)
      expect(truncated.length).toBeLessThanOrEqual(length + ending.length)
      expect(truncated.isWellFormed()).toBe(true)
      const isWhole = text.length <= length + ending.length
      const kept = isWhole ? truncated : truncated.slice(0, truncated.length - ending.length)
      expect(text.toWellFormed().startsWith(kept)).toBe(true)
      expect(kept.length).toBeGreaterThanOrEqual(Math.min(text.length, length - 1))
    }),
  )
})
