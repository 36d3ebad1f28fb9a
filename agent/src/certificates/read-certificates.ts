import { X509Certificate } from 'node:crypto'
import type { HostCertificate } from '@vedette/shared'
import { MAX_CERTIFICATE_ENTRY_LENGTH, MAX_HOST_CERTIFICATES } from '@vedette/shared/certificate-limits'
import { MAX_CHAIN_CERTIFICATES } from '@vedette/shared/checks/limits'
import { toChainCertificate, toLeafFacts } from '@vedette/shared/checks/x509'
import { truncateText } from '@vedette/shared/outside-text'
import { JKS_MAGIC, type NamedCertificate, readJks } from './jks.ts'
import { isPkcs12, readPkcs12 } from './pkcs12.ts'
import { Unreadable } from './unreadable.ts'

const PEM = /-----BEGIN (?:X509 |TRUSTED )?CERTIFICATE-----\s([A-Za-z0-9+/=\s]*?)-----END/g
const BEGIN = /-----BEGIN (?:X509 |TRUSTED )?CERTIFICATE-----/g
const JCEKS_MAGIC = 0xcececece
const SEQUENCE = 0x30

/** One certificate of a file with what follows it there; `entry` only where a file has several. */
export type FileCertificate = Omit<HostCertificate, 'path'>

/**
 * The certificates of a file in PEM, DER, PKCS#12 or JKS, each with its chain as far as the file has it. Keys are not read. None of a
 * file of keys. Throws Unreadable.
 */
export async function readCertificates(bytes: Buffer, password: string | undefined): Promise<FileCertificate[]> {
  const certificates = (await readNamed(bytes, password)).flatMap(toParsed)
  return withEntries(toChains(certificates))
}

async function readNamed(bytes: Buffer, password: string | undefined): Promise<NamedCertificate[]> {
  const magic = bytes.length < 4 ? 0 : bytes.readUInt32BE()
  if (magic === JKS_MAGIC) return readJks(bytes, MAX_HOST_CERTIFICATES)
  if (magic === JCEKS_MAGIC) throw new Unreadable('key stores in the format JCEKS are not supported')
  if (bytes[0] === SEQUENCE)
    return isPkcs12(bytes) ? readPkcs12(bytes, password, MAX_HOST_CERTIFICATES) : [{ name: undefined, der: bytes }]
  return readPem(bytes.toString('latin1'))
}

function readPem(text: string): NamedCertificate[] {
  const found = [...text.matchAll(PEM)].slice(0, MAX_HOST_CERTIFICATES)
  const begun = [...text.matchAll(BEGIN)].length
  if (begun > found.length && begun <= MAX_HOST_CERTIFICATES) throw new Unreadable('it ends in a certificate')
  if (begun === 0 && !text.includes('-----BEGIN ')) throw new Unreadable('it is not PEM, DER, PKCS#12 or JKS')
  return found.map(([, base64 = '']) => ({ name: undefined, der: Buffer.from(base64, 'base64') }))
}

interface Parsed {
  name: string | undefined
  certificate: X509Certificate
}

function toParsed({ name, der }: NamedCertificate): Parsed[] {
  try {
    return [{ name, certificate: new X509Certificate(der) }]
  } catch {
    throw new Unreadable('a certificate in it is damaged')
  }
}

interface Chain extends Parsed {
  chain: X509Certificate[]
}

/** Each certificate that is no issuer of another one in the file, with its issuers as far as they are there. */
function toChains(parsed: readonly Parsed[]): Chain[] {
  const distinct = [...new Map(parsed.map((one) => [one.certificate.fingerprint256, one])).values()]
  const bySubject = Map.groupBy(distinct, ({ certificate }) => certificate.subject)
  const issuerOf = (certificate: X509Certificate) =>
    (bySubject.get(certificate.issuer) ?? []).find(
      ({ certificate: other }) => other !== certificate && certificate.checkIssued(other),
    )?.certificate
  const issuers = new Map(distinct.map(({ certificate }) => [certificate, issuerOf(certificate)]))
  const chained = new Set<X509Certificate>()
  const toChain = (one: Parsed): Chain => {
    const chain = [one.certificate]
    for (let next = issuers.get(one.certificate); next && !chain.includes(next); next = issuers.get(next)) {
      if (chain.length >= MAX_CHAIN_CERTIFICATES) break
      chain.push(next)
    }
    for (const certificate of chain) chained.add(certificate)
    return { ...one, chain }
  }
  const isIssuer = new Set(issuers.values())
  const chains = distinct.filter(({ certificate }) => !isIssuer.has(certificate)).map(toChain)
  // Two that issued each other are nobody's leaf.
  for (const one of distinct) if (!chained.has(one.certificate)) chains.push(toChain(one))
  return chains
}

/** Names of several in one file stay the same where others come and go. */
function withEntries(chains: readonly Chain[]): FileCertificate[] {
  const used = new Map<string, number>()
  return chains.slice(0, MAX_HOST_CERTIFICATES).flatMap(({ name, certificate, chain }) => {
    const read = chain.flatMap((one) => toChainCertificate(one) ?? [])
    const [leaf] = read
    if (!leaf || leaf.sha256 !== toChainCertificate(certificate)?.sha256) return []
    const wanted = truncateText((name || leaf.subject).replaceAll('\0', ''), MAX_CERTIFICATE_ENTRY_LENGTH - 8)
    const count = (used.get(wanted) ?? 0) + 1
    used.set(wanted, count)
    const facts = { ...toLeafFacts(certificate), sha256: leaf.sha256, chain: read }
    return [{ ...(chains.length > 1 && { entry: count === 1 ? wanted : `${wanted} #${count}` }), certificate: facts }]
  })
}
