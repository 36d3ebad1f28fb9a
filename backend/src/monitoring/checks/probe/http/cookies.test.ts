import { describe, expect, test } from 'vitest'
import { createCookieJar, withoutCookies } from './cookies.ts'

const NOW = Date.parse('2026-11-29T12:00:00Z')
const HTTPS = 'https://shop.example.com/a/b'
const HTTP = 'http://shop.example.com/a/b'

/** The field `Cookie` of a request to `to`, after a response of `from` with these fields. */
function sent(setCookies: readonly string[], { from = HTTPS, to, own }: { from?: string; to?: string; own?: string } = {}) {
  const jar = createCookieJar(NOW)
  jar.store(setCookies, new URL(from))
  return jar.fieldFor(new URL(to ?? from), own)
}

test.each([
  ['a name and a value', ['a=1'], 'a=1'],
  ['blanks around them', [' a = 1 ; Path=/'], 'a=1'],
  ['a value with equals signs', ['a=b=c=='], 'a=b=c=='],
  ['a quoted value', ['a="1 2"'], 'a="1 2"'],
  ['an empty value', ['a='], 'a='],
  ['a value without a name', ['token'], 'token'],
  ['nothing', ['', ';', '=', '; Path=/'], undefined],
  ['a control character', ['a=1\u0001'], undefined],
  ['more bytes than browsers keep', [`a=${'x'.repeat(4_096)}`], undefined],
  ['several cookies', ['a=1', 'b=2'], 'a=1; b=2'],
  ['the same cookie again', ['a=1', 'b=2', 'a=3'], 'a=3; b=2'],
  ['the same cookie for another path', ['a=1; Path=/', 'a=2; Path=/a'], 'a=2; a=1'],
  ['an attribute that nobody knows', ['a=1; SameSite=Strict; Partitioned; Priority=High; Foo'], 'a=1'],
  ['attributes in other letters', ['a=1; PATH=/a; SECURE; HTTPONLY'], 'a=1'],
  ['the domain of the host', ['a=1; Domain=shop.example.com'], 'a=1'],
  ['a domain above the host', ['a=1; Domain=.Example.com'], 'a=1'],
  ['a domain of somebody else', ['a=1; Domain=example.org'], undefined],
  ['a domain below the host', ['a=1; Domain=x.shop.example.com'], undefined],
  ['a domain that only ends alike', ['a=1; Domain=hop.example.com'], undefined],
  ['a top-level domain', ['a=1; Domain=com'], undefined],
  ['an end that is to come', ['a=1; Expires=Sun, 29 Nov 2026 12:00:01 GMT'], 'a=1'],
  ['an end that has passed', ['a=1; Expires=Thu, 01 Jan 1970 00:00:00 GMT'], undefined],
  ['an end in an old form', ['a=1; Expires=Thu, 01-Jan-1970 00:00:10 GMT'], undefined],
  ['an end that cannot be read', ['a=1; Expires=soon'], 'a=1'],
  ['an age', ['a=1; Max-Age=60; Expires=Thu, 01 Jan 1970 00:00:00 GMT'], 'a=1'],
  ['no age', ['a=1; Max-Age=0'], undefined],
  ['a negative age', ['a=1; Max-Age=-1'], undefined],
  ['a deletion of an earlier one', ['a=1', 'b=2', 'a=; Max-Age=0'], 'b=2'],
  ['a prefix that it fulfills', ['__Host-a=1; Secure; Path=/', '__Secure-b=2; Secure'], '__Secure-b=2; __Host-a=1'],
  [
    'a prefix that it does not fulfill',
    ['__Host-a=1; Secure', '__Secure-b=2', '__host-c=1; Secure; Path=/; Domain=shop.example.com'],
    undefined,
  ],
])('a response with %s leads to the right cookies', (_, setCookies, field) => {
  expect(sent(setCookies)).toBe(field)
})

test.each([
  [HTTPS, HTTPS, true],
  [HTTPS, 'https://shop.example.com/a/other?x=1', true],
  [HTTPS, 'https://shop.example.com/a', true],
  [HTTPS, 'https://shop.example.com/ab', false],
  [HTTPS, 'https://shop.example.com/', false],
  [HTTPS, 'https://shop.example.com:8443/a/b', false],
  [HTTPS, 'http://shop.example.com/a/b', false],
  [HTTPS, 'https://www.shop.example.com/a/b', false],
  [HTTPS, 'https://example.com/a/b', false],
  [HTTP, 'https://shop.example.com/a/b', false],
])('a cookie of %s is sent to %s: %s', (from, to, isSent) => {
  expect(sent(['a=1'], { from, to })).toBe(isSent ? 'a=1' : undefined)
})

test.each([
  ['/', '/x', true],
  ['/a', '/a', true],
  ['/a', '/a/b', true],
  ['/a', '/ab', false],
  ['/a/', '/a', false],
  ['/a/', '/a/b', true],
  ['no path', '/a/c', true],
  ['no path', '/c', false],
])('a cookie with the path %s is sent to %s: %s', (path, to, isSent) => {
  expect(sent([`a=1; Path=${path}`], { to: `https://shop.example.com${to}` })).toBe(isSent ? 'a=1' : undefined)
})

test('a cookie for TLS alone is not taken without it', () => {
  expect(sent(['a=1; Secure', 'b=2'], { from: HTTP })).toBe('b=2')
})

test('no more cookies are kept than browsers keep', () => {
  const field = sent(Array.from({ length: 1_000 }, (_, index) => `a${index}=1`))
  expect(field?.split('; ')).toHaveLength(180)
})

describe('the cookies of a monitor', () => {
  test('go before those of its check, by their names', () => {
    expect(sent(['a=1', 'b=2'], { own: 'b=mine; c=mine' })).toBe('b=mine; c=mine; a=1')
  })

  test.each([
    ['a=1; b=2', ['a'], 'b=2'],
    ['a=1;b=2 ; a = 3', ['a'], 'b=2'],
    ['a=1', ['a'], undefined],
    ['a=1', [], 'a=1'],
    [undefined, ['a'], undefined],
  ])('%j without %j are %j', (field, names, left) => {
    expect(withoutCookies(field, names)).toBe(left)
  })
})
