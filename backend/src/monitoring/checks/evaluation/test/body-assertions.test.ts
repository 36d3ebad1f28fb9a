import { validateAssertions } from '@vedette/shared'
import { describe, expect, test } from 'vitest'
import { finalUrl } from '../assertions/final-url.ts'
import { createBudget } from '../budget.ts'
import { createObservation, evaluateAssertions, validatePatterns } from '../index.ts'

const seen = (body: string, url: string | null = null) =>
  createObservation({
    statusCode: 200,
    responseMs: 1,
    certificateDaysLeft: null,
    headers: new Map(),
    facts: {},
    url,
    body: Buffer.from(body),
  })
const schemaOf = (schema: unknown) => ({
  type: 'body_json',
  operator: 'matches' as const,
  value: typeof schema === 'string' ? schema : JSON.stringify(schema),
})
const evaluate = (schema: unknown, body: string) => {
  const { outcome, error } = evaluateAssertions(seen(body), [schemaOf(schema)])
  return error === null ? outcome : `${outcome}: ${error.message.replace(/ \(expected .*/, '')}`
}
const faultOf = (schema: unknown) => validatePatterns([schemaOf(schema)]).map(({ path, message }) => `${path}: ${message}`)

describe('body_json', () => {
  const shop = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    required: ['items'],
    properties: { items: { type: 'array', items: { $ref: '#/$defs/item' }, uniqueItems: true } },
    $defs: { item: { type: 'object', required: ['sku'], properties: { sku: { type: 'string', pattern: '^[A-Z]{2}-\\d+$' } } } },
  }

  test('is up when the whole body fits, and else says where it does not', () => {
    expect(evaluate(shop, '{"items":[{"sku":"AB-1"},{"sku":"AB-2"}]}')).toBe('up')
    expect(evaluate(shop, '{"items":[{"sku":"AB-1"},{"sku":"x"}]}')).toBe(
      'down: the body breaks the schema at "/items/1/sku" (pattern)',
    )
    expect(evaluate(shop, '{}')).toBe('down: the body breaks the schema at "/" (required)')
    expect(evaluate(shop, '{"items":[{"sku":"AB-1","a":1},{"a":1,"sku":"AB-1"}]}')).toBe(
      'down: the body breaks the schema at "/items" (uniqueItems)',
    )
    expect(evaluate(shop, '<html>')).toBe('down: the response is not JSON')
  })

  test('understands what draft 2020-12 added', () => {
    const tuple = { type: 'array', prefixItems: [{ const: 1 }, { type: 'string' }], items: false }
    expect([evaluate(tuple, '[1,"a"]'), evaluate(tuple, '[1,"a",2]')]).toEqual(['up', expect.stringMatching(/^down/)])
    const closed = { allOf: [{ properties: { a: true } }], unevaluatedProperties: false }
    expect([evaluate(closed, '{"a":1}'), evaluate(closed, '{"b":1}')]).toEqual(['up', expect.stringMatching(/^down/)])
    expect(evaluate({ format: 'email' }, '"no mail"')).toBe('up')
  })

  test.each([
    ['no JSON', '{', 'must be an object in JSON'],
    ['a list', [], 'must be an object in JSON'],
    ['an unknown type', { type: 'text' }, 'is not one of draft 2020-12: '],
    ['an older draft', { $schema: 'http://json-schema.org/draft-07/schema#' }, 'cannot be used: '],
    ['a circle', { properties: { next: { $ref: '#' } } }, 'must not have references in a circle'],
    ['a reference elsewhere', { $ref: 'https://example.com/schema' }, 'must have references within itself'],
    ['a reference to nothing', { $ref: '#/$defs/none' }, 'has a reference that leads nowhere'],
    ['a dynamic reference', { $dynamicRef: '#a' }, 'must not have dynamic references'],
    ['a pattern that is none of RE2', { pattern: '(?=a)' }, 'cannot be used: the pattern '],
    ['too many levels', JSON.parse(`${'{"not":'.repeat(40)}{}${'}'.repeat(40)}`), 'must have at most 32 levels'],
    [
      'references that multiply',
      {
        $defs: Object.fromEntries(
          Array.from({ length: 20 }, (_, n) => [
            `a${n}`,
            n === 19 ? {} : { anyOf: Array.from({ length: 3 }, () => ({ $ref: `#/$defs/a${n + 1}` })) },
          ]),
        ),
        $ref: '#/$defs/a0',
      },
      /is too large|levels/,
    ],
  ])('refuses %s', (_, schema, expected) => {
    const [fault = ''] = faultOf(schema)
    expect(fault).toMatch(/^assertions\.0\.value: the JSON schema /)
    expect(fault).toMatch(expected instanceof RegExp ? expected : new RegExp(expected.replaceAll(/[.$()]/g, String.raw`\$&`)))
  })

  test('is inconclusive where a large body and a large schema would take seconds', () => {
    const schema = { items: { allOf: Array.from({ length: 300 }, (_, n) => ({ not: { const: `no ${n}` } })) } }
    expect(evaluate(schema, '[1,2]')).toBe('up')
    expect(evaluate(schema, `[${'1,'.repeat(300_000)}1]`)).toBe('down: the body is too large for this schema')
  })

  test('takes 16 KiB, and other texts 1,024 characters', () => {
    const valued = (type: string, length: number) =>
      validateAssertions([{ type, operator: type === 'body_json' ? 'matches' : 'contains', value: 'a'.repeat(length) }], 'http')
    expect(valued('body_json', 16_384)).toEqual([])
    expect(valued('body_json', 16_385)).toEqual([{ path: 'assertions.0.value', message: 'must have at most 16384 characters' }])
    expect(valued('body', 1_025)).toEqual([{ path: 'assertions.0.value', message: 'must have at most 1024 characters' }])
  })
})

test('body_size compares the decompressed bytes', () => {
  const of = (operator: 'less_than' | 'greater_than' | 'equals', value: number) =>
    evaluateAssertions(seen('é'), [{ type: 'body_size', operator, value }])
  expect([of('equals', 2), of('less_than', 3), of('greater_than', 1)].map(({ outcome }) => outcome)).toEqual(['up', 'up', 'up'])
  expect(of('greater_than', 2).error?.message).toBe('body of 2 bytes (expected above 2 bytes)')
})

test('final_url compares the URL behind the redirects', () => {
  const of = (operator: 'equals' | 'contains' | 'matches', value: string, url: string | null = 'https://a.test/login') =>
    evaluateAssertions(seen('', url), [{ type: 'final_url', operator, value }])
  expect(of('equals', 'https://a.test/login').outcome).toBe('up')
  expect(of('contains', '/login').outcome).toBe('up')
  expect(of('matches', String.raw`^https://a\.test/`).outcome).toBe('up')
  expect(of('equals', 'https://a.test/').error?.message).toBe('final URL "https://a.test/login" (expected "https://a.test/")')
  expect(of('contains', 'x', null).outcome).toBe('down')
})

test('the pattern of a final URL is searched as far as that of a body, and no further', () => {
  const assertion = { type: 'final_url', operator: 'matches', value: 'needle$' } as const
  const budget = { ...createBudget([assertion]), searchLength: 40 }
  const failureOf = (url: string) => finalUrl.failure(assertion, seen('', url), budget)
  const fits = `https://a.test/${'x'.repeat(19)}needle`
  expect([fits.length, failureOf(fits)]).toEqual([40, undefined])
  expect(failureOf(`https://a.test/${'x'.repeat(20)}needle`)).toMatch(/^final URL "https:/)
  // What is behind the bound is not seen: it ends here.
  expect(failureOf(`${fits}${'y'.repeat(16_000)}`)).toBeUndefined()
})
