import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createServer, type Server, type TlsOptions } from 'node:tls'
import { DAY_MS, type CheckResult } from '@vedette/shared'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { soonestEnd, weaknessOf } from '../../../certificates/index.ts'
import { createProber, type Prober } from '../index.ts'
import { makeCertificate, type TestCertificate } from './certificates.ts'
import { answerOf, define } from './targets.ts'

const now = Date.now()
const root = makeCertificate({ name: 'Test root', isAuthority: true })
const intermediate = makeCertificate({ name: 'Test intermediate', isAuthority: true, issuer: root })
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

/** Twelve others are in nginx-certificates.test.ts. */
describe('an odd certificate is named:', () => {
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
})
