import { expect, test } from 'vitest'
import { formatDuration, parseDuration, parseNumber, unquote } from './literals.ts'

test.each([
  ['1h30m', 5_400_000, '1h30m'],
  ['90s', 90_000, '1m30s'],
  ['7d', 604_800_000, '1w'],
  ['8d', 691_200_000, '8d'],
  ['365d', 31_536_000_000, '1y'],
  ['1500ms', 1_500, '1s500ms'],
])('%s is %d ms, and printed as %s', (text, ms, printed) => {
  expect([parseDuration(text), formatDuration(ms)]).toEqual([ms, printed])
})

test.each([
  ['010', 8],
  ['0x1F', 31],
  ['1_000', 1_000],
  ['.5', 0.5],
  ['1e3', 1_000],
  ['iNf', Infinity],
  ['1m', 60],
])('%s is the number %d', (text, value) => {
  expect(parseNumber(text)).toBe(value)
})

test.each([
  ['"a\\n\\"\\u00fc"', 'a\n"ü'],
  ["'it\\'s'", "it's"],
  ['`raw \\n`', 'raw \\n'],
  ['"\\xc3\\xbc\\303\\274"', 'üü'],
  ['"\\U0001F600"', '😀'],
  ['"\\\'"', undefined],
  ['"\\q"', undefined],
  ['"\\u12"', undefined],
  ['"open', undefined],
  ['"two\nlines"', undefined],
])('%s is the text %j', (literal, text) => {
  expect(unquote(literal)).toBe(text)
})
