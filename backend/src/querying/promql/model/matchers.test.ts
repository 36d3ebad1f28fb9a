import { expect, test } from 'vitest'
import { matches } from './matchers.ts'
import type { Matcher } from './types.ts'

const LABELS = { host: 'web-1', path: 'a\nb' }

test.each<[string, Matcher['op'], string, boolean]>([
  ['host', '=', 'web-1', true],
  ['host', '!=', 'web-1', false],
  ['host', '=~', 'web', false],
  ['host', '=~', 'web-.', true],
  ['host', '=~', 'web-1|web-2', true],
  ['host', '=~', 'we|b-1', false],
  ['host', '!~', 'db-.*', true],
  ['host', '=~', '(web\\-1|x\\.y)', true],
  ['host', '=~', '(a|b)|web-1', true],
  ['host', '=~', 'web\\d1', false],
  ['absent', '=', '', true],
  ['absent', '=~', '.*', true],
  ['absent', '=~', '.+', false],
  ['path', '=~', 'a.b', true],
  ['toString', '=', '', true],
])('%s%s%s matches: %s', (label, op, value, expected) => {
  expect(matches([{ label, op, value }], LABELS)).toBe(expected)
})

test('thousands of words are no large pattern', () => {
  const words = Array.from({ length: 5_000 }, (_, index) => `host-${index}\\.example`).join('|')
  expect(matches([{ label: 'host', op: '=~', value: words }], { host: 'host-4999.example' })).toBe(true)
})
