import type { X509Certificate } from 'node:crypto'
import { type ChainCertificate, truncateText } from '@vedette/shared'
import { MAX_CERTIFICATE_NAME_LENGTH, MAX_CHAIN_CERTIFICATES } from '@vedette/shared/checks/limits'
import { nameOf } from './distinguished-name.ts'

/**
 * The certificates that a target sent, in its order, at most ten. It ends at one that cannot be read. Costs some 40 µs for each:
 * read it once for a certificate.
 */
export function readChain(leaf: X509Certificate): ChainCertificate[] {
  const chain: ChainCertificate[] = []
  for (
    let next: X509Certificate | undefined = leaf;
    next && chain.length < MAX_CHAIN_CERTIFICATES;
    next = next.issuerCertificate
  ) {
    const read = readOne(next)
    if (!read) break
    chain.push(read)
  }
  return chain
}

/** Undefined for dates that no calendar has. */
function readOne(certificate: X509Certificate): ChainCertificate | undefined {
  const { validFromDate: from, validToDate: to } = certificate
  if (Number.isNaN(from.getTime()) || Number.isNaN(to.getTime())) return undefined
  return {
    sha256: certificate.fingerprint256.replaceAll(':', '').toLowerCase(),
    subject: clip(nameOf(certificate.subject)),
    issuer: clip(nameOf(certificate.issuer)),
    ...keyOf(certificate),
    signature: truncateText(certificate.signatureAlgorithm ?? '', 64),
    not_before: from.toISOString(),
    not_after: to.toISOString(),
  }
}

const clip = (text: string): string => truncateText(text, MAX_CERTIFICATE_NAME_LENGTH)

/** Of curves whose names do not end in their size. */
const BITS: Readonly<Record<string, number>> = { ed25519: 256, x25519: 256, ed448: 456, x448: 448 }

function keyOf(certificate: X509Certificate): Pick<ChainCertificate, 'key_type' | 'key_bits'> {
  try {
    const { asymmetricKeyType: type = 'unknown', asymmetricKeyDetails: details } = certificate.publicKey
    const curve = Number(/[a-zA-Z](\d{3})[a-z]/.exec(details?.namedCurve ?? '')?.[1])
    const bits = details?.modulusLength ?? BITS[type] ?? (Number.isNaN(curve) ? null : curve)
    return { key_type: truncateText(type, 32), key_bits: bits }
  } catch {
    // OpenSSL does not know the algorithm, or the key is not one.
    return { key_type: 'unknown', key_bits: null }
  }
}
