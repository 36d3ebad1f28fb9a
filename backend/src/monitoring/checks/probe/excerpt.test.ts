import { expect, it } from 'vitest'
import { excerptOf } from './excerpt.ts'
import { maskSecrets } from '../../../platform/logging/mask-secrets.ts'
import { sentSecrets } from './sent-secrets.ts'

const M = '•••'
const twice = (text: string) => [text, text] as const

it.each([
  ['a header, by its name', 'Authorization: Bearer abc.def\nHost: a', `Authorization: ${M}\nHost: a`],
  ['a cookie, whole', 'Set-Cookie: sid=1; Path=/\r\nok', `Set-Cookie: ${M}\r\nok`],
  ['a field of JSON', '{"user":"ann","password":"hunter2","n":1}', `{"user":"ann","password":${M},"n":1}`],
  ['a header in JSON', '{"headers":{"authorization":"Bearer abcdefgh"}}', `{"headers":{"authorization":"${M}"}}`],
  ['a form', 'name=a&access_token=abcdef&b=1', `name=a&access_token=${M}&b=1`],
  ['a setting', 'AWS_SECRET_ACCESS_KEY=abc/def', `AWS_SECRET_ACCESS_KEY=${M}`],
  ['a scheme in a table', '<td>Bearer abcdeFghi</td>', `<td>Bearer ${M}</td>`],
  ['a JWT', 'x eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.sig-nature y', `x ${M} y`],
  ['a token of ours', 'token vdt_srv_abcdefghijkl was refused', `token ${M} was refused`],
  ['a token of ours without a name', 'you sent vdt_srv_abcdefghijkl', `you sent ${M}`],
  ['a key of others without a name', 'you sent AKIAABCDEFGH', `you sent ${M}`],
  ['a database URL', 'cannot reach postgres://app:s3cret@db:5432/app', `cannot reach postgres://${M}@db:5432/app`],
  ['a private key', 'a\n-----BEGIN RSA PRIVATE KEY-----\nMIIE\n', `a\n${M}`],
  ['nothing of plain words', ...twice('<h1>503 Service Unavailable</h1> the token invalidated itself')],
  ['nothing of a challenge', ...twice('Basic authentication is required, bearer authorization is not')],
])('masks %s', (_, text, masked) => expect(maskSecrets(text, [])).toBe(masked))

it.each<[string, Record<string, string>, string, string]>([
  ['a value', { 'X-Tenant': 'acme-7' }, 'tenant acme-7 is unknown', `tenant ${M} is unknown`],
  ['a value as it is written in a URL', { 'X-Sign': 'a b/c' }, '?s=a%20b%2Fc', `?s=${M}`],
  ['a value as it is written in HTML', { 'X-Sign': '<a&b>' }, 'got &lt;a&amp;b&gt;', `got ${M}`],
  ['a value in base64', { 'X-Sign': 'hello world' }, 'aGVsbG8gd29ybGQ=', M],
  ['the token without its scheme', { Authorization: 'Custom s3cr3t-value' }, 'no s3cr3t-value here', `no ${M} here`],
  ['a password of Basic', { Authorization: `Basic ${btoa('ann:opensesame')}` }, 'ann, opensesame', `ann, ${M}`],
  ['a value of a cookie', { Cookie: 'theme=dark; sid=0123456789' }, 'no session 0123456789', `no session ${M}`],
  ['a long value that the text cuts', { 'X-Key': 'k'.repeat(2_000) }, `a ${'k'.repeat(900)}`, `a ${M}`],
])('masks secrets of the request: %s', (_, headers, text, masked) => {
  expect(maskSecrets(text, sentSecrets({ headers, body: null }))).toBe(masked)
})

it('masks secrets of the request body', () => {
  const body = JSON.stringify({ login: { name: 'ann', password: 'opensesame' } })
  expect(maskSecrets(`you sent ${body}`, sentSecrets({ headers: {}, body }))).toBe(`you sent ${M}`)
  expect(maskSecrets('opensesame is wrong', sentSecrets({ headers: {}, body }))).toBe(`${M} is wrong`)
  expect(maskSecrets('opensesame is wrong', sentSecrets({ headers: {}, body: 'name=ann&password=opensesame' }))).toBe(
    `${M} is wrong`,
  )
  const deep = '['.repeat(30_000) + ']'.repeat(30_000)
  expect(maskSecrets('as it was', sentSecrets({ headers: {}, body: deep }))).toBe('as it was')
})

const excerpt = (text: string | Uint8Array, headers = {}) =>
  excerptOf('HTTP/1.1 500 no', { bytes: Buffer.from(text), contentType: undefined }, sentSecrets({ headers, body: null })).body ??
  ''

it('contains the first KiB in whole characters', () => {
  expect(excerpt('é'.repeat(600))).toBe('é'.repeat(512))
  expect(excerpt(`a${'é'.repeat(600)}`)).toBe(`a${'é'.repeat(511)}`)
  expect(excerpt('x'.repeat(1_024))).toBe('x'.repeat(1_024))
  expect(excerpt('')).toBe('')
})

it('does not end in half of a secret', () => {
  const secret = 'top-secret-value'
  for (let at = 1_000; at < 1_030; at += 1) expect(excerpt('.'.repeat(at) + secret, { 'X-A': secret })).not.toMatch(/top/)
  // What is looked at is mostly masked, and ends within another secret.
  const text = `Cookie: ${'c'.repeat(4_000)}\nCookie: ${'c'.repeat(4_000)}\n${'.'.repeat(150)} ${secret}`
  expect(excerpt(text, { 'X-A': secret })).not.toMatch(/top/)
})

it('contains no character that a terminal or the database rejects', () => {
  expect(excerpt('a\0b\u001b[31mc\r\nd\te')).toBe('a\uFFFDb\uFFFD[31mc\nd\te')
  expect(excerpt(Uint8Array.of(0xff, 0x61)).isWellFormed()).toBe(true)
  expect(excerptOf(`HTTP/1.1 500 ${'x'.repeat(500)}`, undefined, [])).toEqual({
    status_line: `HTTP/1.1 500 ${'x'.repeat(187)}`,
    body: null,
  })
})
