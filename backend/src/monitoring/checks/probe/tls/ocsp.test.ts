import { X509Certificate } from 'node:crypto'
import { rmSync } from 'node:fs'
import { connect, createServer } from 'node:tls'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { DAY_MS } from '@vedette/shared'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isMissing } from '../../../../../../scripts/test-tools.ts'
import { createOpensslCa } from '../test/openssl-ca.ts'
import { makeServerFolder } from '../test/servers.ts'
import { readOcspResponse } from './ocsp.ts'

const folder = makeServerFolder()
const ca = createOpensslCa(folder)
let leaf: X509Certificate
let other: X509Certificate
let good: Buffer
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** As a client sees it: with its issuer. */
async function asSeen(name: string): Promise<X509Certificate> {
  const cert = Buffer.concat([ca.read(`${name}.pem`), ca.read('issuer.pem')])
  const server = createServer({ cert, key: ca.read(`${name}.key`) }, (socket) => socket.end())
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const socket = connect({ port: (server.address() as AddressInfo).port, rejectUnauthorized: false })
  await once(socket, 'secureConnect')
  const certificate = socket.getPeerX509Certificate()
  socket.destroy()
  server.close()
  return certificate as X509Certificate
}

describe.skipIf(isMissing('openssl'))('a stapled OCSP response', () => {
  beforeAll(async () => {
    ca.issue('issuer', { isAuthority: true })
    for (const name of ['leaf', 'other']) ca.issue(name, { issuer: 'issuer', names: ['localhost'] })
    ca.issue('responder', { issuer: 'issuer', isResponder: true })
    ca.issue('nobody', { issuer: 'issuer' })
    ca.issue('foreign', { isAuthority: true, isResponder: true })
    ;[leaf, other] = [await asSeen('leaf'), await asSeen('other')]
    good = ca.respond('leaf', 'issuer')
    ca.revoke('leaf', 'issuer')
  })
  const read = (response: Buffer, of = leaf, nowMs = Date.now()) => readOcspResponse(response, of, nowMs)

  it('of the issuer says that a certificate is good', () => {
    expect(read(good)).toEqual({ status: 'good' })
  })

  it('says when a certificate was revoked', () => {
    const found = read(ca.respond('leaf', 'issuer'))
    expect(found).toEqual({ status: 'revoked', atMs: expect.any(Number) })
    expect(Math.abs((found as { atMs: number }).atMs - Date.now())).toBeLessThan(600_000)
  })

  it('is read of a responder that the issuer appointed, and of no other', () => {
    expect(read(ca.respond('leaf', 'issuer', 'responder'))).toMatchObject({ status: 'revoked' })
    expect(read(ca.respond('leaf', 'issuer', 'nobody'))).toBeUndefined()
    expect(read(ca.respond('leaf', 'issuer', 'foreign'))).toBeUndefined()
  })

  it('for another certificate, or of one whose issuer was not sent, says nothing', () => {
    expect(read(good, other)).toBeUndefined()
    expect(read(good, new X509Certificate(ca.read('leaf.pem')))).toBeUndefined()
    ca.issue('unknown', { issuer: 'foreign' })
    expect(read(ca.respond('unknown', 'issuer'))).toBeUndefined()
  })

  it('says nothing before and after the time for which it is', () => {
    expect(read(good, leaf, Date.now() - DAY_MS)).toBeUndefined()
    expect(read(good, leaf, Date.now() + 2 * DAY_MS)).toBeUndefined()
    const endless = ca.respond('leaf', 'issuer', 'issuer', [])
    expect(read(endless)).toMatchObject({ status: 'revoked' })
    expect(read(endless, leaf, Date.now() + 2 * DAY_MS)).toBeUndefined()
  })

  it('that is signed with SHA-1 says nothing', () => {
    expect(read(ca.respond('leaf', 'issuer', 'issuer', ['-ndays', '1', '-rmd', 'sha1']))).toBeUndefined()
  })

  it('that is cut at any byte says nothing, and one with a changed byte never says that it was revoked', () => {
    const revoked = ca.respond('leaf', 'issuer', 'responder')
    for (let length = 0; length < revoked.length; length++) expect(read(revoked.subarray(0, length))).toBeUndefined()
    fc.assert(
      fc.property(fc.nat(good.length - 1), fc.nat(255), (at, value) => {
        const changed = Buffer.from(good)
        changed[at] = value
        expect([undefined, 'good']).toContain(read(changed)?.status)
      }),
      { numRuns: 500 },
    )
  })
})
