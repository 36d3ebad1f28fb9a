import { contextTag, DER, type DerElement, derElementAt, derElementsIn, derIntegerOf, oidOf } from '@vedette/shared/der'
import { decrypt } from './pkcs12-decrypt.ts'
import type { NamedCertificate } from './jks.ts'
import { Unreadable } from './unreadable.ts'

const DATA = '1.2.840.113549.1.7.1'
const ENCRYPTED_DATA = '1.2.840.113549.1.7.6'
const CERTIFICATE_BAG = '1.2.840.113549.1.12.10.1.3'
const X509 = '1.2.840.113549.1.9.22.1'
const FRIENDLY_NAME = '1.2.840.113549.1.9.20'
const BMP_STRING = 0x1e
/** An octet string in the place of an explicit type. */
const IMPLICIT_OCTETS = 0x80
/** Of PFX (RFC 7292). */
const VERSION = 3
const MAX_SAFES = 100

const damaged = () => new Unreadable('it is damaged')

/** Whether these bytes begin as PKCS#12 does. */
export function isPkcs12(bytes: Buffer): boolean {
  const whole = derElementAt(bytes, 0)
  return whole?.tag === DER.sequence && derIntegerOf(bytes, derElementAt(bytes, whole.from, whole.to)) === VERSION
}

/**
 * The certificates, of which an unprotected file needs no password; keys are not looked at. `password` is undefined where none is given.
 * Throws Unreadable.
 */
export async function readPkcs12(bytes: Buffer, password: string | undefined, most: number): Promise<NamedCertificate[]> {
  const whole = derElementAt(bytes, 0)
  const [, authSafe] = childrenOf(bytes, whole)
  const safes = octetsOf(bytes, contentOf(bytes, authSafe, DATA))
  const certificates: NamedCertificate[] = []
  for (const safe of childrenOf(safes, derElementAt(safes, 0), MAX_SAFES)) {
    const [type] = childrenOf(safes, safe)
    const oid = oidOf(safes, type)
    if (oid !== DATA && oid !== ENCRYPTED_DATA) continue
    const contents =
      oid === DATA ? octetsOf(safes, contentOf(safes, safe, DATA)) : await decryptSafe(safes, safe, password, isSafe)
    certificates.push(...certificatesOf(contents, most - certificates.length))
    if (certificates.length >= most) break
  }
  return certificates
}

/** Which is so of one in many of other bytes, such as a wrong password gives. */
const isSafe = (bytes: Buffer): boolean => {
  const whole = derElementAt(bytes, 0)
  return whole?.tag === DER.sequence && derElementsIn(bytes, whole) !== undefined
}

async function decryptSafe(
  bytes: Buffer,
  safe: DerElement,
  password: string | undefined,
  isPlain: (bytes: Buffer) => boolean,
): Promise<Buffer> {
  const [, content] = childrenOf(bytes, contentOf(bytes, safe, ENCRYPTED_DATA))
  const [, algorithm, encrypted] = childrenOf(bytes, content)
  if (!algorithm || !encrypted) throw damaged()
  const data = encrypted.tag === IMPLICIT_OCTETS ? bytes.subarray(encrypted.from, encrypted.to) : joined(bytes, encrypted)
  return decrypt({ bytes, algorithm, data }, password, isPlain)
}

function certificatesOf(safe: Buffer, most: number): NamedCertificate[] {
  const certificates: NamedCertificate[] = []
  for (const bag of childrenOf(safe, derElementAt(safe, 0))) {
    if (certificates.length >= most) break
    const [type, value, attributes] = childrenOf(safe, bag)
    if (oidOf(safe, type) !== CERTIFICATE_BAG) continue
    const [kind, wrapped] = childrenOf(safe, derElementAt(safe, value?.from ?? 0, value?.to))
    if (oidOf(safe, kind) !== X509 || !wrapped) continue
    const der = octetsOf(safe, derElementAt(safe, wrapped.from, wrapped.to))
    certificates.push({ name: friendlyNameOf(safe, attributes), der })
  }
  return certificates
}

function friendlyNameOf(bytes: Buffer, attributes: DerElement | undefined): string | undefined {
  for (const attribute of attributes?.tag === DER.set ? (derElementsIn(bytes, attributes) ?? []) : []) {
    const [type, values] = derElementsIn(bytes, attribute) ?? []
    if (oidOf(bytes, type) !== FRIENDLY_NAME || !values) continue
    const text = derElementAt(bytes, values.from, values.to)
    if (text?.tag !== BMP_STRING || (text.to - text.from) % 2 !== 0) return undefined
    return Buffer.from(bytes.subarray(text.from, text.to)).swap16().toString('utf16le')
  }
  return undefined
}

/** What a ContentInfo of this type wraps. */
function contentOf(bytes: Buffer, info: DerElement | undefined, wanted: string): DerElement | undefined {
  const [type, wrapper] = childrenOf(bytes, info)
  if (oidOf(bytes, type) !== wanted) throw new Unreadable('its form is not supported: it is not protected by a password')
  if (wrapper?.tag !== contextTag(0)) throw damaged()
  return derElementAt(bytes, wrapper.from, wrapper.to)
}

function childrenOf(bytes: Buffer, element: DerElement | undefined, most?: number): DerElement[] {
  const children = element?.tag === DER.sequence ? derElementsIn(bytes, element, most) : undefined
  if (!children) throw damaged()
  return children
}

function octetsOf(bytes: Buffer, element: DerElement | undefined): Buffer {
  if (element?.tag === DER.octetString) return bytes.subarray(element.from, element.to)
  if (element?.tag === CONSTRUCTED_OCTETS) return joined(bytes, element)
  throw damaged()
}

const CONSTRUCTED_OCTETS = 0x24

/** Octets in parts, as some programs write them. */
function joined(bytes: Buffer, element: DerElement): Buffer {
  const parts = derElementsIn(bytes, element)
  if (!parts || parts.some(({ tag }) => tag !== DER.octetString)) throw damaged()
  return Buffer.concat(parts.map(({ from, to }) => bytes.subarray(from, to)))
}
