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
 * Reads the certificate behind a URL of `certificateUrlOf`, from the cache where it was read in the last day. Throws validation_error for
 * what is none, or is not valid now.
 */
export function createCertificateReader({ fetch, clock }: { fetch: FetchCertificate; clock: Clock }) {
  const cached = new Map<string, { certificate: Promise<X509Certificate>; untilMs: number }>()
  const cache = (url: string, certificate: Promise<X509Certificate>, ms: number) => {
    cached.delete(url)
    // The oldest is evicted.
    for (const [first] of cached) if (cached.size >= MAX_CACHED) cached.delete(first)
    cached.set(url, { certificate, untilMs: clock.now() + ms })
  }
  const request = (url: string): Promise<X509Certificate> => {
    const known = cached.get(url)
    if (known && known.untilMs > clock.now()) return known.certificate
    const certificate = requestCertificate(fetch, url)
    cache(url, certificate, CACHED_MS)
    // A sender that repeats a bad URL may not make us repeat the request.
    certificate.catch(() => cache(url, certificate, FAULT_CACHED_MS))
    return certificate
  }
  return async (url: string): Promise<X509Certificate> => {
    const certificate = await request(url)
    assertValidAt(certificate, clock.now())
    return certificate
  }
}

async function requestCertificate(fetch: FetchCertificate, url: string): Promise<X509Certificate> {
  let response: Awaited<ReturnType<FetchCertificate>>
  try {
    response = await fetch(url)
  } catch (error) {
    throw refused(`could not be requested: ${error instanceof Error ? error.message : 'unknown error'}`)
  }
  if (response.status !== 200) throw refused(`answered with status ${response.status}`)
  if (Buffer.byteLength(response.text) > MAX_CERTIFICATE_BYTES) throw refused('has more than 16,384 bytes')
  try {
    return new X509Certificate(response.text)
  } catch {
    throw refused('is no certificate')
  }
}

function assertValidAt({ validFromDate, validToDate }: X509Certificate, nowMs: number): void {
  if (nowMs < validFromDate.getTime()) throw refused('is of a certificate that is not valid yet')
  if (nowMs > validToDate.getTime()) throw refused('is of a certificate that has expired')
}
