import { hash, type KeyObject, verify, X509Certificate } from 'node:crypto'
import { contextTag, DER, type DerElement, derElementAt, derElementsIn, oidOf } from '@vedette/shared/der'

/** What the authority of a certificate says of it. */
export type CertificateStatus = { status: 'good' } | { status: 'revoked'; atMs: number }

const BASIC_RESPONSE = '1.3.6.1.5.5.7.48.1.1'
const OCSP_SIGNING = '1.3.6.1.5.5.7.3.9'
/** Those of real responders have 2 KiB at most. */
const MAX_BYTES = 65_536
const CLOCK_TOLERANCE_MS = 300_000
/** A response without an end is as good as a day. */
const WITHOUT_END_MS = 86_400_000
const GENERALIZED_TIME = 0x18
/** Of a single response: [0] and [1], whose types are implicit. */
const [GOOD, REVOKED] = [0x80, 0xa1]
/** By RFC 5912; SHA-1 proves nothing any more. */
const SIGNATURES: Readonly<Record<string, string | null>> = {
  '1.2.840.113549.1.1.11': 'sha256',
  '1.2.840.113549.1.1.12': 'sha384',
  '1.2.840.113549.1.1.13': 'sha512',
  '1.2.840.10045.4.3.2': 'sha256',
  '1.2.840.10045.4.3.3': 'sha384',
  '1.2.840.10045.4.3.4': 'sha512',
  '1.3.101.112': null,
}
/** Of certificates' ids, where they only name. */
const DIGESTS: Readonly<Record<string, string>> = {
  '1.3.14.3.2.26': 'sha1',
  '2.16.840.1.101.3.4.2.1': 'sha256',
  '2.16.840.1.101.3.4.2.2': 'sha384',
  '2.16.840.1.101.3.4.2.3': 'sha512',
}

/**
 * What a stapled OCSP response (RFC 6960) says of a certificate. Undefined for everything that is not understood: another form, for another
 * certificate, not signed by the issuer or by a responder that the issuer appointed, not valid now, or an issuer that was not sent. Pure.
 */
export function readOcspResponse(response: Buffer, leaf: X509Certificate, nowMs: number): CertificateStatus | undefined {
  const issuer = leaf.issuerCertificate
  if (!issuer || issuer === leaf || response.length > MAX_BYTES) return undefined
  try {
    if (!leaf.verify(issuer.publicKey)) return undefined
    const basic = basicResponseIn(response)
    return basic && isSigned(basic, issuer, nowMs) ? statusIn(basic, leaf, issuer, nowMs) : undefined
  } catch {
    // A key or certificate that OpenSSL does not read.
    return undefined
  }
}

interface BasicResponse {
  bytes: Buffer
  data: DerElement
  algorithm: DerElement
  signature: DerElement
  certificates: DerElement | undefined
}

const inner = (bytes: Buffer, element: DerElement | undefined): DerElement | undefined =>
  element && derElementAt(bytes, element.from, element.to)

const childrenOf = (bytes: Buffer, element: DerElement | undefined): DerElement[] =>
  element?.tag === DER.sequence ? (derElementsIn(bytes, element) ?? []) : []

const slice = (bytes: Buffer, { from, to }: DerElement): Buffer => bytes.subarray(from, to)

function basicResponseIn(response: Buffer): BasicResponse | undefined {
  const [status, wrapper] = childrenOf(response, derElementAt(response, 0))
  if (status?.tag !== DER.enumerated || response[status.from] !== 0 || wrapper?.tag !== contextTag(0)) return undefined
  const [type, octets] = childrenOf(response, inner(response, wrapper))
  if (oidOf(response, type) !== BASIC_RESPONSE || octets?.tag !== DER.octetString) return undefined
  const bytes = slice(response, octets)
  const [data, algorithm, signature, certificates] = childrenOf(bytes, derElementAt(bytes, 0))
  if (!data || !algorithm || signature?.tag !== DER.bitString) return undefined
  return { bytes, data, algorithm, signature, certificates }
}

function isSigned(basic: BasicResponse, issuer: X509Certificate, nowMs: number): boolean {
  const { bytes, data, algorithm, signature } = basic
  const digest = SIGNATURES[oidOf(bytes, childrenOf(bytes, algorithm)[0]) ?? '']
  if (digest === undefined) return false
  const signed = bytes.subarray(data.at, data.to)
  // The first byte of a bit string counts unused bits.
  const isBy = (key: KeyObject) => verify(digest, signed, key, bytes.subarray(signature.from + 1, signature.to))
  if (isBy(issuer.publicKey)) return true
  const responder = respondersIn(basic).find((one) => isAppointed(one, issuer, nowMs))
  return responder !== undefined && isBy(responder.publicKey)
}

/** At most three: a hostile target shall not make us verify hundreds. */
const respondersIn = ({ bytes, certificates }: BasicResponse): X509Certificate[] =>
  certificates?.tag === contextTag(0)
    ? childrenOf(bytes, inner(bytes, certificates))
        .slice(0, 3)
        .map(({ at, to }) => new X509Certificate(bytes.subarray(at, to)))
    : []

const isAppointed = (responder: X509Certificate, issuer: X509Certificate, nowMs: number): boolean =>
  (responder.keyUsage ?? []).includes(OCSP_SIGNING) &&
  responder.validFromDate.getTime() <= nowMs &&
  nowMs <= responder.validToDate.getTime() &&
  responder.verify(issuer.publicKey)

function statusIn(
  { bytes, data }: BasicResponse,
  leaf: X509Certificate,
  issuer: X509Certificate,
  nowMs: number,
): CertificateStatus | undefined {
  const id = identityOf(leaf, issuer)
  // After the version, which may be left out, and the responder, whose tags are of the context, comes a time.
  const fields = childrenOf(bytes, data)
  const responses = fields[fields.findIndex(({ tag }) => tag === GENERALIZED_TIME) + 1]
  for (const single of childrenOf(bytes, responses)) {
    const [certificate, status, from, ...more] = childrenOf(bytes, single)
    if (!certificate || !status || !isFor(bytes, certificate, id)) continue
    const untilElement = more.find(({ tag }) => tag === contextTag(0))
    const fromMs = timeOf(bytes, from)
    const untilMs = untilElement ? timeOf(bytes, inner(bytes, untilElement)) : (fromMs ?? 0) + WITHOUT_END_MS
    if (fromMs === undefined || untilMs === undefined) return undefined
    if (nowMs < fromMs - CLOCK_TOLERANCE_MS || nowMs > untilMs + CLOCK_TOLERANCE_MS) return undefined
    if (status.tag === GOOD) return { status: 'good' }
    const atMs = status.tag === REVOKED ? timeOf(bytes, inner(bytes, status)) : undefined
    return atMs === undefined ? undefined : { status: 'revoked', atMs }
  }
  return undefined
}

/** What identifies a certificate for its authority. */
interface CertificateIdentity {
  serial: Buffer
  issuerName: Buffer
  issuerKey: Buffer
}

function identityOf(leaf: X509Certificate, issuer: X509Certificate): CertificateIdentity | undefined {
  const { raw } = leaf
  const fields = childrenOf(raw, childrenOf(raw, derElementAt(raw, 0))[0])
  const [serial, , name] = fields[0]?.tag === contextTag(0) ? fields.slice(1) : fields
  const key = issuer.publicKey.export({ type: 'spki', format: 'der' })
  const [, bits] = childrenOf(key, derElementAt(key, 0))
  if (serial?.tag !== DER.integer || !name || bits?.tag !== DER.bitString) return undefined
  return {
    serial: slice(raw, serial),
    issuerName: raw.subarray(name.at, name.to),
    issuerKey: key.subarray(bits.from + 1, bits.to),
  }
}

function isFor(bytes: Buffer, element: DerElement, id: CertificateIdentity | undefined): boolean {
  const [algorithm, name, key, serial] = childrenOf(bytes, element)
  const digest = DIGESTS[oidOf(bytes, childrenOf(bytes, algorithm)[0]) ?? '']
  if (digest === undefined || !id || !name || !key || serial?.tag !== DER.integer) return false
  const isHash = (part: DerElement, of: Buffer) => slice(bytes, part).equals(hash(digest, of, 'buffer'))
  return slice(bytes, serial).equals(id.serial) && isHash(name, id.issuerName) && isHash(key, id.issuerKey)
}

/** `20261201023000Z`, which is the only form that RFC 5280 allows. */
function timeOf(bytes: Buffer, element: DerElement | undefined): number | undefined {
  if (element?.tag !== GENERALIZED_TIME) return undefined
  const parts = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)Z$/.exec(slice(bytes, element).toString('latin1'))
  if (!parts) return undefined
  const [, year, month, day, hour, minute, second] = parts
  const ms = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`)
  return Number.isNaN(ms) ? undefined : ms
}
