import { CHECK_TYPES, DNS_RECORD_TYPES, validateDefinition } from '@vedette/shared/tables'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { KIND_FORMS, kindFormOf } from '../kind-forms.ts'
import { addressFaults, type AddressParts, partsOf } from './address.ts'

const address = (type: string) => kindFormOf(type).address
const urlOf = (type: string, parts: AddressParts) => address(type).toUrl(parts)

/** What a kind needs in addition to its URL, so that nothing else is refused. */
const REST: Readonly<Record<string, object>> = {
  snmp: { credentials: { community: 'public' } },
  heartbeat: { options: { schedule: { period_seconds: 60, grace_seconds: 60 } } },
  postgres: { credentials: { username: 'probe' } },
  mysql: { credentials: { username: 'probe' } },
  ftp: { credentials: { username: 'probe' } },
  radius: { credentials: { shared_secret: 'secret' } },
  steps: { options: { steps: [{ name: 'one', url: '/' }] } },
}
const isAccepted = (type: string, url: string) => validateDefinition({ type, url, ...REST[type] }).length === 0

describe('the fields of an address', () => {
  it('exist for every kind of check', () => {
    expect(Object.keys(KIND_FORMS).toSorted()).toEqual(Object.keys(CHECK_TYPES).toSorted())
  })

  it.each(Object.entries(CHECK_TYPES).map(([type, { example }]) => [type, example]))(
    'show the example of %s: %s',
    (type, example) => {
      const parts = partsOf(address(type), example)
      expect(parts).toBeDefined()
      expect(urlOf(type, parts ?? {})).toBe(example)
      expect(addressFaults(address(type), example)).toEqual([])
    },
  )

  it.each<[type: string, parts: AddressParts, url: string]>([
    ['http', { url: ' shop.example.com ' }, 'https://shop.example.com'],
    ['http', { url: 'SHOP.example.com/Cart?id=1' }, 'https://SHOP.example.com/Cart?id=1'],
    ['http', { url: 'HTTPS://shop.example.com/' }, 'HTTPS://shop.example.com/'],
    ['http', { url: '//shop.example.com' }, 'https://shop.example.com'],
    ['http', { url: 'shop.example.com:8443/a' }, 'https://shop.example.com:8443/a'],
    ['http', { url: 'shop.example.com:8080' }, 'http://shop.example.com:8080'],
    ['http', { url: 'localhost:3000' }, 'http://localhost:3000'],
    ['http', { url: '127.0.0.1' }, 'http://127.0.0.1'],
    ['http', { url: '::1' }, 'http://[::1]'],
    ['http', { url: '[::1]:8080/x' }, 'http://[::1]:8080/x'],
    ['http', { url: 'münchen.example' }, 'https://münchen.example'],
    ['websocket', { url: 'shop.example.com/live' }, 'wss://shop.example.com/live'],
    ['tcp', { host: ' db.example.com ', port: ' 5432 ' }, 'tcp://db.example.com:5432'],
    ['tcp', { host: 'db.example.com:5432' }, 'tcp://db.example.com:5432'],
    ['tcp', { host: 'tcp://db.example.com:5432/' }, 'tcp://db.example.com:5432'],
    ['tcp', { host: 'https://DB.example.com/login', port: '443' }, 'tcp://DB.example.com:443'],
    ['tcp', { host: '::1', port: '22' }, 'tcp://[::1]:22'],
    ['tcp', { host: '[::1]', port: '22' }, 'tcp://[::1]:22'],
    ['tcp', { host: '[::1]:22' }, 'tcp://[::1]:22'],
    ['tcp', { host: 'ada@db.example.com', port: '22' }, 'tcp://db.example.com:22'],
    ['tcp', { host: 'bücher.example', port: '22' }, 'tcp://bücher.example:22'],
    ['tls', { host: 'shop.example.com/' }, 'tls://shop.example.com'],
    ['icmp', { host: ' http://router.example.com/ ' }, 'icmp://router.example.com'],
    ['domain', { domain: 'https://Example.com/' }, 'domain://Example.com'],
    ['dns', { record: 'https://www.example.com/', recordType: 'MX' }, 'dns:///www.example.com?type=MX'],
    ['dns', { record: 'www.example.com', recordType: 'A', resolver: '::1' }, 'dns://[::1]/www.example.com?type=A'],
    ['dns', { record: '2001:db8::1', recordType: 'PTR', resolver: '9.9.9.9:5353' }, 'dns://9.9.9.9:5353/2001:db8::1?type=PTR'],
    ['grpc', { host: 'api.example.com', service: '/shop.v1.Orders' }, 'grpcs://api.example.com/shop.v1.Orders'],
    ['grpc', { host: 'api', port: '50051', encryption: 'none' }, 'grpc://api:50051'],
    ['postgres', { host: 'db', database: 'my app' }, 'postgres://db/my%20app'],
    ['redis', { host: 'cache', databaseNumber: '0' }, 'redis://cache/0'],
    ['ftp', { host: 'files', folder: '/pub/my files' }, 'ftp://files/pub/my%20files'],
    ['mongodb', { host: 'db', database: 'my app' }, 'mongodb://db/my%20app'],
    ['mqtt', { host: 'broker', topic: 'a/+/#', encryption: 'none' }, 'mqtt://broker/a/+/%23'],
    ['mqtt', { host: 'broker', port: '8884', encryption: 'TLS' }, 'mqtts://broker:8884'],
    ['ntp', { host: 'time.example.com' }, 'ntp://time.example.com'],
    ['radius', { host: 'radius:1645' }, 'radius://radius:1645'],
    ['ssh', { host: 'ssh://ada@bastion.example.com:2222' }, 'ssh://bastion.example.com:2222'],
    ['smtp', { host: 'mail.example.com', port: '587' }, 'smtp://mail.example.com:587'],
    ['heartbeat', { slug: 'Nightly-Backup' }, 'heartbeat://nightly-backup'],
    ['heartbeat', {}, 'heartbeat://'],
  ])('take what a person types: %s %j is %s', (type, parts, url) => {
    expect(urlOf(type, parts)).toBe(url)
    expect(isAccepted(type, url)).toBe(true)
    expect(addressFaults(address(type), url)).toEqual([])
    // What is shown next is the same URL.
    expect(urlOf(type, partsOf(address(type), url) ?? {})).toBe(url)
  })

  it.each<[type: string, parts: AddressParts, faults: Record<string, string>]>([
    ['http', { url: 'ftp://shop.example.com' }, { url: 'webAddress' }],
    ['http', { url: 'my shop' }, { url: 'webAddress' }],
    ['http', { url: 'https://ada:secret@shop.example.com' }, { url: 'login' }],
    ['http', { url: 'https://shop.example.com:587' }, { url: 'mailPort' }],
    ['http', { url: 'http://[fe80::1%eth0]/' }, { url: 'zone' }],
    ['websocket', { url: 'https://shop.example.com' }, { url: 'webSocketAddress' }],
    ['tcp', { host: 'db.example.com' }, { port: 'required' }],
    ['tcp', { port: '22' }, { host: 'required' }],
    ['tcp', { host: 'my db', port: 'ssh' }, { host: 'host', port: 'port' }],
    ['tcp', { host: 'db', port: '65536' }, { port: 'port' }],
    ['tcp', { host: 'mail.example.com', port: '25' }, { port: 'mailPort' }],
    ['tcp', { host: 'fe80::1%eth0', port: '22' }, { host: 'zone' }],
    ['domain', { domain: 'localhost' }, { domain: 'domain' }],
    ['domain', { domain: '192.0.2.7' }, { domain: 'domain' }],
    ['dns', { record: 'a b', recordType: 'A' }, { record: 'record' }],
    ['dns', { record: 'a.example', recordType: 'A', resolver: 'x y' }, { resolver: 'resolver' }],
    ['mqtt', { host: 'broker', topic: 'a+b', encryption: 'none' }, { topic: 'topic' }],
    ['ftp', { host: 'files', folder: 'a\tb' }, { folder: 'folder' }],
    ['redis', { host: 'cache', databaseNumber: 'main' }, { databaseNumber: 'databaseNumber' }],
    ['heartbeat', { slug: 'start' }, { slug: 'slug' }],
  ])('say what is wrong at the field: %s %j has %j', (type, parts, faults) => {
    const url = urlOf(type, parts)
    expect(Object.fromEntries(addressFaults(address(type), url))).toEqual(faults)
    expect(isAccepted(type, url)).toBe(false)
  })

  const label = fc.stringMatching(/^[a-zA-Z0-9äöü_][a-zA-Z0-9_-]{0,8}[a-zA-Z0-9]$/)
  const host = fc.oneof(
    fc
      .array(label, { minLength: 1, maxLength: 3 })
      .map((labels) => labels.join('.'))
      // The API accepts `a.00`, which no check can resolve; the fields refuse it.
      .filter((name) => URL.canParse(`http://${name}`)),
    fc.ipV4(),
    fc.ipV6().map((text) => `[${text}]`),
  )
  const port = fc.oneof(
    fc.constant(''),
    fc.integer({ min: 0, max: 65_536 }).map((number) => `:${number}`),
  )
  const path = fc.oneof(
    fc.constantFrom('', '/', '/0', '/a/b', '?x=1', '#y', '/%2F', '/ä', '/a%20b', '/a b'),
    fc.webPath().map((text) => `/${text.replace(/^\//, '')}`),
  )
  const kind = fc.constantFrom(...Object.entries(CHECK_TYPES))
  const anyUrl = fc.oneof(
    fc
      .tuple(kind, host, port, path)
      .chain(([[type, { protocols }], name, number, last]) =>
        fc.constantFrom(...protocols).map((protocol): [string, string] => [type, `${protocol}//${name}${number}${last}`]),
      ),
    fc
      .tuple(
        fc.oneof(fc.constant(''), host),
        port,
        host,
        fc.constantFrom('', '?type=a', ...Object.keys(DNS_RECORD_TYPES).map((type) => `?type=${type}`)),
      )
      .map(([resolver, number, name, type]): [string, string] => [
        'dns',
        `dns://${resolver}${resolver === '' ? '' : number}/${name}${type}`,
      ]),
    fc.tuple(
      kind.map(([type]) => type),
      fc.webUrl({ withFragments: true, withQueryParameters: true }),
    ),
  )

  it('make the same URL again of every URL that they can show', () => {
    fc.assert(
      fc.property(anyUrl, ([type, url]) => {
        const parts = partsOf(address(type), url)
        expect(parts === undefined ? url : urlOf(type, parts)).toBe(url)
      }),
      { numRuns: 2_000 },
    )
  })

  it('show each URL that the API accepts, unless it ends in another form than the kind has', () => {
    const isShort = (type: string, url: string) =>
      address(type).isWhole === true ||
      !/\/$|[?#%]|\/\/.*\/\/|\/\.{1,2}(?:\/|$)|\s|[A-Z]{3}.*:\/\//.test(url.replace(/\?type=[A-Z]+$/, ''))
    let shown = 0
    fc.assert(
      fc.property(anyUrl, ([type, url]) => {
        if (!isAccepted(type, url) || !isShort(type, url)) return
        const isLowerType = /\?type=[a-z]/.test(url)
        expect([type, url, partsOf(address(type), url) !== undefined]).toEqual([type, url, !isLowerType])
        shown += 1
      }),
      { numRuns: 2_000 },
    )
    expect(shown).toBeGreaterThan(200)
  })

  it('find a fault in each URL that the API refuses for a part that they show', () => {
    fc.assert(
      fc.property(anyUrl, ([type, url]) => {
        if (partsOf(address(type), url) === undefined || addressFaults(address(type), url).length > 0) return
        const refused = validateDefinition({ type, url, ...REST[type] }).filter(({ path }) => path === 'url')
        expect([type, url, refused]).toEqual([type, url, []])
      }),
      { numRuns: 2_000 },
    )
  })

  it('refuse no URL that the API accepts', () => {
    fc.assert(
      fc.property(anyUrl, ([type, url]) => {
        if (!isAccepted(type, url)) return
        expect([type, url, addressFaults(address(type), url)]).toEqual([type, url, []])
      }),
      { numRuns: 2_000 },
    )
  })
})
