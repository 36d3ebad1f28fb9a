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
    ['08/13/2027', '2027-08-13T00:00:00.000Z'],
    ['2027. 05. 19.', '2027-05-19T00:00:00.000Z'],
    ['2027-Aug-13.', '2027-08-13T00:00:00.000Z'],
    ['2027-08-13 04:00:00+02', '2027-08-13T02:00:00.000Z'],
    ['2027.08.13 04:00:00', '2027-08-13T04:00:00.000Z'],
    ['August 13, 2027', '2027-08-13T00:00:00.000Z'],
    ['Fri Aug 13 04:00:00 GMT 2027', '2027-08-13T00:00:00.000Z'],
    ['13th August 2027 at 12:00', '2027-08-13T00:00:00.000Z'],
    ['2037-05-23 (YYYY-MM-DD)', '2037-05-23T00:00:00.000Z'],
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
    ['Domain Name: example.tw\n   Record expires on 2027-08-13 (YYYY-MM-DD)\n', day, undefined],
    ['Domain Name                 : example.kr\nExpiration Date             : 2027. 08. 13.\n', day, undefined],
    ['** Domain Name: example.com.tr\nExpires on..............: 2027-Aug-13.\n', day, undefined],
    ['Domain expires:          13-Aug-2027\n', day, undefined],
    ['Expires: never\nExpires: 2027-08-13\n', day, undefined],
    ['domain_datebilleduntil: 2027-08-13T04:00:00+00:00\n', at, undefined],
    ['Domain name\texample.ch\n\nRegistrar\tExample SA\nRue 1\n\nDNSSEC\tno\n', undefined, 'Example SA'],
    [
      'a. [Domain Name]                EXAMPLE.CO.JP\ng. [Organization]               Example K.K.\np. [Name Server]                ns1.example.com\n',
      undefined,
      undefined,
    ],
    [
      'Domain Name:    EXAMPLE.TEL\nSponsoring Registrar:  EXAMPLE INC.\n\nto obtain information about whether a .tel domain name is available \n',
      undefined,
      'EXAMPLE INC.',
    ],
    ['Registrar: A\n\nexceeded its quota\nNot found: a field\n', undefined, 'A'],
  ])('of %j', (text, expiresAtMs, registrar) => {
    expect(parseWhois(text)).toEqual({ expiresAtMs, registrar })
  })
  test.each([
    'No match for "EXAMPLE.COM".\r\n',
    '%% NOT FOUND\n',
    'Domain: x.de\nStatus: free\n',
    'example.com is available',
    'Domain Name: example.cx\nDomain Status: No Object Found\n\nTERMS OF USE: You are not authorized to use our database.\n',
    '%ERROR:103: Domain is not registered\n',
    '% No entries found for the selected source(s).\n',
    'The domain has not been registered.\n',
    'domain example.se not found.\n',
    'No information available about domain name example.pl in the Registry NASK database.\n',
    'Object_Not_Found\n',
    'nothing found\n',
    'No Object Found\n',
    'ERROR:101: no entries found\n',
    'No Data Found\n\nQueries are limited: one that exceeds its limit is refused, and tries again later than another one that does not.\n',
  ])('of %j is an unregistered domain', (text) => {
    expect(parseWhois(text)).toBe('unregistered')
  })
  test.each([
    '%%\n%% Too many requests...\n%%\n\n%% No entries found in the AFNIC Database.\n',
    'TLD is not supported.\r\n>>> Last update of WHOIS database: 2026-08-06T00:00:00Z <<<\r\n',
    'WHOIS LIMIT EXCEEDED - SEE WWW.PIR.ORG/WHOIS FOR DETAILS\n',
    'Your connection limit exceeded. Please slow down and try again later.\n',
    'Access denied.\n',
    'ERROR:402: Query rate limit exceeded\n',
    'Domain Name: example.zz\n',
    'Domain names in the .com and .net domains can now be registered with many registrars.\n',
    '- '.repeat(30_000),
    'a-'.repeat(30_000),
    'a.'.repeat(30_000),
    `${'you '.repeat(70)}\n`.repeat(200),
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
  test.each([
    ['expiration', 'expiration'],
    ['Record expires', undefined],
    ['Expiration', undefined],
    ['registrar expiration', null],
    ['registration', null],
  ])('takes the event %j for the end of the registration', (eventAction, takes) => {
    const events = [
      { eventAction: 'registration', eventDate: '2025-07-03T12:43:41Z' },
      { eventAction, eventDate: '2037-07-03T12:43:41Z' },
    ]
    const answer = parseRdap(JSON.stringify(rdap({ events })), 'example.test')
    expect(answer?.expiresAtMs).toBe(takes === null ? undefined : Date.parse('2037-07-03T12:43:41Z'))
  })
  test.each([
    { objectClassName: 'Domain' },
    { ldhName: 'EXAMPLE.test.' },
    { ldhName: undefined },
    { events: [null, 5, ...rdap().events] },
  ])('of %j is understood', (change) => {
    expect(parseRdap(JSON.stringify(rdap(change)), 'example.test')?.expiresAtMs).toBeGreaterThan(0)
  })
  test('servers are known for most top-level domains', () => {
    expect(rdapServerOf('example.com')).toBe('https://rdap.verisign.com/com/v1/')
    expect(rdapServerOf('example.co.uk')).toBe('https://rdap.nominet.uk/uk/')
    expect(rdapServerOf('example.digital')).toBe('https://rdap.identitydigital.services/rdap/')
    expect(rdapServerOf('example.club')).toBe('https://rdap.nic.club/')
    expect(rdapServerOf('example.constructor')).toBeUndefined()
    expect(rdapServerOf('example.tld')).toBeUndefined()
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
  ])('of a WHOIS server that says %s is inconclusive', async (_, says) => {
    expect(await check({ whois: await startWhois(says) })).toMatchObject({ outcome: 'inconclusive', error: { code: 'internal' } })
  })

  test('of a registry that is away, or does not answer, is inconclusive', async () => {
    expect(await check({})).toMatchObject({ outcome: 'inconclusive' })
    const silent = await open(startTarget(() => {}))
    expect(await check({ whois: silent }, { timeout: 1 })).toMatchObject({ outcome: 'inconclusive' })
  })

  test('of a page of HTML in place of RDAP is inconclusive', async () => {
    const { url } = await open(startAnswering('HTTP/1.1 404 X\r\nContent-Length: 18\r\n\r\n<h1>Not Found</h1>'))
    expect(await check({ rdapUrl: url })).toMatchObject({ outcome: 'inconclusive' })
  })
})
