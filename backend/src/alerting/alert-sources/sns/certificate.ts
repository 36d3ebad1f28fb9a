import { X509Certificate } from 'node:crypto'
import { invalid } from '../../../platform/errors.ts'
import type { Clock } from '../../../platform/time/clock.ts'

export const MAX_CERTIFICATE_BYTES = 16_384
/** SNS signs with one certificate a region, replaced about once a year. */
const MAX_CACHED = 64
/** For that long a certificate is not requested again, and one that could not be read neither. */
const CACHED_MS = 24 * 3_600_000
const FAULT_CACHED_MS = 60_000

/** The request that is sent for a certificate: addresses guarded, without redirects, at most `MAX_CERTIFICATE_BYTES` + 1 read. */
export type FetchCertificate = (url: string) => Promise<{ status: number; text: string }>

const refused = (message: string) => invalid({ path: 'SigningCertURL', message })

/**
 * The URL of a certificate as it may be requested. `hosts`: VEDETTE_SNS_CERTIFICATE_HOSTS. Throws validation_error for any other. Pure.
 */
export function certificateUrlOf(sent: unknown, hosts: string): string {
  const url = typeof sent === 'string' && sent.length <= 1_000 ? URL.parse(sent) : null
  if (url?.protocol !== 'https:') throw refused('must be an https:// URL of up to 1,000 characters')
  if (url.username !== '' || url.password !== '' || url.port !== '') throw refused('must have neither a login nor a port')
  if (url.search !== '' || url.hash !== '' || !url.pathname.endsWith('.pem')) throw refused('must end with .pem')
  if (!isCertificateHost(url.hostname, hosts)) throw refused('must be of a host in VEDETTE_SNS_CERTIFICATE_HOSTS')
  return url.href
}

/** `*` stands for one label of a name, never for a dot. */
export function isCertificateHost(host: string, hosts: string): boolean {
  const labels = host.split('.')
  return hosts.split(',').some((pattern) => {
    const expected = pattern.split('.')
    return expected.length === labels.length && expected.every((label, index) => label === '*' || label === labels[index])
  })
}

/**
 * Whether a certificate is of a service of the host that it was requested from. That of SNS has one name for most regions, as
 * `sns.amazonaws.com`, and others for some, as `sns-signing.af-south-1.amazonaws.com`: the first label begins as that of the host, and the
 * last ones are those behind its region. Pure.
 */
export function isNamedFor(names: readonly string[], host: string): boolean {
  const [service = '', ...rest] = host.split('.')
  const domain = rest.slice(rest.length > 2 ? 1 : 0).join('.')
  return names.some((name) => {
    const [first = ''] = name.split('.')
    return (first === service || first.startsWith(`${service}-`)) && name.endsWith(`.${domain}`)
  })
}

/**
 * Reads the certificate behind a URL of `certificateUrlOf`, from the cache where it was read in the last day. It is SNS's own because the
 * connection to its host is verified; the names, times and signatures that it and its issuers have must say the same. Throws
 * validation_error for what is none, is of another service, or is not valid now.
 */
export function createCertificateReader({ fetch, clock }: { fetch: FetchCertificate; clock: Clock }) {
  const cached = new Map<string, { chain: Promise<Chain>; untilMs: number }>()
  const cache = (url: string, chain: Promise<Chain>, ms: number) => {
    cached.delete(url)
    // The oldest is evicted.
    for (const [first] of cached) if (cached.size >= MAX_CACHED) cached.delete(first)
    cached.set(url, { chain, untilMs: clock.now() + ms })
  }
  const request = (url: string): Promise<Chain> => {
    const known = cached.get(url)
    if (known && known.untilMs > clock.now()) return known.chain
    const chain = requestChain(fetch, url)
    cache(url, chain, CACHED_MS)
    // A sender that repeats a bad URL may not make us repeat the request.
    chain.catch(() => cache(url, chain, FAULT_CACHED_MS))
    return chain
  }
  return async (url: string): Promise<X509Certificate> => {
    const chain = await request(url)
    for (const certificate of chain) assertValidAt(certificate, clock.now())
    return chain[0]
  }
}

/** The certificate that signs, and those of its issuers that came with it. */
type Chain = [X509Certificate, ...X509Certificate[]]

async function requestChain(fetch: FetchCertificate, url: string): Promise<Chain> {
  let response: Awaited<ReturnType<FetchCertificate>>
  try {
    response = await fetch(url)
  } catch (error) {
    throw refused(`could not be requested: ${error instanceof Error ? error.message : 'unknown error'}`)
  }
  if (response.status !== 200) throw refused(`answered with status ${response.status}`)
  if (Buffer.byteLength(response.text) > MAX_CERTIFICATE_BYTES) throw refused('has more than 16,384 bytes')
  const chain = readChain(response.text)
  if (!isNamedFor(namesOf(chain[0]), new URL(url).hostname)) throw refused('is of a certificate of another service')
  for (const [index, issuer] of chain.slice(1).entries()) {
    const issued = chain[index] as X509Certificate
    if (!issued.checkIssued(issuer) || !issued.verify(issuer.publicKey)) throw refused('is of a certificate of another issuer')
  }
  return chain
}

const PEM = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g

function readChain(text: string): Chain {
  try {
    const [first = '', ...issuers] = text.match(PEM) ?? []
    return [new X509Certificate(first), ...issuers.map((one) => new X509Certificate(one))]
  } catch {
    throw refused('is no certificate')
  }
}

/** Of hosts, and of the subject: small letters. */
function namesOf({ subject, subjectAltName = '' }: X509Certificate): string[] {
  const commonName = /^CN=(.*)$/m.exec(subject)?.[1] ?? ''
  const others = [...subjectAltName.matchAll(/(?:^|, )DNS:([^,"]+)/g)].map(([, name]) => name as string)
  return [commonName, ...others].map((name) => name.toLowerCase())
}

function assertValidAt({ validFromDate, validToDate }: X509Certificate, nowMs: number): void {
  if (nowMs < validFromDate.getTime()) throw refused('is of a certificate that is not valid yet')
  if (nowMs > validToDate.getTime()) throw refused('is of a certificate that has expired')
}
