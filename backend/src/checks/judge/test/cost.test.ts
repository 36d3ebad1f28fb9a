import type { Assertion } from '@vedette/shared'
import { describe, expect, test } from 'vitest'
import { createObservation, judge } from '../index.ts'

/** Each of these would hold the thread for minutes to centuries without its bound: a test ends, or it fails by its time limit. */
const MIB = 2 ** 20

function judgeText(text: string, ...assertions: Partial<Assertion>[]) {
  const seen = { statusCode: 200, responseMs: 1, certificateDaysLeft: null, headers: new Map() }
  return judge(createObservation({ ...seen, body: new TextEncoder().encode(text) }), assertions as Assertion[])
}

const matches = (value: string) => ({ type: 'body', operator: 'matches', value }) as const
const exists = (property: string) => ({ type: 'json_path', operator: 'exists', property }) as const

describe('a pattern', () => {
  test.each(['^(a+)+$', '^(a|a)*$', '(a*)*b', '^(?:a?){100}a{100}$', '(.*)(.*)(.*)(.*)x'])(
    '%s over 1 MiB of a and ! does not hang',
    (pattern) => {
      expect(judgeText(`${'a'.repeat(MIB - 1)}!`, matches(pattern)).outcome).toBe('down')
    },
  )

  test('that is large looks at less of a large body, and says so', () => {
    const { error } = judgeText('b'.repeat(MIB), matches('[a-h].{1,100}[<]{9}a{200}'))
    expect(error?.message).toMatch(/it is not in the first \d+ of 1048576 characters$/)
    expect(judgeText(`${'b'.repeat(MIB - 5)}hello`, matches('(?i)HELLO$')).outcome).toBe('up')
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
  ])('%s does not visit without end', (path, document) => {
    const { outcome, error } = judgeText(document, exists(path))
    expect(outcome).toBe('down')
    expect(error?.message).toMatch(/too many values|no such value/)
  })

  test('that is usual finds what it asks for in a large document', () => {
    expect(judgeText(wide, { type: 'json_path', operator: 'less_than', property: '$.a[*]', value: 100_000 }).outcome).toBe('up')
    expect(judgeText(wide, exists('$.a[?@ == 99999]')).outcome).toBe('up')
    expect(judgeText(wide, exists('$..text')).outcome).toBe('up')
  })

  test.each(['[', '{"a":'])('ends in a document of nothing but %s', (open) => {
    const close = open === '[' ? ']' : '}'
    const text = `${open.repeat(100_000)}${open === '[' ? '' : '1'}${close.repeat(100_000)}`
    expect(judgeText(text, exists('$..b')).error?.message).toMatch(/deeper than|cannot be followed/)
    expect(judgeText(text, exists('$')).outcome).toBe('up')
  })
})
