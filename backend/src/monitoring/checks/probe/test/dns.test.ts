import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { CheckResult } from '@vedette/shared'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createProber, type Prober } from '../index.ts'
import { parseSearchDomains } from '../names/system-config.ts'
import { type DnsReply, type DnsServer, startDnsServer } from './dns-server.ts'
import { answerOf, define, startAnswering, type Target, unhindered } from './targets.ts'

/** Case F11 of the catalogue of faults for probes: failing name servers, and their effect on other checks. */
let folder: string
let dns: DnsServer
let target: Target
let prober: Prober
let reply: (name: string, family: 4 | 6) => DnsReply

const hosts = () => join(folder, 'hosts')
const check = (name: string, timeout = 5) => prober.check(define(`http://${name}:${target.port}/`, { timeout }))
const fault = ({ outcome, error }: CheckResult) => [outcome, error?.code, error?.message]

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'vedette-dns-'))
  writeFileSync(hosts(), '')
  target = await startAnswering(answerOf('ok'))
  dns = await startDnsServer((name, family) => reply(name, family))
  prober = createProber({ allowPrivateTargets: 'all', dnsServers: [dns.address], hostsFile: hosts() })
})
beforeEach(() => {
  reply = (_name, family) => ({ addresses: family === 4 ? ['127.0.0.1'] : [] })
  dns.queries.length = 0
})
afterAll(async () => {
  prober.close()
  await Promise.all([target.close(), dns.close()])
  rmSync(folder, { recursive: true })
})

test('each check queries a name once per address family', async () => {
  const result = await check('service.test')
  expect(result).toMatchObject({ outcome: 'up', address: '127.0.0.1' })
  expect(result.dns_ms).toBeGreaterThan(0)
  await check('service.test.')
  expect(dns.queries.toSorted()).toEqual(['service.test/4', 'service.test/4', 'service.test/6', 'service.test/6'])
})

describe('a failing name', () => {
  test.each([
    ['NXDOMAIN', 'there is no such name (NXDOMAIN)'],
    ['SERVFAIL', 'the name server failed (SERVFAIL)'],
    ['REFUSED', 'the name server refused to answer (REFUSED)'],
    [{ addresses: [] }, 'the name has no address'],
  ] as const)('%j is a check that is down by dns, each of twenty times [CHECK-05]', async (answer, message) => {
    reply = () => answer
    const results = await Promise.all(Array.from({ length: 20 }, (_, index) => check(`n${index}.test`)))
    for (const result of results) {
      expect(fault(result)).toEqual(['down', 'dns', message])
      expect(result).toMatchObject({ response_ms: null, address: null, connect_ms: null })
    }
  })

  test('without any response is down with a dns error at the timeout and delays no other check', async () => {
    reply = (name, family) => (name.startsWith('silent') ? 'SILENCE' : { addresses: family === 4 ? ['127.0.0.1'] : [] })
    const order: string[] = []
    const silent = Array.from({ length: 20 }, async (_, index) => {
      const result = await unhindered(() => check(`silent${index}.test`, 2))
      order.push('silent')
      return result
    })
    const healthy = Array.from({ length: 20 }, async (_, index) => {
      const result = await check(`healthy${index}.test`)
      order.push('healthy')
      return result
    })
    for (const result of await Promise.all(healthy)) expect(result.outcome).toBe('up')
    for (const result of await Promise.all(silent))
      expect(fault(result)).toEqual(['down', 'dns', 'no answer within 2 s: still waiting for a name server'])
    expect(order.slice(0, 20)).toEqual(Array.from({ length: 20 }, () => 'healthy'))
  })

  test('is up again with the next check', async () => {
    reply = () => 'SERVFAIL'
    expect((await check('flaky.test')).outcome).toBe('down')
    reply = (_name, family) => ({ addresses: family === 4 ? ['127.0.0.1'] : [] })
    expect((await check('flaky.test')).outcome).toBe('up')
  })
})

test('a changed address is used by the next check: nothing is cached', async () => {
  for (let times = 0; times < 20; times++) {
    const address = times % 2 === 0 ? '127.0.0.1' : '::1'
    reply = (_name, family) => ({ addresses: (family === 6) === address.includes(':') ? [address] : [] })
    const result = await check('turning.test')
    // Nothing listens on the other one.
    expect(fault(result).slice(0, 2)).toEqual(address === '::1' ? ['down', 'connect'] : ['up', undefined])
  }
})

test('one address family is enough when the other fails or does not respond', async () => {
  for (const other of ['SILENCE', 'SERVFAIL', 'NXDOMAIN'] as const) {
    reply = (_name, family) => (family === 4 ? { addresses: ['127.0.0.1'] } : other)
    expect((await check('half.test')).outcome).toBe('up')
  }
})

test('with an address of each family the one that responds is used', async () => {
  reply = (_name, family) => ({ addresses: family === 4 ? ['127.0.0.1'] : ['::1'] })
  expect(await check('both.test')).toMatchObject({ outcome: 'up', address: '127.0.0.1' })
})

// Other systems have one address on their loopback.
test.runIf(process.platform === 'linux')('the next address is tried when one refuses', async () => {
  const [refusing, listening] = ['127.0.0.3', '127.0.0.1']
  reply = (_name, family) => ({ addresses: family === 4 ? [refusing, listening] : [] })
  expect(await check('second.test')).toMatchObject({ outcome: 'up', address: listening })
})

describe('the hosts file', () => {
  test('is used before DNS and is read again when it changes', async () => {
    reply = () => 'NXDOMAIN'
    expect((await check('pinned.test')).error?.code).toBe('dns')
    writeFileSync(hosts(), '127.0.0.1\tPinned.test alias.test # a note\n')
    expect(await check('pinned.test')).toMatchObject({ outcome: 'up', address: '127.0.0.1' })
    expect((await check('ALIAS.test.')).outcome).toBe('up')
    writeFileSync(hosts(), '# nothing\n')
    expect((await check('pinned.test')).error?.code).toBe('dns')
    rmSync(hosts())
    expect((await check('pinned.test')).error?.code).toBe('dns')
    writeFileSync(hosts(), '127.0.0.1 pinned.test\n')
    expect((await check('pinned.test')).outcome).toBe('up')
    writeFileSync(hosts(), '')
  })

  test('is not needed for localhost, which causes no query', async () => {
    reply = () => 'NXDOMAIN'
    expect((await check('localhost')).outcome).toBe('up')
    expect((await check('app.localhost')).outcome).toBe('up')
    expect(dns.queries).toEqual([])
  })
})

describe('search domains', () => {
  const known = (...names: string[]) => {
    reply = (name, family) => (names.includes(name) ? { addresses: family === 4 ? ['127.0.0.1'] : [] } : 'NXDOMAIN')
  }
  let searching: Prober
  const search = (name: string) => searching.check(define(`http://${name}:${target.port}/`))
  const queries = () => dns.queries.filter((question) => question.endsWith('/4')).map((question) => question.slice(0, -2))

  beforeAll(() => {
    const searchDomains = ['one.test', 'two.test.']
    searching = createProber({ allowPrivateTargets: 'all', dnsServers: [dns.address], hostsFile: hosts(), searchDomains })
  })
  afterAll(() => searching.close())

  test('are appended to a name without a dot, in their order', async () => {
    known('db.two.test')
    expect((await search('db')).outcome).toBe('up')
    expect(queries()).toEqual(['db.one.test', 'db.two.test'])
  })

  test('are tried after a name with a dot', async () => {
    known('db.shop')
    expect((await search('db.shop')).outcome).toBe('up')
    known('db.shop.one.test')
    expect((await search('db.shop')).outcome).toBe('up')
    expect(queries()).toEqual(['db.shop', 'db.shop', 'db.shop.one.test'])
  })

  test('are not tried after a complete name or a failed query', async () => {
    known()
    expect((await search('db.')).error?.code).toBe('dns')
    reply = () => 'SERVFAIL'
    expect((await search('db.shop')).error?.code).toBe('dns')
    expect(queries()).toEqual(['db', 'db.shop'])
  })

  const MANY = Array.from({ length: 32 }, (_, index) => `d${index}.test`)

  test.each([
    ['search a.test b.test\noptions ndots:5\n', ['a.test', 'b.test']],
    ['domain a.test\nnameserver 10.0.0.1\nsearch b.test', ['b.test']],
    ['search . $(x) ok.test', ['ok.test']],
    ['# search a.test\nnameserver 10.0.0.1', []],
    [`search ${MANY.join(' ')}`, MANY],
  ])('are read from %j', (text, domains) => {
    expect(parseSearchDomains(text)).toEqual(domains)
  })
})

test('a missing name server causes a dns error', async () => {
  const gone = await startDnsServer(() => 'SILENCE')
  await gone.close()
  const alone = createProber({ allowPrivateTargets: 'all', dnsServers: [gone.address], hostsFile: hosts() })
  expect(fault(await alone.check(define('http://x.test/')))).toEqual(['down', 'dns', 'no name server could be reached'])
  alone.close()
})
