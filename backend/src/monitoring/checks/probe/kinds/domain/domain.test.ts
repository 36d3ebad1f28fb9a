import { DAY_MS, type DefinitionOf } from '@vedette/shared'
import { afterEach, describe, expect, test } from 'vitest'
import { freePort } from '../../../../../../../scripts/test-tools.ts'
import { createProber } from '../../index.ts'
import { defineCheck } from '../../test/define-check.ts'
import { startAnswering, startTarget, type Target } from '../../test/targets.ts'
import { rdapServerOf } from './bootstrap.ts'
import { createDomainKind } from './index.ts'
import { parseDate, parseRdap, parseReferral, parseWhois } from './registration.ts'

describe('a date of a registry', () => {
  test.each([
    ['2027-08-13T04:00:00Z', '2027-08-13T04:00:00.000Z'],
    ['2027-08-13T04:00:00.0Z', '2027-08-13T04:00:00.000Z'],
    ['2027-08-13T04:00:00+0200', '2027-08-13T02:00:00.000Z'],
    ['2027-08-13 04:00:00 UTC', '2027-08-13T04:00:00.000Z'],
    ['2027-08-13', '2027-08-13T00:00:00.000Z'],
    ['2027.08.13', '2027-08-13T00:00:00.000Z'],
    ['2027/08/13 (JST)', '2027-08-13T00:00:00.000Z'],
    ['20270813', '2027-08-13T00:00:00.000Z'],
    ['13-Aug-2027', '2027-08-13T00:00:00.000Z'],
    ['13 August 2027', '2027-08-13T00:00:00.000Z'],
    ['31.8.2027 12:00:00', '2027-08-31T00:00:00.000Z'],
    ['13/08/2027', '2027-08-13T00:00:00.000Z'],
    ['', undefined],
    ['soon', undefined],
    ['2027-13-45', undefined],
    ['99999999999', undefined],
  ])('as %j is %s', (text, iso) => {
    expect(parseDate(text)).toBe(iso === undefined ? undefined : Date.parse(iso))
  })
})

describe('WHOIS', () => {
  const at = Date.parse('2027-08-13T04:00:00Z')
  const day = Date.parse('2027-08-13')
  test.each([
    [
      '   Domain Name: EXAMPLE.COM\r\n   Registry Expiry Date: 2027-08-13T04:00:00Z\r\n   Registrar: Example, Inc.\r\n',
      at,
      'Example, Inc.',
    ],
    ['domain:        EXAMPLE.RU\nregistrar:     RU-CENTER\npaid-till:     2027-08-13T04:00:00Z\n', at, 'RU-CENTER'],
    ['[Domain Name]   EXAMPLE.JP\n[Expires on]    2027/08/13\n', day, undefined],
    ['domain.............: example.fi\nexpires............: 13.8.2027 09:00:00\nregistrar..........: Oy\n', day, 'Oy'],
    ['    Domain name:\n        example.uk\n\n    Expiry date:  13-Aug-2027\n', day, undefined],
    ['Domain: example.de\nStatus: connect\n', undefined, undefined],
  ])('of %j', (text, expiresAtMs, registrar) => {
    expect(parseWhois(text)).toEqual({ expiresAtMs, registrar })
  })
  test.each(['No match for "EXAMPLE.COM".\r\n', '%% NOT FOUND\n', 'Domain: x.de\nStatus: free\n', 'example.com is available'])(
    'of %j is an unregistered domain',
    (text) => {
      expect(parseWhois(text)).toBe('unregistered')
    },
  )
  test.each([
    '',
    'quota exceeded',
    '<html>',
    '\0'.repeat(60_000),
    ' '.repeat(60_000),
    '\n'.repeat(60_000),
    '\n '.repeat(30_000),
    'registrar'.repeat(6_000),
  ])('of anything else is not understood', (text) => {
    expect(parseWhois(text)).toBeUndefined()
  })
  test('refers to the server of a top-level domain', () => {
    expect(parseReferral('% IANA\nrefer:        whois.verisign-grs.com\n\ndomain: COM\n')).toBe('whois.verisign-grs.com')
    expect(parseReferral('whois:\n')).toBeUndefined()
    expect(parseReferral('refer: whois.example.com; rm\n')).toBeUndefined()
  })
})

const rdap = (change: object = {}) => ({
  objectClassName: 'domain',
  ldhName: 'EXAMPLE.TEST',
  events: [
    { eventAction: 'registration', eventDate: '2001-01-01T00:00:00Z' },
    { eventAction: 'expiration', eventDate: new Date(Date.now() + 90.5 * DAY_MS).toISOString() },
  ],
  entities: [
    {
      roles: ['registrar'],
      vcardArray: [
        'vcard',
        [
          ['version', {}, 'text', '4.0'],
          ['fn', {}, 'text', 'Example Registrar'],
        ],
      ],
    },
  ],
  ...change,
})

describe('RDAP', () => {
  test.each([
    'null',
    '[]',
    '{',
    '"x"',
    '{}',
    '{"objectClassName":"entity"}',
    '{"objectClassName":"domain","ldhName":"other.test"}',
  ])('of %s is no answer', (text) => {
    expect(parseRdap(text, 'example.test')).toBeUndefined()
  })
  test.each([
    { events: null, entities: 5 },
    {
      events: [null, 1, { eventAction: 'expiration' }],
      entities: [{ roles: 'registrar' }, { roles: ['registrar'], vcardArray: [1, [[]]] }],
    },
    { events: [{ eventAction: 'expiration', eventDate: {} }], entities: [{ roles: ['registrar'], vcardArray: { fn: 1 } }] },
  ])('of %j has neither date nor registrar', (change) => {
    expect(parseRdap(JSON.stringify(rdap(change)), 'example.test')).toEqual({ expiresAtMs: undefined, registrar: undefined })
  })
  test('servers are known for some top-level domains', () => {
    expect(rdapServerOf('example.com')).toBe('https://rdap.verisign.com/com/v1/')
    expect(rdapServerOf('example.co.uk')).toBe('https://rdap.nominet.uk/uk/')
    expect(rdapServerOf('example.constructor')).toBeUndefined()
  })
})

const closing: (() => unknown)[] = []
afterEach(async () => {
  await Promise.all(closing.splice(0).map((close) => close()))
})
const open = async (target: Promise<Target>) => {
  const opened = await target
  closing.push(() => opened.close())
  return opened
}

const json = (status: number, body: object) => {
  const text = JSON.stringify(body)
  return `HTTP/1.1 ${status} X\r\nContent-Type: application/rdap+json\r\nContent-Length: ${text.length}\r\n\r\n${text}`
}

/** A WHOIS server that says the same to everyone, and what it was queried for. */
async function startWhois(says: (line: string) => string, queries: string[] = []) {
  const target = await open(
    startTarget((socket) => {
      socket.once('data', (bytes: Buffer) => {
        queries.push(bytes.toString())
        socket.end(says(bytes.toString()))
      })
    }),
  )
  return { port: target.port, queries }
}

type Domain = DefinitionOf<'domain'>

async function check(
  { rdapUrl, whois }: { rdapUrl?: string; whois?: { port: number } },
  change: Partial<Pick<Domain, 'assertions' | 'timeout'>> = {},
) {
  const port = whois?.port ?? (await freePort())
  const kind = createDomainKind({ rdapServerOf: () => rdapUrl, root: { host: '127.0.0.1', port }, whoisPort: port })
  const prober = createProber({ allowPrivateTargets: 'all' }, { kinds: [kind] })
  closing.push(() => prober.close())
  return prober.check(defineCheck('domain', 'domain://Example.test', {}, change))
}

const EXPIRY = [{ type: 'domain_expiry', operator: 'greater_than', value: 100 }] as Domain['assertions']
const whoisSays = (line: string) =>
  line === 'test\r\n'
    ? 'refer: 127.0.0.1\n'
    : `Domain Name: EXAMPLE.TEST\nRegistry Expiry Date: ${new Date(Date.now() + 30.5 * DAY_MS).toISOString()}\nRegistrar: Other\n`

describe('a check', () => {
  test('reads RDAP', async () => {
    let request = ''
    const { url } = await open(startAnswering((head) => ((request = head), json(200, rdap()))))
    const result = await check({ rdapUrl: `${url}/rdap/` })
    expect(result).toMatchObject({
      outcome: 'up',
      facts: { domain_expiry: 90, registrar: 'Example Registrar' },
      address: '127.0.0.1',
    })
    expect(request).toMatch(/^GET \/rdap\/domain\/example\.test HTTP\/1\.1\r\n[^]*Accept: application\/rdap\+json\r\n/)
  })

  test('degrades by the days that are left', async () => {
    const { url } = await open(startAnswering(json(200, rdap())))
    expect(await check({ rdapUrl: url }, { assertions: EXPIRY })).toMatchObject({
      outcome: 'degraded',
      error: { code: 'assertion' },
    })
  })

  test('is down once the registration has ended', async () => {
    const events = [{ eventAction: 'expiration', eventDate: '2020-01-01T00:00:00Z' }]
    const { url } = await open(startAnswering(json(200, rdap({ events }))))
    expect(await check({ rdapUrl: url })).toMatchObject({ outcome: 'down', facts: { expires_at: '2020-01-01T00:00:00.000Z' } })
  })

  test.each([
    ['is not known', undefined],
    ['fails', 'HTTP/1.1 500 X\r\nContent-Length: 0\r\n\r\n'],
    ['does not know the domain', json(404, {})],
    ['sends no date', json(200, rdap({ events: [] }))],
    ['sends something else', json(200, [])],
    ['closes the connection', ''],
  ])('reads WHOIS when RDAP %s', async (_, answer) => {
    const rdapUrl = answer === undefined ? undefined : (await open(startAnswering(answer))).url
    const whois = await startWhois(whoisSays)
    const result = await check({ ...(rdapUrl !== undefined && { rdapUrl }), whois })
    expect(result).toMatchObject({ outcome: 'up', facts: { domain_expiry: 30, registrar: 'Other' } })
    expect(whois.queries).toEqual(['test\r\n', 'example.test\r\n'])
  })

  test('reads WHOIS when RDAP hangs', async () => {
    const { url } = await open(startTarget(() => {}))
    const result = await check({ rdapUrl: url, whois: await startWhois(whoisSays) }, { timeout: 2 })
    expect(result).toMatchObject({ outcome: 'up', facts: { domain_expiry: 30 } })
  })

  test('of a registry that publishes no date is up, and not with an assertion on it', async () => {
    const { url } = await open(startAnswering(json(200, rdap({ events: [] }))))
    expect(await check({ rdapUrl: url })).toMatchObject({ outcome: 'up', facts: { registrar: 'Example Registrar' } })
    expect(await check({ rdapUrl: url }, { assertions: EXPIRY })).toMatchObject({ outcome: 'degraded' })
  })

  test('of a domain that nobody registered is down', async () => {
    const whois = await startWhois((line) => (line === 'test\r\n' ? 'refer: 127.0.0.1\n' : 'No match\n'))
    expect(await check({ whois })).toMatchObject({ outcome: 'down', error: { message: 'the domain is not registered' } })
    const { url } = await open(startAnswering(json(404, {})))
    expect(await check({ rdapUrl: url })).toMatchObject({ outcome: 'down', error: { message: 'the domain is not registered' } })
  })

  test.each([
    ['nothing', () => ''],
    ['no server', () => 'whois:\n'],
    ['nothing that is known', (line: string) => (line === 'test\r\n' ? 'refer: 127.0.0.1\n' : 'quota exceeded')],
    ['endless text', () => 'x'.repeat(200_000)],
  ])('of a WHOIS server that says %s is a protocol error', async (_, says) => {
    expect(await check({ whois: await startWhois(says) })).toMatchObject({ outcome: 'down', error: { code: 'protocol' } })
  })
})
