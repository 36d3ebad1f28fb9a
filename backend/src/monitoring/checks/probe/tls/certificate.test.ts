import { X509Certificate } from 'node:crypto'
import type { TLSSocket } from 'node:tls'
import { expect, it } from 'vitest'
import { makeCertificate } from '../test/certificates.ts'
import { createCertificateReader } from './certificate.ts'

/** SSL_SESSION with the peer's certificate and nothing else. */
function sessionOf(der: Buffer): Buffer {
  const element = (tag: number, content: Buffer) =>
    Buffer.concat([Buffer.from([tag, 0x82, content.length >> 8, content.length & 0xff]), content])
  return element(0x30, element(0xa3, der))
}

it('a certificate is parsed once for a host and address, and again after ten minutes', () => {
  let [nowMs, parsed] = [0, 0]
  const certificate = new X509Certificate(makeCertificate({ names: ['shop.example.com'] }).cert)
  const socketOf = (remotePort: number) =>
    ({
      remoteAddress: '192.0.2.1',
      remotePort,
      getSession: () => sessionOf(certificate.raw),
      getPeerX509Certificate: () => {
        parsed += 1
        return certificate
      },
    }) as unknown as TLSSocket
  const reader = createCertificateReader(() => nowMs)
  const parsedOf = (host: string, port: number) => {
    const before = parsed
    expect(reader.read(socketOf(port), host)?.facts.name_mismatch).toBe(host !== 'shop.example.com')
    return parsed - before
  }
  expect([parsedOf('shop.example.com', 443), parsedOf('shop.example.com', 443)]).toEqual([1, 0])
  expect([parsedOf('shop.example.com', 8443), parsedOf('other.example', 443)]).toEqual([1, 1])
  nowMs = 599_999
  expect(parsedOf('shop.example.com', 443)).toBe(0)
  nowMs = 600_000
  expect([parsedOf('shop.example.com', 443), parsedOf('shop.example.com', 443)]).toEqual([1, 0])
})
