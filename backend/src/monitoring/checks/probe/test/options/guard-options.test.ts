import { checkKindSpec, networkOptionsOf } from '@vedette/shared'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { defineCheck } from '../define-check.ts'
import { type GuardScene, guardCases, startGuardScene } from '../guard-scene.ts'
import { FORBIDDEN_IPV4, LEADING_INSIDE, LITERALS, NAMES, OPEN, OPEN_HOST } from '../guard-table.ts'
import { startTarget, type Target } from '../targets.ts'

/** The table of the address guard for each network option of each kind of check: nothing may arrive at an address that is not open. */
let scene: GuardScene
/** Answers every request to connect as a proxy that has done it, and keeps what it was to connect to. */
let proxy: Target
let requested: string[] = []
beforeAll(async () => {
  scene = await startGuardScene()
  proxy = await startTarget((socket) => {
    socket.on('data', (bytes: Buffer) => {
      const line = bytes.toString('latin1').split('\r\n')[0] ?? ''
      if (!line.startsWith('CONNECT')) return
      requested.push(line)
      socket.end('HTTP/1.1 200 OK\r\n\r\n')
    })
  }, OPEN)
})
beforeEach(() => {
  scene.arrived.forbidden = []
  requested = []
})
afterAll(async () => {
  await proxy.close()
  await scene.close()
})

const CASES = guardCases(() => scene.port)
/** A host in the form in which an option takes it; some spellings are none. */
const SPELLINGS = [...LITERALS, ...NAMES, ...Object.keys(LEADING_INSIDE)]

interface Leading {
  option: string
  /** The options that lead to a host. */
  to(host: string): Record<string, unknown>
  hosts: readonly string[]
  /** The host of the URL. */
  url?: string
}

const LEADING: readonly Leading[] = [
  { option: 'connect_to', to: (host) => ({ connect_to: host }), hosts: SPELLINGS },
  { option: 'proxy_url', to: (host) => ({ proxy_url: `http://${host}:${scene.port}` }), hosts: SPELLINGS },
  { option: 'proxy_url', to: (host) => ({ proxy_url: `socks5://${host}:${scene.port}` }), hosts: SPELLINGS },
  { option: 'source_address', to: (host) => ({ source_address: host }), hosts: FORBIDDEN_IPV4 },
  {
    option: 'dns_servers',
    to: (host) => ({ dns_servers: [`${host}:${scene.port}`] }),
    hosts: FORBIDDEN_IPV4,
    url: 'good.test',
  },
]

describe.each(CASES)('a check of type $type $options', ({ type, url, options = {} }) => {
  const kind = checkKindSpec(type)
  const isOverUdp =
    ['ntp', 'radius', 'snmp', 'udp', 'icmp'].includes(type) ||
    options['transport'] === 'udp' ||
    (type === 'sip' && options['transport'] !== 'tcp' && options['user'] === undefined)
  const has = (option: string) =>
    kind !== undefined && networkOptionsOf(kind).some((name) => name === option) && !(option === 'proxy_url' && isOverUdp)
  const check = (host: string, more: Record<string, unknown>) =>
    scene.prober.check(defineCheck(type, url(host), { ...options, ...more }, { timeout: 1 }))
  const notRefused = async (host: string, all: readonly Record<string, unknown>[]) => {
    const results = await Promise.all(all.map(async (more) => ({ more, result: await check(host, more) })))
    return results.filter(
      ({ result }) => result.outcome === 'up' || (result.outcome === 'down' && result.error?.code !== 'blocked'),
    )
  }

  const leading = LEADING.filter(({ option }) => has(option))
  test.each(leading)('is not led inside by $option', async ({ to, hosts, url: host = OPEN_HOST }) => {
    expect(await notRefused(host, hosts.map(to))).toEqual([])
    expect(scene.arrived.forbidden).toEqual([])
  })

  test.each(has('dns_servers') ? [LEADING_INSIDE] : [])(
    'is not led inside by the answers of its name servers',
    async (inside) => {
      const names = Object.keys(inside)
      const found = await Promise.all(names.map((name) => notRefused(name, [{ dns_servers: [scene.dns] }])))
      expect(found.flat()).toEqual([])
      expect(scene.arrived.forbidden).toEqual([])
    },
  )

  test.each(has('proxy_url') ? [OPEN_HOST] : [])(
    'has no proxy at %s connect inside, also to a name that the proxy resolves',
    async (host) => {
      const through = { proxy_url: `http://${host}:${proxy.port}` }
      const hosts = [...SPELLINGS, ...FORBIDDEN_IPV4]
      const found = await Promise.all(
        hosts.flatMap((host) => [notRefused(host, [through]), notRefused(host, [{ ...through, proxy_resolves: true }])]),
      )
      expect(found.flat()).toEqual([])
      expect(requested).toEqual([])
      expect(await notRefused(OPEN_HOST, [{ ...through, proxy_resolves: true }])).toEqual([])
      await check(OPEN_HOST, through)
      expect(requested).toContain(`CONNECT ${OPEN_HOST}:${scene.port} HTTP/1.1`)
    },
  )
})
