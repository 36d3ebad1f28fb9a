import type { Assertion } from '@vedette/shared'
import { describe, expect, test } from 'vitest'
import {
  ASSERTION_EVALUATORS,
  type AssertionEvaluator,
  validatePatterns,
  createObservation,
  evaluateAssertions,
} from '../index.ts'
import type { RawObservation } from '../observation.ts'

function observe(
  seen: { body?: string | Uint8Array; headers?: Record<string, string> } & Partial<Omit<RawObservation, 'body' | 'headers'>> = {},
) {
  const { body = '', headers = {}, ...rest } = seen
  return createObservation({
    statusCode: 200,
    responseMs: 120.5,
    certificateDaysLeft: null,
    facts: {},
    ...rest,
    headers: new Map(Object.entries(headers)),
    body: typeof body === 'string' ? new TextEncoder().encode(body) : body,
  })
}

const say = (type: string, operator: string, value?: unknown, property?: string) =>
  ({ type, operator, ...(value !== undefined && { value }), ...(property !== undefined && { property }) }) as Assertion
const failureOf = (assertion: Assertion, seen: Parameters<typeof observe>[0]) =>
  evaluateAssertions(observe(seen), [assertion]).error?.message

describe('without assertions', () => {
  test.each([199, 400, 404, 500, 100, 999])('a status of %d is down [MON-29, CHECK-05]', (statusCode) => {
    const { outcome, error } = evaluateAssertions(observe({ statusCode }), [])
    expect(outcome).toBe('down')
    expect(error).toEqual({ code: 'status', message: `status ${statusCode} (expected 200–399)` })
  })

  test.each([200, 204, 301, 399])('a status of %d is up [MON-29]', (statusCode) => {
    expect(evaluateAssertions(observe({ statusCode }), [])).toEqual({ outcome: 'up', error: null })
  })

  test('the status decides; with assertions only they decide', () => {
    expect(evaluateAssertions(observe({ statusCode: 503 }), [say('response_time', 'less_than', 500)]).outcome).toBe('up')
    expect(evaluateAssertions(observe({ statusCode: 503 }), [say('status_code', 'equals', 200)]).error?.code).toBe('assertion')
  })

  test('a kind of check without a status is up when the target responds', () => {
    expect(evaluateAssertions(observe({ statusCode: null }), []).outcome).toBe('up')
    expect(evaluateAssertions(observe({ statusCode: null }), [say('status_code', 'equals', 200)]).outcome).toBe('down')
  })
})

describe('one assertion', () => {
  const cases: [Assertion, Parameters<typeof observe>[0], boolean][] = [
    [say('status_code', 'equals', 204), { statusCode: 204 }, true],
    [say('status_code', 'equals', 204), { statusCode: 200 }, false],
    [say('status_code', 'not_equals', 500), { statusCode: 500 }, false],
    [say('status_code', 'less_than', 400), { statusCode: 399 }, true],
    [say('status_code', 'less_than', 400), { statusCode: 400 }, false],
    [say('status_code', 'greater_than', 400), { statusCode: 400 }, false],
    [say('status_code', 'greater_than', 400), { statusCode: 401 }, true],
    [say('response_time', 'less_than', 120.5), {}, false],
    [say('response_time', 'less_than', 120.501), {}, true],
    [say('response_time', 'greater_than', 120), {}, true],
    [say('certificate_expiry', 'greater_than', 14), { certificateDaysLeft: 14 }, false],
    [say('certificate_expiry', 'greater_than', 14), { certificateDaysLeft: 14.01 }, true],
    [say('certificate_expiry', 'greater_than', 0), { certificateDaysLeft: -3 }, false],
    [say('certificate_expiry', 'greater_than', 0), {}, false],
    [say('body', 'contains', 'ell'), { body: 'hello' }, true],
    [say('body', 'contains', 'ELL'), { body: 'hello' }, false],
    [say('body', 'not_contains', 'ell'), { body: 'hello' }, false],
    [say('body', 'not_contains', 'x'), { body: '' }, true],
    [say('body', 'matches', '^h.*o$'), { body: 'hello' }, true],
    [say('body', 'matches', '(?i)HELL'), { body: 'hello' }, true],
    [say('body', 'matches', '\\d{3}'), { body: 'a12b' }, false],
    [say('header', 'equals', 'text/html', 'Content-Type'), { headers: { 'content-type': 'text/html' } }, true],
    [say('header', 'equals', 5, 'x-n'), { headers: { 'x-n': '5.0' } }, true],
    [say('header', 'not_equals', 'b', 'x-a'), { headers: { 'x-a': 'a' } }, true],
    [say('header', 'not_equals', 'b', 'x-a'), {}, true],
    [say('header', 'equals', '', 'x-a'), {}, false],
    [say('header', 'contains', 'gzip', 'vary'), { headers: { vary: 'br, gzip' } }, true],
    [say('header', 'not_contains', 'gzip', 'vary'), { headers: { vary: 'br, gzip' } }, false],
    [say('header', 'less_than', 10, 'x-n'), { headers: { 'x-n': '9' } }, true],
    [say('header', 'less_than', 10, 'x-n'), { headers: { 'x-n': 'nine' } }, false],
    [say('header', 'greater_than', 10, 'x-n'), {}, false],
    [say('header', 'greater_than', 10, 'x-n'), { headers: { 'x-n': '0x20' } }, false],
    [say('header', 'exists', undefined, 'X-A'), { headers: { 'x-a': '' } }, true],
    [say('header', 'not_exists', undefined, 'x-a'), { headers: { 'x-a': '' } }, false],
    [say('header', 'not_exists', undefined, 'x-a'), {}, true],
    [say('json_path', 'equals', 'ok', '$.status'), { body: '{"status":"ok"}' }, true],
    [say('json_path', 'equals', 'true', '$.a'), { body: '{"a":true}' }, true],
    [say('json_path', 'equals', 'null', '$.a'), { body: '{"a":null}' }, true],
    [say('json_path', 'equals', 1, '$.a'), { body: '{"a":1.0}' }, true],
    [say('json_path', 'equals', 1, '$.a'), { body: '{"a":"1"}' }, true],
    [say('json_path', 'equals', '[object Object]', '$.a'), { body: '{"a":{}}' }, false],
    [say('json_path', 'less_than', 90, '$.disks[*].p'), { body: '{"disks":[{"p":1},{"p":89}]}' }, true],
    [say('json_path', 'less_than', 90, '$.disks[*].p'), { body: '{"disks":[{"p":1},{"p":91}]}' }, false],
    [say('json_path', 'contains', 'b', '$.tags'), { body: '{"tags":["a","b"]}' }, true],
    [say('json_path', 'contains', 'b', '$.tags'), { body: '{"tags":["abc"]}' }, false],
    [say('json_path', 'contains', 2, '$.tags'), { body: '{"tags":[1,2]}' }, true],
    [say('json_path', 'not_contains', 'b', '$.tags'), { body: '{"tags":["a","b"]}' }, false],
    [say('json_path', 'exists', undefined, '$.a'), { body: '{"a":null}' }, true],
    [say('json_path', 'exists', undefined, '$.b'), { body: '{"a":null}' }, false],
    [say('json_path', 'not_exists', undefined, '$.b'), { body: '{"a":null}' }, true],
    [say('json_path', 'not_exists', undefined, '$.b'), { body: 'no JSON' }, false],
    [say('json_path', 'not_equals', 'x', '$.b'), { body: '{}' }, true],
    [say('json_path', 'equals', 'x', '$.b'), { body: '{}' }, false],
    [say('json_path', 'exists', undefined, "$.a[?match(@.n, 'b.')]"), { body: '{"a":[{"n":"ba"}]}' }, true],
    [say('json_path', 'exists', undefined, "$.a[?match(@.n, 'b')]"), { body: '{"a":[{"n":"ba"}]}' }, false],
    [say('json_path', 'exists', undefined, "$.a[?search(@.n, 'a')]"), { body: '{"a":[{"n":"ba"}]}' }, true],
    [say('json_path', 'exists', undefined, '$.__proto__'), { body: '{}' }, false],
  ]
  test.each(cases)('%j on %j holds: %s [MON-23, MON-24, MON-25]', (assertion, seen, holds) => {
    expect(evaluateAssertions(observe(seen), [assertion]).outcome === 'up').toBe(holds)
  })

  test.each([
    [say('status_code', 'equals', 200), { statusCode: 503 }, 'status 503 (expected 200)'],
    [say('response_time', 'less_than', 100), {}, 'response time 120.5 ms (expected below 100 ms)'],
    [
      say('header', 'contains', 'json', 'content-type'),
      { headers: { 'content-type': 'text/html' } },
      'header content-type is "text/html" (expected to contain "json")',
    ],
    [say('json_path', 'equals', 'ok', '$.s'), { body: '{"s":["a\\n"]}' }, 'JSON path $.s is a list of 1 (expected "ok")'],
    [
      say('json_path', 'equals', 'ok', '$.s'),
      { body: '<html>' },
      'JSON path $.s not found: the body is not JSON (expected "ok")',
    ],
    [say('body', 'contains', 'x'), { body: 'abc' }, 'text not found in the body of 3 characters (expected to contain "x")'],
    [
      say('certificate_expiry', 'greater_than', 14),
      { certificateDaysLeft: 3.27 },
      'certificate expiry in 3.2 days (expected above 14 days)',
    ],
  ])('the message for %j names what was observed and what was expected', (assertion, seen, message) => {
    expect(failureOf(assertion, seen)).toBe(message)
  })

  test('a message is one bounded line without cookies', () => {
    const cookie = failureOf(say('header', 'equals', 'x', 'set-cookie'), { headers: { 'set-cookie': 'session=secret' } })
    expect(cookie).not.toContain('secret')
    const long = failureOf(say('header', 'equals', 'y'.repeat(1_000), 'x-a'), {
      headers: { 'x-a': `a\u0085\u2028${'z'.repeat(9_000)}` },
    })
    expect(long?.length).toBeLessThanOrEqual(300)
    // oxlint-disable-next-line no-control-regex -- they are what must be absent
    expect(long).not.toMatch(/[\u0000-\u001f\u0080-\u009f\u2028]/)
  })
})

describe('several assertions', () => {
  const slow = say('response_time', 'less_than', 1)
  const late = say('certificate_expiry', 'greater_than', 30)
  const wrong = say('body', 'contains', 'x')
  const code = say('status_code', 'equals', 404)

  test.each([
    [[slow], 'degraded', /^response time /],
    [[late], 'degraded', /^certificate expiry /],
    [[late, slow], 'degraded', /^certificate expiry /],
    [[slow, wrong], 'down', /^text not found in the body /],
    [[wrong, code], 'down', /^text not found in the body /],
    [[code, wrong, slow], 'down', /^status 200 /],
  ])('%j make the check %s, and the message matches %s [CHECK-04]', (assertions, outcome, message) => {
    const evaluation = evaluateAssertions(observe({ certificateDaysLeft: 10 }), assertions)
    expect(evaluation.outcome).toBe(outcome)
    expect(evaluation.error?.code).toBe('assertion')
    expect(evaluation.error?.message).toMatch(message)
  })
})

describe('a dot in a pattern of a JSON path', () => {
  const finds = (pattern: string, text: string) => {
    const assertion = say('json_path', 'exists', undefined, `$[?match(@, ${JSON.stringify(pattern)})]`)
    return evaluateAssertions(observe({ body: JSON.stringify([text]) }), [assertion]).outcome === 'up'
  }

  test.each([
    ['.', 'a', true],
    ['.', '😀', true],
    ['.', '\u2028', true],
    ['.', '\n', false],
    ['.', '\r', false],
    ['a.*b', 'a--b', true],
    ['a.*b', 'a-\r-b', false],
    ['[.]', '.', true],
    ['[.]', 'x', false],
    ['[^.]', '\r', true],
    ['[a.]+', 'a.a', true],
    ['[[:alpha:].]+', 'a.', true],
    ['[\\].]+', '].', true],
    ['[].]+', '].', true],
    ['\\.', '.', true],
    ['\\.', 'x', false],
    ['\\\\.', '\\x', true],
    ['\\Q.\\E.', '.x', true],
    ['\\Q.\\E.', 'xx', false],
    ['(?s).', '\r', true],
    ['(?s).', '\n', true],
    ['a{2}.', 'aax', true],
  ])('%j matches %j: %s', (pattern, text, isMatch) => {
    expect(finds(pattern, text)).toBe(isMatch)
  })

  test('is one of a search too', () => {
    const assertion = say('json_path', 'exists', undefined, "$[?search(@, 'a.b')]")
    expect(evaluateAssertions(observe({ body: '["a\\rb"]' }), [assertion]).outcome).toBe('down')
  })
})

test('a body is decoded by its byte order mark, then its charset, then as UTF-8', () => {
  const read = (bytes: number[], type?: string) =>
    observe({ body: new Uint8Array(bytes), headers: type ? { 'content-type': type } : {} }).text()
  expect(read([0x63, 0xe9], 'text/html; charset=ISO-8859-1')).toBe('cé')
  expect(read([0x63, 0xe9], 'text/html;charset="windows-1252"')).toBe('cé')
  expect(read([0x63, 0xc3, 0xa9])).toBe('cé')
  expect(read([0x63, 0xe9], 'text/html; charset=nonsense')).toBe('c\ufffd')
  expect(read([0xff, 0xfe, 0x63, 0x00], 'text/html; charset=utf-8')).toBe('c')
  expect(read([0xef, 0xbb, 0xbf, 0x7b, 0x7d], 'application/json')).toBe('{}')
})

test('a new assertion type needs one evaluator in the registry', () => {
  const wordCount: AssertionEvaluator = {
    failure: ({ value }, { text }) => (text().split(/\s+/).length > Number(value) ? undefined : 'too few words'),
  }
  const registry = { ...ASSERTION_EVALUATORS, word_count: wordCount }
  const assertion = say('word_count', 'greater_than', 2)
  expect(evaluateAssertions(observe({ body: 'one two three' }), [assertion], registry).outcome).toBe('up')
  expect(evaluateAssertions(observe({ body: 'one' }), [assertion], registry).error?.message).toBe(
    'too few words (expected above 2)',
  )
})

describe('an assertion that this probe cannot evaluate', () => {
  const unknownType = say('word_count', 'greater_than', 2)
  const failing = say('status_code', 'equals', 404)

  test.each([
    ['an unknown type', unknownType],
    ['a type named like a property of every object', say('constructor', 'equals', 2)],
    ['an unknown operator', say('status_code', 'divisible_by', 2)],
    ['an operator that the type does not have here', say('header', 'matches', 'a', 'x-a')],
    ['a pattern that does not compile here', say('body', 'matches', '(a')],
    ['a path that does not compile here', say('json_path', 'exists', undefined, '$[?nope(@)]')],
  ])('makes the check inconclusive: %s', (_, assertion) => {
    const { outcome, error } = evaluateAssertions(observe({ headers: { 'x-a': 'b' } }), [assertion])
    expect(outcome).toBe('inconclusive')
    expect(error?.code).toBe('internal')
    expect(error?.message).toMatch(/^this probe cannot evaluate/)
  })

  test('does not hide the failure of another assertion', () => {
    for (const assertions of [
      [unknownType, failing],
      [failing, unknownType],
    ])
      expect(evaluateAssertions(observe(), assertions)).toMatchObject({ outcome: 'down', error: { code: 'assertion' } })
  })

  test('might have failed as down, so that a slow answer is inconclusive too', () => {
    const slow = say('response_time', 'less_than', 1)
    for (const assertions of [
      [unknownType, slow],
      [slow, unknownType],
    ])
      expect(evaluateAssertions(observe(), assertions).outcome).toBe('inconclusive')
  })
})

describe('faults of a definition that only compiling finds', () => {
  test.each([
    [say('body', 'matches', '(a'), 'assertions.0.value'],
    [say('body', 'matches', '(?=a)'), 'assertions.0.value'],
    [say('body', 'matches', '\\1'), 'assertions.0.value'],
    [say('body', 'matches', 'a{1001}'), 'assertions.0.value'],
    [say('body', 'matches', 'a{501}'), 'assertions.0.value'],
    [say('json_path', 'exists', undefined, 'status'), 'assertions.0.property'],
    [say('json_path', 'exists', undefined, '$.a['), 'assertions.0.property'],
    [say('json_path', 'exists', undefined, '$[?nope(@)]'), 'assertions.0.property'],
    [say('json_path', 'exists', undefined, '$[?length(@.*) > 1]'), 'assertions.0.property'],
  ])('%j is refused', (assertion, path) => {
    expect(validatePatterns([assertion]).map((fault) => fault.path)).toEqual([path])
  })

  test('patterns that are valid alone may be too large together', () => {
    const pattern = say('body', 'matches', 'a{300}')
    expect(validatePatterns([pattern])).toEqual([])
    expect(validatePatterns([pattern, { ...pattern }]).map(({ path }) => path)).toEqual(['assertions'])
  })
})
