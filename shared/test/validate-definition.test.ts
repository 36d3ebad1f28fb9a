import { describe, expect, test } from 'vitest'
import { ASSERTION_OPERATORS, ASSERTION_TYPES, type Assertion, type CheckDefinition, validateDefinition } from '../src/index.ts'
import { validateAssertions } from '../src/monitoring/checks/validate-assertions.ts'

const GOOD: CheckDefinition = {
  type: 'http',
  url: 'https://example.com/health?x=1#top',
  method: 'GET',
  headers: { Accept: 'text/html', Host: 'other.example:8443', 'X-Empty': '', 'X-Latin': 'caf\u00e9\tau lait' },
  body: null,
  timeout: 10,
  follow_redirects: true,
  verify_tls: true,
  options: {},
  credentials: {},
  assertions: [],
}
const faults = (change: Partial<CheckDefinition>) => validateDefinition({ ...GOOD, ...change })
const pathOf = (change: Partial<CheckDefinition>) => faults(change).map(({ path }) => path)

test('a definition without a fault has none', () => {
  expect(validateDefinition(GOOD)).toEqual([])
  expect(validateDefinition({})).toEqual([])
})

test.each([
  'ftp://example.com',
  'file:///etc/passwd',
  'javascript:alert(1)',
  'example.com',
  'http://',
  'http://user@example.com',
  'http://user:pass@example.com',
  'http://:pass@example.com',
  'http://example.com:0/',
  'http://example.com:65536/',
  'http://[fe80::1%25eth0]/',
  'http://exa mple.com/',
  `http://example.com/${'a'.repeat(2_048)}`,
])('the URL %s is refused', (url) => {
  expect(pathOf({ url })).toEqual(['url'])
})

test.each([
  `http://example.com/${'a'.repeat(2_029)}`,
  'HTTP://EXAMPLE.COM',
  'http://127.1',
  'http://[::1]:8080/a@b',
  'https://éx.test/ü',
])('the URL %s is allowed', (url) => {
  expect(pathOf({ url })).toEqual([])
})

describe('a URL that says more than a check can do', () => {
  test.each([
    ['tcp', 'tcp://host.example.com:22'],
    ['tls', 'tls://host.example.com:443'],
    ['icmp', 'icmp://host.example.com'],
    ['domain', 'domain://example.com'],
  ])('is refused: %s %s with a path, a query or a fragment', (type, url) => {
    for (const more of ['/x', '/x/y', '?a=1', '/?a', '#x', '/#x'])
      expect(validateDefinition({ type, url: `${url}${more}` }).map(({ path }) => path)).toEqual(['url'])
    for (const more of ['', '/']) expect(validateDefinition({ type, url: `${url}${more}` })).toEqual([])
  })

  test.each(['?typ=MX', '?type=MX&type=A', '?type=MX&x=1', '?type=MX#x'])('is refused: a question of DNS with %s', (more) => {
    expect(validateDefinition({ type: 'dns', url: `dns:///example.com${more}` })).toEqual([
      { path: 'url', message: 'must have nothing after the name but ?type=' },
    ])
  })
})

describe('the escapes of a text', () => {
  const faultsOf = (options: object) => validateDefinition({ type: 'tcp', url: 'tcp://a.example:1', options: { ...options } })

  test.each([String.raw`a\r\n\t\0\\\x00\xfFb`, String.raw`\\q`, String.raw`\\\\`, 'ü', ''])('may be those of %j', (text) => {
    expect(faultsOf({ send: text, expect: text })).toEqual([])
  })

  test.each([
    [String.raw`a\q`, String.raw`\q`],
    [String.raw`a\nend\ `.trimEnd(), '\\'],
    [String.raw`\\\q`, String.raw`\q`],
    [String.raw`\xg1`, String.raw`\xg1`],
    [String.raw`\x1`, String.raw`\x1`],
    [String.raw`\u0041`, String.raw`\u`],
    [String.raw`\N`, String.raw`\N`],
    [String.raw`\😀`, String.raw`\😀`],
  ])('may not be %j, and the message names the field and %j', (text, unknown) => {
    const message = String.raw`contains ${unknown}, which is none of the escapes \r, \n, \t, \0, \\ and \xHH`
    expect(faultsOf({ send: text })).toEqual([{ path: 'options.send', message }])
    expect(faultsOf({ expect: text })).toEqual([{ path: 'options.expect', message }])
  })
})

describe('the zone of an IPv6 address', () => {
  const message = 'must not contain the zone of an IPv6 address, such as %eth0: checks reach addresses without a zone alone'
  const token = { oauth2_token_url: 'http://[fe80::1%eth0]/token', oauth2_client_id: 'a' }

  test.each([
    ['http', 'http://[fe80::1%25eth0]/'],
    ['http', 'https://[fe80::1%eth0]:8443/path?a=%20'],
    ['icmp', 'icmp://[fe80::1%25eth0]'],
    ['icmp', 'icmp://[fe80::a:b%eth0]'],
    ['icmp', 'icmp://fe80::1%eth0'],
    ['tcp', 'tcp://[FE80:0:0:0:0:0:0:1%2]:22'],
    ['tls', 'tls://[fe80::1%en0]:443'],
    ['dns', 'dns://[fe80::1%eth0]:53/example.com'],
    ['smtp', 'smtp://[fe80::192.0.2.1%eth0]:25'],
    ['redis', 'redis://[::1%lo]'],
  ])('is refused with its name: %s %s', (type, url) => {
    expect(validateDefinition({ type, url })).toEqual([{ path: 'url', message }])
  })

  test('is refused in steps and for a token', () => {
    const steps = [{ name: 'Step', url: 'http://[fe80::1%eth0]/' }]
    expect(validateDefinition({ type: 'steps', url: 'http://a.example/', options: { steps } })).toEqual([
      { path: 'options.steps.0.url', message },
    ])
    expect(faults({ options: token, credentials: { oauth2_client_secret: 's' } })).toEqual([
      { path: 'options.oauth2_token_url', message },
    ])
  })

  test.each(['http://[2001:db8::1]/a%20b', 'http://example.com/a:b:c%20', 'http://example.com:80/?a=::%20'])(
    'is not seen in %s',
    (url) => {
      expect(pathOf({ url })).toEqual([])
    },
  )
})

describe('mail ports', () => {
  const smtp = { type: 'smtp', options: {} }
  const token = { oauth2_token_url: 'http://id.example.com:25/token', oauth2_client_id: 'a' }

  const SCHEMES = [
    'ftp',
    'http',
    'ws',
    'tcp',
    'tls',
    'grpc',
    'imap',
    'mongodb',
    'mqtt',
    'ntp',
    'radius',
    'redis',
    'mysql',
    'postgres',
    'ssh',
    'dns',
  ]
  test.each(SCHEMES)('in a URL of %s are refused with the field, as a check would be', (scheme) => {
    const type = scheme === 'ws' ? 'websocket' : scheme
    for (const port of [25, 465, 587]) {
      const message = `must not have port ${port}: mail ports are open to checks of type smtp alone`
      const url = `${scheme}://mail.example.com:${port}/${scheme === 'dns' ? 'example.com' : ''}`
      expect(validateDefinition({ type, url, options: {} })).toContainEqual({ path: 'url', message })
      expect(
        validateDefinition({ type, url: url.replace(`:${port}`, ':2525'), options: {} }).map(({ path }) => path),
      ).not.toContain('url')
    }
  })

  test('are open to SMTP', () => {
    for (const port of ['', ':25', ':465', ':587'])
      expect(validateDefinition({ ...smtp, url: `smtp://mail.example.com${port}` })).toEqual([])
  })

  test('are refused in steps and for a token', () => {
    const steps = [{ name: 'Step', url: 'http://mail.example.com:587/' }]
    expect(validateDefinition({ type: 'steps', url: 'http://a.example/', options: { steps } }).map(({ path }) => path)).toEqual([
      'options.steps.0.url',
    ])
    expect(pathOf({ options: token, credentials: { oauth2_client_secret: 's' } })).toEqual(['options.oauth2_token_url'])
  })

  test.each([
    ['tls://mail.example.com', 'smtp', ['options.starttls']],
    ['tls://mail.example.com:587', 'smtp', ['url']],
    ['tls://mail.example.com:2525', 'smtp', []],
    ['tls://mail.example.com', 'imap', []],
    ['tls://mail.example.com', 'none', []],
  ])('are not the usual port of TLS: %s with STARTTLS of %s has faults at %j', (url, starttls, paths) => {
    expect(validateDefinition({ type: 'tls', url, options: { starttls } }).map(({ path }) => path)).toEqual(paths)
  })
})

test.each([0, 61, 1.5, Number.NaN, -1])('a timeout of %s is refused, and the message names the unit', (timeout) => {
  expect(faults({ timeout })).toEqual([{ path: 'timeout', message: 'must be a whole number of seconds from 1 to 60' }])
})

describe('headers', () => {
  test.each([
    'Connection',
    'keep-alive',
    'Proxy-Connection',
    'TE',
    'Trailer',
    'Transfer-Encoding',
    'Upgrade',
    'CONTENT-LENGTH',
    'HTTP2-Settings',
    'Proxy-Authorization',
    '',
    'a b',
    'a:b',
    'ä',
    'a\r\nb',
    ':path',
    'x'.repeat(257),
  ])('the name %j is refused', (name) => {
    expect(pathOf({ headers: { [name]: 'value' } })).toEqual([`headers.${name}`])
  })

  test.each([
    's3cret\r\nX: y',
    's3cret\nb',
    's3cret\0b',
    ' s3cret',
    's3cret ',
    '\ts3cret',
    's3cret\u007f',
    's3cret日本',
    's3cret'.repeat(683),
  ])('the value %j is refused and is not in the message', (value) => {
    const [fault] = faults({ headers: { Authorization: value } })
    expect(fault?.path).toBe('headers.Authorization')
    expect(fault?.message).not.toContain('s3cret')
  })

  test('a header name in two spellings is refused', () => {
    expect(pathOf({ headers: { 'X-A': '1', 'x-a': '2' } })).toEqual(['headers.x-a'])
  })

  test.each(['example.com/x', 'a b', 'a@b', ''])('the host %j is refused', (host) => {
    expect(pathOf({ headers: { host } })).toEqual(['headers.host'])
  })

  test('50 headers are allowed, 51 are not', () => {
    const headers = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`x-${index}`, 'v']))
    expect(pathOf({ headers: headers(50) })).toEqual([])
    expect(pathOf({ headers: headers(51) })).toEqual(['headers'])
  })
})

test('a body is allowed with methods that have one, up to 64 KiB in UTF-8', () => {
  expect(pathOf({ method: 'GET', body: 'a' })).toEqual(['body'])
  expect(pathOf({ method: 'HEAD', body: '' })).toEqual(['body'])
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const) expect(pathOf({ method, body: 'a' })).toEqual([])
  expect(pathOf({ method: 'POST', body: 'é'.repeat(32_768) })).toEqual([])
  expect(pathOf({ method: 'POST', body: 'é'.repeat(32_769) })).toEqual(['body'])
})

describe('assertions', () => {
  const assertionFaults = (assertion: object) => faults({ assertions: [assertion as Assertion] }).map(({ path }) => path)

  test.each(Object.entries(ASSERTION_TYPES))(
    '%s allows its own operators and no other [MON-26, MON-27, MON-28]',
    (type, spec) => {
      for (const operator of Object.keys(ASSERTION_OPERATORS)) {
        const needsNumber = /than/.test(operator) || !(spec.valueKinds as readonly string[]).includes('string')
        const number = Math.min(200, spec.bounds?.maximum ?? 200)
        const value = operator.endsWith('exists') ? undefined : needsNumber ? number : 'text'
        const property = 'property' in spec ? 'x' : undefined
        const assertion = { type, operator, ...(property && { property }), ...(value !== undefined && { value }) }
        const isAllowed = (spec.operators as readonly string[]).includes(operator)
        const found = validateAssertions([assertion as Assertion]).map(({ path }) => path)
        expect(found, operator).toEqual(isAllowed ? [] : ['assertions.0.operator'])
      }
    },
  )

  test.each([
    [{ type: 'status_code', operator: 'equals' }, 'value'],
    [{ type: 'status_code', operator: 'equals', value: '200' }, 'value'],
    [{ type: 'status_code', operator: 'equals', value: 200.5 }, 'value'],
    [{ type: 'status_code', operator: 'equals', value: -1 }, 'value'],
    [{ type: 'status_code', operator: 'equals', value: 200, property: 'x' }, 'property'],
    [{ type: 'response_time', operator: 'less_than', value: 360_001 }, 'value'],
    [{ type: 'certificate_expiry', operator: 'greater_than', value: -1 }, 'value'],
    [{ type: 'body', operator: 'contains', value: 5 }, 'value'],
    [{ type: 'body', operator: 'contains', value: '' }, 'value'],
    [{ type: 'header', operator: 'equals', value: 'x' }, 'property'],
    [{ type: 'header', operator: 'equals', value: 'x', property: 'a b' }, 'property'],
    [{ type: 'header', operator: 'exists', value: 'x', property: 'a' }, 'value'],
    [{ type: 'json_path', operator: 'less_than', value: '5', property: '$.a' }, 'value'],
    [{ type: 'json_path', operator: 'equals', property: '$.a' }, 'value'],
    [{ type: 'json_path', operator: 'equals', property: '$.a', value: Number.POSITIVE_INFINITY }, 'value'],
  ])('%j is refused for its %s', (assertion, field) => {
    expect(assertionFaults(assertion)).toEqual([`assertions.0.${field}`])
  })

  test('the message of a refused number names its unit', () => {
    const [fault] = faults({ assertions: [{ type: 'response_time', operator: 'less_than', value: -5 }] })
    expect(fault?.message).toBe('response_time must be a number from 0 to 360000 ms')
  })

  test('an assertion may compare with the empty text', () => {
    expect(assertionFaults({ type: 'header', operator: 'equals', property: 'x-a', value: '' })).toEqual([])
  })

  test('20 assertions are allowed, 21 are not', () => {
    const assertions = (count: number) =>
      Array.from({ length: count }, () => ({ type: 'status_code', operator: 'equals', value: 200 }) as const)
    expect(pathOf({ assertions: assertions(20) })).toEqual([])
    expect(pathOf({ assertions: assertions(21) })).toEqual(['assertions'])
  })
})

describe('credentials of HTTP', () => {
  const pair = { client_certificate: '-----BEGIN CERTIFICATE-----\nMII', client_key: '-----BEGIN PRIVATE KEY-----\nMII' }
  const oauth = { oauth2_token_url: 'https://id.example.com/token', oauth2_client_id: 'vedette' }
  const secret = { oauth2_client_secret: 's' }

  test.each<[string, Partial<CheckDefinition>]>([
    ['a bearer token', { credentials: { bearer_token: 'abc.def-1==' } }],
    ['a certificate and its key', { credentials: pair }],
    ['a client of OAuth 2', { options: oauth, credentials: secret }],
    ['a masked key', { credentials: { ...pair, client_key: '•••' } }],
  ])('%s are allowed', (_, change) => expect(faults(change)).toEqual([]))

  test.each<[string, Partial<CheckDefinition>, string]>([
    ['a bearer token with a blank', { credentials: { bearer_token: 'a b' } }, 'credentials.bearer_token'],
    ['an empty bearer token', { credentials: { bearer_token: '' } }, 'credentials.bearer_token'],
    ['a bearer token and a header', { headers: { authorization: 'x' }, credentials: { bearer_token: 'a' } }, 'headers'],
    ['a certificate without its key', { credentials: { client_certificate: pair.client_certificate } }, 'credentials.client_key'],
    ['a key without its certificate', { credentials: { client_key: pair.client_key } }, 'credentials.client_certificate'],
    ['a certificate that is not PEM', { credentials: { ...pair, client_certificate: 'MII' } }, 'credentials.client_certificate'],
    [
      'a key with a passphrase',
      { credentials: { ...pair, client_key: '-----BEGIN ENCRYPTED PRIVATE KEY-----' } },
      'credentials.client_key',
    ],
    ['a client without a URL', { options: { oauth2_client_id: 'a' } }, 'options.oauth2_token_url'],
    ['a secret without a URL', { credentials: secret }, 'options.oauth2_token_url'],
    [
      'a URL of another protocol',
      { options: { ...oauth, oauth2_token_url: 'ftp://a/' }, credentials: secret },
      'options.oauth2_token_url',
    ],
    ['a URL without a client', { options: { oauth2_token_url: 'https://a/' }, credentials: secret }, 'options.oauth2_client_id'],
    ['a client without a secret', { options: oauth }, 'credentials.oauth2_client_secret'],
    ['two kinds of token', { options: oauth, credentials: { ...secret, bearer_token: 'a' } }, 'credentials.bearer_token'],
  ])('%s is refused', (_, change, path) => expect(pathOf(change)).toEqual([path]))
})
