import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { createServer as createTlsServer } from 'node:tls'
import type { Server as NetServer } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Server as GrpcServer, ServerCredentials } from '@grpc/grpc-js'
import type { CheckTypeId } from '@vedette/shared'
import { HealthImplementation } from 'grpc-health-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { WebSocketServer } from 'ws'
import { createProber } from '../../src/monitoring/checks/probe/index.ts'
import { createDomainKind } from '../../src/monitoring/checks/probe/kinds/domain/index.ts'
import { CHECK_KINDS } from '../../src/monitoring/checks/probe/kinds/index.ts'
import { startVsftpd } from '../../src/monitoring/checks/probe/kinds/ftp/test/vsftpd.ts'
import { startMongo } from '../../src/monitoring/checks/probe/kinds/mongodb/test/mongo-double.ts'
import { startMosquitto } from '../../src/monitoring/checks/probe/kinds/mqtt/test/mosquitto.ts'
import { startCachingServer } from '../../src/monitoring/checks/probe/kinds/mysql/test/caching-server.ts'
import { startNtpd } from '../../src/monitoring/checks/probe/kinds/ntp/test/ntpd.ts'
import { SECRET, startFreeradius } from '../../src/monitoring/checks/probe/kinds/radius/test/freeradius.ts'
import { startSshd } from '../../src/monitoring/checks/probe/kinds/ssh/test/sshd.ts'
import { makeCertificate } from '../../src/monitoring/checks/probe/test/certificates.ts'
import { type DnsReply, startDnsServer } from '../../src/monitoring/checks/probe/test/dns-server.ts'
import { startDovecot, startPostfix } from '../../src/monitoring/checks/probe/test/mail-servers.ts'
import { makeServerFolder, startServer } from '../../src/monitoring/checks/probe/test/servers.ts'
import { startTarget } from '../../src/monitoring/checks/probe/test/targets.ts'
import { systemClock } from '../../src/platform/time/clock.ts'
import { silentLog } from '../../src/platform/logging/log.ts'
import { startProbe } from '../../src/monitoring/probes/index.ts'
import { freePort, isMissing, VEDETTE } from '../../../scripts/test-tools.ts'
import type { Loose } from '../answer.ts'
import { startPrivateCluster } from './private-cluster.ts'
import { ADMIN, call, makeWorkbench, type RunningVedette, signIn, until } from './workbench.ts'

/**
 * Two regions resolve the names of all targets by a resolver of their own each. The one of the region `blind` leads nowhere, and its
 * control target is a closed port.
 */
const bench = makeWorkbench()
const folder = bench.makeFolder()
const dataDir = join(folder, 'data')
const authority = makeCertificate({ name: 'authority', isAuthority: true })
const certificate = makeCertificate({ names: ['tls.test', 'localhost'], issuer: authority })
const closing: (() => unknown)[] = []

interface Target {
  url: string
  options?: object
  credentials?: Record<string, string>
}

async function listen(server: NetServer): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  closing.push(() => server.close())
  return (server.address() as { port: number }).port
}
const closeLater = <Closed extends { close(): unknown }>(server: Closed): Closed => {
  closing.push(() => server.close())
  return server
}
const stopLater = <Stopped extends { stop(): unknown }>(server: Stopped): Stopped => {
  closing.unshift(() => server.stop())
  return server
}
const serveHttp = () => listen(createServer((_request, response) => void response.end('here')))

/** A port of UDP that answers each datagram. */
async function datagrams(answer: (request: Buffer) => Buffer): Promise<number> {
  const socket = createSocket('udp4')
  socket.on('message', (request, from) => socket.send(answer(request), from.port, from.address))
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  closing.push(() => void socket.close())
  return socket.address().port
}

/** Dovecot takes the logins of Postfix. */
let dovecot: ReturnType<typeof startDovecot> | undefined
const mailboxes = async () => stopLater(await (dovecot ??= startDovecot(certificate)))

/**
 * Starts the other side of each kind that has one, but `upstream`, which says nothing of a page that it cannot reach; undefined, with a
 * message, where this machine cannot.
 */
const TARGETS = {
  http: async () => ({ url: `http://http.test:${await serveHttp()}/` }),
  steps: async () => ({
    url: `http://steps.test:${await serveHttp()}/`,
    options: {
      steps: [
        { name: 'one', url: '/one' },
        { name: 'two', url: '/two' },
      ],
    },
  }),
  tcp: async () => ({ url: `tcp://tcp.test:${closeLater(await startTarget(() => {})).port}` }),
  tls: async () => ({
    url: `tls://tls.test:${await listen(createTlsServer(certificate, (socket) => void socket.on('error', () => {})))}`,
  }),
  icmp: async () => (isMissing('ping') ? undefined : { url: 'icmp://icmp.test', options: { packets: 1 } }),
  dns: async () => {
    const { address } = closeLater(await startDnsServer(() => ({ addresses: ['192.0.2.1'] })))
    return { url: `dns://${address.replace('127.0.0.1', 'dns.test')}/www.example.org?type=A` }
  },
  domain: async () => ({ url: 'domain://example.test' }),
  udp: async () => ({ url: `udp://udp.test:${await datagrams((request) => request)}` }),
  snmp: async () => {
    if (isMissing('snmpd')) return undefined
    const port = await freePort()
    const folder = makeServerFolder()
    const address = `agentaddress udp:127.0.0.1:${port},tcp:127.0.0.1:${port}`
    const settings = makeServerFolder(
      { 'snmpd.conf': `[snmp] persistentDir ${folder}\n${address}\nrocommunity of-tests` },
      undefined,
      folder,
    )
    stopLater(await startServer(['snmpd', '-f', '-Lo', '-C', '-c', `${settings}/snmpd.conf`], { folder, port }))
    return { url: `snmp://snmp.test:${port}`, credentials: { community: 'of-tests' } }
  },
  sip: async () => ({
    url: `sip://sip.test:${await datagrams((request) => {
      const repeated = request.toString().match(/^(?:Via|From|To|Call-ID|CSeq): .*\r\n/gm) ?? []
      return Buffer.from(`SIP/2.0 200 OK\r\n${repeated.join('')}Content-Length: 0\r\n\r\n`)
    })}`,
  }),
  rtsp: async () => {
    const answer = 'RTSP/1.0 200 OK\r\nCSeq: 1\r\n\r\n'
    const target = await startTarget((socket) => void socket.on('data', () => void socket.write(answer)))
    return { url: `rtsp://rtsp.test:${closeLater(target).port}/` }
  },
  ldap: async () => {
    const answer = Buffer.from('300c02010261070a010004000400', 'hex')
    const target = await startTarget((socket) => void socket.once('data', () => void socket.write(answer)))
    return { url: `ldap://ldap.test:${closeLater(target).port}` }
  },
  websocket: async () => {
    const server = closeLater(new WebSocketServer({ host: '127.0.0.1', port: 0 }))
    await once(server, 'listening')
    return { url: `ws://websocket.test:${(server.address() as { port: number }).port}/` }
  },
  grpc: async () => {
    const server = new GrpcServer()
    closing.push(() => server.forceShutdown())
    new HealthImplementation({ '': 'SERVING' }).addToServer(server)
    return {
      url: `grpc://grpc.test:${await promisify(server.bindAsync.bind(server))('127.0.0.1:0', ServerCredentials.createInsecure())}`,
    }
  },
  ftp: async () => {
    if (isMissing('vsftpd', 'root')) return undefined
    return { url: `ftp://ftp.test:${stopLater(await startVsftpd(certificate)).port}` }
  },
  mongodb: async () => ({ url: `mongodb://mongodb.test:${closeLater(await startMongo()).port}` }),
  mqtt: async () => {
    if (isMissing('mosquitto')) return undefined
    return { url: `mqtt://mqtt.test:${stopLater(await startMosquitto(certificate)).open}` }
  },
  ntp: async () => (isMissing('ntpd', 'root') ? undefined : (stopLater(await startNtpd()), { url: 'ntp://ntp.test' })),
  radius: async () => {
    if (isMissing('freeradius')) return undefined
    const { port } = stopLater(await startFreeradius())
    return { url: `radius://radius.test:${port}`, credentials: { shared_secret: SECRET } }
  },
  ssh: async () => {
    if (isMissing('sshd', 'ssh-keygen')) return undefined
    return { url: `ssh://ssh.test:${stopLater(await startSshd()).port}` }
  },
  redis: async () => {
    if (isMissing('redis-server')) return undefined
    const port = await freePort()
    const command = ['redis-server', '--port', String(port), '--bind', '127.0.0.1', '--save', '', '--protected-mode', 'no']
    stopLater(await startServer(command, { folder: makeServerFolder(), port }))
    return { url: `redis://redis.test:${port}` }
  },
  postgres: async () => {
    if (isMissing('initdb', 'postgres')) return undefined
    const { username, password, port } = new URL((await startPrivateCluster(bench)).url)
    return {
      url: `postgres://postgres.test:${port}/postgres`,
      credentials: { username, password: decodeURIComponent(password) },
    }
  },
  mysql: async () => {
    const password = 'of-mysql'
    const { port } = closeLater(await startCachingServer({ password, isCached: true, certificate }))
    return { url: `mysql://mysql.test:${port}`, credentials: { username: 'monitor', password } }
  },
  imap: async () => (isMissing('dovecot', 'root') ? undefined : { url: `imap://imap.test:${(await mailboxes()).imap}` }),
  smtp: async () => {
    if (isMissing('postfix', 'dovecot', 'root')) return undefined
    const postfix = stopLater(await startPostfix(certificate, (await mailboxes()).auth))
    return { url: `smtp://smtp.test:${postfix.smtp}` }
  },
} satisfies Record<Exclude<CheckTypeId, 'heartbeat' | 'composite' | 'upstream'>, () => Promise<Target | undefined>>

let vedette: RunningVedette
let as: { authorization: string }
const CUT: DnsReply = { addresses: ['127.0.0.9'] }
/** Pings of the whole 127.0.0.0/8 are answered, so no address is cut off from them. */
const cutBy = (reply: DnsReply) => (name: string) => (name === 'icmp.test' ? 'SERVFAIL' : reply)
/** What the resolver of each region answers. */
const resolverOf: Record<'good' | 'blind', (name: string) => DnsReply> = {
  good: () => ({ addresses: ['127.0.0.1'] }),
  blind: cutBy(CUT),
}

async function startRegion(region: 'good' | 'blind', controlTarget: number, whois: number): Promise<void> {
  const added = await bench.run([process.execPath, VEDETTE, 'region', 'add', region, '--name', region], {
    VEDETTE_DATA_DIR: dataDir,
  }).ended
  if (added.code !== 0) throw new Error(added.output)
  const dns = closeLater(await startDnsServer((name, family) => (family === 4 ? resolverOf[region](name) : 'NXDOMAIN')))
  const domain = createDomainKind({ rdapServerOf: () => undefined, root: { host: 'root.test', port: whois }, whoisPort: whois })
  const prober = createProber(
    { allowPrivateTargets: 'all', dnsServers: [dns.address], extraAuthorities: [authority.cert] },
    { kinds: [...CHECK_KINDS.filter(({ type }) => type !== 'domain'), domain] },
  )
  const probe = await startProbe({
    region,
    url: vedette.url,
    tokenFile: 'in memory',
    readToken: () => added.output.trim(),
    folder: join(folder, region),
    controlTargets: [`127.0.0.1:${controlTarget}`],
    prober: { check: (definition) => prober.check(definition), inFlight: 0, close: async () => prober.close() },
    clock: systemClock,
    log: silentLog,
    announce: () => {},
  })
  stopLater(probe)
}

/** Details of the monitors, by kind. */
const monitors = new Map<string, string>()
const read = (path: string): Promise<Loose> => call(vedette.url, 'GET', path, as).then(({ body }) => body)

beforeAll(async () => {
  vedette = await bench.start({
    dataDir,
    environment: { ...ADMIN, VEDETTE_RATE_LIMITS: 'off', VEDETTE_LOCAL_AGENT: 'off', VEDETTE_ALLOW_PRIVATE_TARGETS: 'all' },
  })
  as = await signIn(vedette.url)
  const answer = (line: string) =>
    line.startsWith('example.') ? 'Domain Name: EXAMPLE.TEST\r\nRegistry Expiry Date: 2099-01-01\r\n' : 'refer: registry.test\r\n'
  const whois = closeLater(
    await startTarget((socket) => void socket.on('data', (line: Buffer) => void socket.end(answer(line.toString())))),
  )
  await startRegion('good', await serveHttp(), whois.port)
  await startRegion('blind', await freePort(), whois.port)
  for (const [type, start] of Object.entries(TARGETS)) {
    const target = await start()
    if (!target) continue
    const monitor = { name: type, type, regions: ['good', 'blind'], interval: 10, timeout: 5, confirmations: 1, ...target }
    const { status, body } = await call(vedette.url, 'POST', '/v1/monitors', as, monitor)
    if (status !== 201) throw new Error(`${type}: ${JSON.stringify(body)}`)
    monitors.set(type, body.id)
  }
})
afterAll(async () => {
  for (const close of closing) await close()
  await bench.cleanUp()
})

type Check = { checked_at: string; region: string; outcome: string; error: { code: string; message: string } | null }

/** Waits until each region has checked each monitor since, and returns the regions with outcome and message, by kind. */
async function checkedSince(sinceMs: number): Promise<Record<string, Record<string, string>>> {
  const seen = [...monitors].map(async ([type, id]) => {
    const newest = await until(
      async () => {
        const checks: Check[] = (await read(`/v1/monitors/${id}`)).recent_checks
        const since = checks.filter(({ checked_at: at }) => Date.parse(at) > sinceMs)
        const found = ['good', 'blind'].flatMap((region) => since.find((check) => check.region === region) ?? [])
        return found.length === 2 && found
      },
      60_000,
      500,
    )
    return [
      type,
      Object.fromEntries(
        newest.map(({ region, outcome, error }) => [region, [outcome, error?.message].filter(Boolean).join(': ')]),
      ),
    ]
  })
  return Object.fromEntries(await Promise.all(seen))
}

const expectEach = (seen: unknown, regions: unknown) =>
  expect(seen).toEqual(Object.fromEntries([...monitors.keys()].map((type) => [type, regions])))
const statuses = async () =>
  Object.fromEntries((await read('/v1/monitors?limit=100')).monitors.map(({ name, status }: Loose) => [name, status]))
const incidents = async (): Promise<Loose[]> => (await read('/v1/incidents?limit=100')).incidents

const BLIND = expect.stringMatching(/^inconclusive: the probe could not reach its control targets either; observed: /)

test.each([
  ['finds no open port', CUT],
  ['resolves no name', 'SERVFAIL'],
] satisfies [string, DnsReply][])(
  'a region that %s, nor its control target, says nothing against a monitor of any kind',
  async (_, reply) => {
    resolverOf.blind = cutBy(reply)
    expectEach(await checkedSince(Date.now()), { good: 'up', blind: BLIND })
    expectEach(await statuses(), 'up')
    expect(await incidents()).toEqual([])
  },
)

test('a monitor of any kind is down by the region that sees, alone', async () => {
  resolverOf.good = cutBy(CUT)
  expectEach(await checkedSince(Date.now()), { good: expect.stringMatching(/^down: /), blind: BLIND })
  await until(async () => (await incidents()).length === monitors.size, 60_000)
  expectEach(await statuses(), 'down')
})
