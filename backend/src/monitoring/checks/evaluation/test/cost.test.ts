import type { Assertion } from '@vedette/shared'
import { describe, expect, test } from 'vitest'
import { createObservation, evaluateAssertions } from '../index.ts'

/** Each of these would hold the thread for minutes to centuries without its bound: a test ends, or it fails by its time limit. */
const MIB = 2 ** 20

function evaluateText(text: string, ...assertions: Partial<Assertion>[]) {
  const seen = { statusCode: 200, responseMs: 1, certificateDaysLeft: null, facts: {}, headers: new Map() }
  return evaluateAssertions(createObservation({ ...seen, body: new TextEncoder().encode(text) }), assertions as Assertion[])
}

const matches = (value: string) => ({ type: 'body', operator: 'matches', value }) as const
const exists = (property: string) => ({ type: 'json_path', operator: 'exists', property }) as const

describe('a pattern', () => {
  test.each(['^(a+)+$', '^(a|a)*$', '(a*)*b', '^(?:a?){100}a{100}$', '(.*)(.*)(.*)(.*)x'])(
    '%s over 1 MiB of a and ! does not hang',
    (pattern) => {
      expect(evaluateText(`${'a'.repeat(MIB - 1)}!`, matches(pattern)).outcome).toBe('down')
    },
  )

  test('that is large searches only part of a large body, and the message says so', () => {
    const { error } = evaluateText('b'.repeat(MIB), matches('[a-h].{1,100}[<]{9}a{200}'))
    expect(error?.message).toMatch(/^no match in the first \d+ of 1048576 characters of the body/)
    expect(evaluateText(`${'b'.repeat(MIB - 5)}hello`, matches('(?i)HELLO$')).outcome).toBe('up')
  })
})

describe('a path', () => {
  const wide = JSON.stringify({ a: Array.from({ length: 100_000 }, (_, index) => index), text: 'a'.repeat(2_000) })
  const deep = '{"a":'.repeat(90) + wide + '}'.repeat(90)

  test.each([
    ['$..*..*..*', deep],
    ['$..a[?$..a[?@ == 5]]', wide],
    ['$.a[?$.a == $.a]', wide],
    ['$.a[?@ == $.a]', wide],
    ["$.a[?search($.text, '(a|b)*c')]", wide],
    ["$..*[?match(@, '^(a+)+$')]", wide],
    [`$${'..*'.repeat(60)}`, deep],
  ])('%s visits a bounded number of values', (path, document) => {
    const { outcome, error } = evaluateText(document, exists(path))
    expect(outcome).toBe('down')
    expect(error?.message).toMatch(/too many values|not found/)
  })

  test('of a usual kind finds its values in a large document', () => {
    expect(evaluateText(wide, { type: 'json_path', operator: 'less_than', property: '$.a[*]', value: 100_000 }).outcome).toBe(
      'up',
    )
    expect(evaluateText(wide, exists('$.a[?@ == 99999]')).outcome).toBe('up')
    expect(evaluateText(wide, exists('$..text')).outcome).toBe('up')
  })

  test.each(['[', '{"a":'])('is evaluated in bounded time for a document of nothing but %s', (open) => {
    const close = open === '[' ? ']' : '}'
    const text = `${open.repeat(100_000)}${open === '[' ? '' : '1'}${close.repeat(100_000)}`
    expect(evaluateText(text, exists('$..b')).error?.message).toMatch(/nested deeper than|nested too deeply/)
    expect(evaluateText(text, exists('$')).outcome).toBe('up')
  })
})
