import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createServer, type Server, type TlsOptions } from 'node:tls'
import { DAY_MS, type CheckResult } from '@vedette/shared'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isMissing } from '../../../../../../scripts/test-tools.ts'
import { soonestEnd, weaknessOf } from '../../../certificates/index.ts'
import { createProber, type Prober } from '../index.ts'
import { makeCertificate, type TestCertificate } from './certificates.ts'
import { answerOf, define } from './targets.ts'

const now = Date.now()
const ago = (days: number) => new Date(now - days * DAY_MS)
const root = makeCertificate({ name: 'Test root', isAuthority: true })
const intermediate = makeCertificate({ name: 'Test intermediate', isAuthority: true, issuer: root })
const expiredIntermediate = makeCertificate({
  name: 'Old intermediate',
  isAuthority: true,
  issuer: root,
  notBefore: ago(400),
  notAfter: ago(1),
})
const otherRoot = makeCertificate({ name: 'Other root', isAuthority: true })
const leafOf = (issuer: TestCertificate, own: Parameters<typeof makeCertificate>[0] = {}) =>
  makeCertificate({ name: 'localhost', names: ['localhost'], issuer, ...own })

let prober: Prober
const servers: Server[] = []
beforeAll(() => {
  prober = createProber({ allowPrivateTargets: 'all', extraAuthorities: [root.cert] })
})
afterAll(() => {
  for (const server of servers) server.close()
  prober.close()
})

/** What is known of a real TLS server that sends this leaf and these certificates after it. */
async function see(
  leaf: { cert: string; key: string },
  chain: readonly { cert: string }[],
  options: TlsOptions = {},
  host = 'localhost',
) {
  const cert = [leaf, ...chain].map((one) => one.cert).join('')
  const server = createServer({ key: leaf.key, cert, ...options }, (socket) => {
    socket.on('error', () => {})
    socket.once('data', () => socket.end(answerOf('hello')))
  })
  server.on('tlsClientError', () => {})
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  servers.push(server)
  const { port } = server.address() as AddressInfo
  return known(await prober.check(define(`https://${host}:${port}`)))
}

function known({ outcome, error, certificate }: CheckResult) {
  const chain = certificate?.chain ?? []
  const days = (soonestEnd(Date.parse(certificate?.expires_at ?? ''), chain) - now) / DAY_MS
  return {
    outcome,
    message: error?.message ?? null,
    chain: chain.map(({ subject }) => subject),
    weak: weaknessOf(chain),
    mismatch: certificate?.name_mismatch,
    days: Math.round(days),
  }
}

const FINE = { outcome: 'up', message: null, weak: null, mismatch: false, days: 30 }

test('a target with a good certificate and its intermediate is up, and both are reported in their order', async () => {
  expect(await see(leafOf(intermediate), [intermediate])).toEqual({ ...FINE, chain: ['localhost', 'Test intermediate'] })
})

describe('a wrong certificate is named:', () => {
  test('one that has expired', async () => {
    const seen = await see(leafOf(intermediate, { notBefore: ago(90), notAfter: ago(2) }), [intermediate])
    expect(seen).toMatchObject({ outcome: 'down', message: expect.stringContaining('has expired'), days: -2 })
  })

  test('one that is not valid yet', async () => {
    const seen = await see(leafOf(intermediate, { notBefore: ago(-1) }), [intermediate])
    expect(seen).toMatchObject({ outcome: 'down', message: 'the certificate is not valid yet' })
  })

  test('one whose intermediate has expired, by the days of the chain', async () => {
    const seen = await see(leafOf(expiredIntermediate), [expiredIntermediate])
    expect(seen).toMatchObject({ outcome: 'down', message: expect.stringContaining('of the chain has expired'), days: -1 })
  })

  test('one whose intermediate is missing', async () => {
    const seen = await see(leafOf(intermediate), [])
    expect(seen).toMatchObject({ outcome: 'down', message: expect.stringContaining('not known'), chain: ['localhost'] })
  })

  test('one that is self-signed', async () => {
    const seen = await see(makeCertificate({ names: ['localhost'] }), [])
    expect(seen).toMatchObject({ outcome: 'down', message: 'the certificate is self-signed' })
  })

  test('one of an authority that nobody trusts', async () => {
    const seen = await see(leafOf(otherRoot), [otherRoot])
    expect(seen).toMatchObject({ outcome: 'down', message: expect.stringContaining('not trusted') })
  })

  test('one for another name', async () => {
    const seen = await see(leafOf(intermediate, { names: ['other.example'] }), [intermediate])
    expect(seen).toMatchObject({ outcome: 'down', mismatch: true, message: expect.stringContaining('but for other.example') })
  })

  test('one for a name where the target is an address', async () => {
    const seen = await see(leafOf(intermediate), [intermediate], {}, '127.0.0.1')
    expect(seen).toMatchObject({ outcome: 'down', mismatch: true, message: expect.stringContaining('not for this address') })
  })

  test('one with a common name alone', async () => {
    const seen = await see(leafOf(intermediate, { name: 'shop.example', names: [] }), [intermediate])
    expect(seen).toMatchObject({ outcome: 'down', mismatch: true, message: expect.stringContaining('but for shop.example') })
  })

  test('one whose chain is in another order is accepted, and reported in that order', async () => {
    const second = makeCertificate({ name: 'Second intermediate', isAuthority: true, issuer: intermediate })
    const seen = await see(leafOf(second), [intermediate, second])
    expect(seen).toEqual({ ...FINE, chain: ['localhost', 'Test intermediate', 'Second intermediate'] })
  })

  test('one with more than ten certificates, of which ten are reported', async () => {
    const more = Array.from({ length: 15 }, (_, index) => makeCertificate({ name: `More ${index}`, isAuthority: true }))
    const seen = await see(leafOf(intermediate), [intermediate, ...more])
    expect(seen.chain).toHaveLength(10)
    expect(seen.outcome).toBe('up')
  })

  describe.skipIf(isMissing('openssl'))('made by OpenSSL,', () => {
    const folder = mkdtempSync(join(tmpdir(), 'vedette-certificates-'))
    afterAll(() => rmSync(folder, { recursive: true }))
    const weakly = { ciphers: 'DEFAULT@SECLEVEL=0' }

    function selfSigned(name: string, key: string, hash: string) {
      const [keyFile, certificateFile] = [join(folder, `${name}.key`), join(folder, `${name}.pem`)]
      const options = ['-x509', '-newkey', key, '-nodes', '-days', '30', '-subj', `/CN=${name}`, `-${hash}`]
      const names = ['-addext', 'subjectAltName=DNS:localhost']
      execFileSync('openssl', ['req', ...options, ...names, '-keyout', keyFile, '-out', certificateFile], { stdio: 'pipe' })
      return { key: readFileSync(keyFile, 'utf8'), cert: readFileSync(certificateFile, 'utf8') }
    }

    test('one with an RSA key of 1024 bits', async () => {
      expect(await see(selfSigned('short', 'rsa:1024', 'sha256'), [], weakly)).toMatchObject({
        outcome: 'down',
        weak: 'RSA key of 1024 bits',
      })
    })

    test('one that is signed with SHA-1', async () => {
      expect(await see(selfSigned('old', 'rsa:2048', 'sha1'), [], weakly)).toMatchObject({ weak: 'signature with SHA-1' })
    })

    test('one with a weak intermediate', async () => {
      const seen = await see(leafOf(intermediate), [intermediate, selfSigned('weak CA', 'rsa:1024', 'sha256')], weakly)
      expect(seen).toMatchObject({ outcome: 'up', weak: 'RSA key of 1024 bits of the intermediate weak CA' })
    })
  })
})
