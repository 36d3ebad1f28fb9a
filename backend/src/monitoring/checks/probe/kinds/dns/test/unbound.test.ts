import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { DefinitionOf } from '@vedette/shared'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { findTool, freePort, isMissing } from '../../../../../../../../scripts/test-tools.ts'
import { createProber, type Prober } from '../../../index.ts'
import { makeCertificate } from '../../../test/certificates.ts'
import { defineCheck } from '../../../test/define-check.ts'

const LONG = Array.from({ length: 20 }, (_, n) => `long IN TXT "${String(n).padEnd(120, 'x')}"`).join('\n')
const ZONE = `$TTL 3600
@ IN SOA ns admin 2026112401 3600 600 86400 300
@ IN NS ns
@ IN MX 10 mail
@ IN MX 20 backup
@ IN TXT "v=spf1 -all"
@ IN CAA 0 issue "letsencrypt.org"
ns IN A 192.0.2.53
www 60 IN A 192.0.2.1
www 60 IN A 192.0.2.2
www IN AAAA 2001:db8::1
alias IN CNAME www
_sip._tcp IN SRV 1 2 5060 www
${LONG}
`

/** A validating resolver of Debian with a signed zone. */
describe.skipIf(isMissing('unbound', 'dnssec-keygen', 'dnssec-signzone'))('unbound', () => {
  const folder = mkdtempSync(join(tmpdir(), 'vedette-unbound-'))
  const authority = makeCertificate({ name: 'Test authority', isAuthority: true })
  const certificate = makeCertificate({ names: ['localhost', '127.0.0.1'], issuer: authority })
  let unbound: ChildProcess
  let prober: Prober
  let port = 0
  let tlsPort = 0

  beforeAll(async () => {
    port = await freePort()
    tlsPort = await freePort()
    const at = (name: string) => join(folder, name)
    writeFileSync(at('zone'), ZONE)
    writeFileSync(at('tls.pem'), certificate.cert)
    writeFileSync(at('tls.key'), certificate.key)
    const run = (program: string, ...args: string[]) =>
      execFileSync(findTool(program) ?? program, args, { cwd: folder, stdio: 'pipe' })
    run('dnssec-keygen', '-q', '-a', 'ECDSAP256SHA256', '-f', 'KSK', 'example.test')
    run('dnssec-keygen', '-q', '-a', 'ECDSAP256SHA256', 'example.test')
    run('dnssec-signzone', '-S', '-o', 'example.test', '-f', 'signed', 'zone')
    const key = readdirSync(folder).find((name) => name.endsWith('.key') && readFileSync(at(name), 'utf8').includes(' 257 '))
    writeFileSync(
      at('unbound.conf'),
      `server:
  interface: 127.0.0.1@${port}
  interface: 127.0.0.1@${tlsPort}
  tls-port: ${tlsPort}
  tls-service-pem: "${at('tls.pem')}"
  tls-service-key: "${at('tls.key')}"
  chroot: ""
  username: ""
  directory: "${folder}"
  pidfile: ""
  use-syslog: no
  verbosity: 0
  local-zone: "test." nodefault
  do-not-query-localhost: no
  trust-anchor-file: "${at(key ?? '')}"
  module-config: "validator iterator"
auth-zone:
  name: "example.test"
  zonefile: "${at('signed')}"
  for-downstream: no
  for-upstream: yes
`,
    )
    unbound = spawn(findTool('unbound') ?? 'unbound', ['-d', '-c', at('unbound.conf')], { stdio: 'ignore' })
    prober = createProber({ allowPrivateTargets: 'all', extraAuthorities: [authority.cert] })
    await vi.waitUntil(async () => (await check('www.example.test')).outcome === 'up', { timeout: 30_000 })
  })
  afterAll(() => {
    prober?.close()
    unbound?.kill()
    rmSync(folder, { recursive: true, force: true })
  })

  type Dns = DefinitionOf<'dns'>
  const check = (question: string, options: Partial<Dns['options']> = {}, host = `127.0.0.1:${port}`) =>
    prober.check(defineCheck('dns', `dns://${host}/${question}`, options))

  test.each([
    ['www.example.test', '192.0.2.1, 192.0.2.2', 60],
    ['www.example.test?type=AAAA', '2001:db8::1', 3_600],
    ['alias.example.test', '192.0.2.1, 192.0.2.2', 60],
    ['example.test?type=MX', '10 mail.example.test, 20 backup.example.test', 3_600],
    ['example.test?type=TXT', 'v=spf1 -all', 3_600],
    ['example.test?type=NS', 'ns.example.test', 3_600],
    ['example.test?type=CAA', '0 issue "letsencrypt.org"', 3_600],
    ['_sip._tcp.example.test?type=SRV', '1 2 5060 www.example.test', 3_600],
  ])('answers %s', async (question, values, ttl) => {
    const { outcome, facts } = await check(question)
    expect([outcome, facts?.['rcode'], facts?.['values'], facts?.['authenticated']]).toEqual(['up', 'NOERROR', values, 'true'])
    expect(facts?.['ttl']).toBeLessThanOrEqual(ttl)
  })

  test('reports the serial of a zone', async () => {
    expect((await check('example.test?type=SOA')).facts).toMatchObject({ soa_serial: 2_026_112_401 })
  })

  test('reports a name that does not exist', async () => {
    expect(await check('missing.example.test')).toMatchObject({ outcome: 'down', facts: { rcode: 'NXDOMAIN' } })
  })

  test('answers at length over TCP', async () => {
    const { outcome, facts, connect_ms } = await check('long.example.test?type=TXT')
    expect([outcome, facts?.['answer_count'], connect_ms === null]).toEqual(['up', 20, false])
  })

  test('answers over TLS with a certificate that is verified', async () => {
    const tls = { transport: 'tls' } as const
    const result = await check('www.example.test', tls, `localhost:${tlsPort}`)
    expect(result).toMatchObject({ outcome: 'up', certificate: { subject_names: ['localhost', '127.0.0.1'] } })
    expect(result.tls_ms).not.toBeNull()
    const other = createProber({ allowPrivateTargets: 'all' })
    const refused = await other.check(defineCheck('dns', `dns://localhost:${tlsPort}/www.example.test`, tls))
    const unverified = await other.check(
      defineCheck('dns', `dns://localhost:${tlsPort}/www.example.test`, { ...tls, verify_tls: false }),
    )
    other.close()
    expect([refused.error?.code, unverified.outcome]).toEqual(['tls', 'up'])
  })
})
