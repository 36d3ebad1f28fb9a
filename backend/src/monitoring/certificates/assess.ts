import type { ChainCertificate } from '@vedette/shared'

/** NIST SP 800-131A rev. 2 disallows shorter ones since 2013. */
const MIN_RSA_BITS = 2_048
const MIN_EC_BITS = 224

/**
 * Why a certificate of a chain is weak, the first one that is; null: none, or nothing is known. A key below 2,048 bits of RSA or DSA or
 * 224 of a curve, a signature with SHA-1 or MD5. That of a root, by itself, is not verified by anybody and does not count. Pure.
 */
export function weaknessOf(chain: readonly ChainCertificate[]): string | null {
  for (const [index, one] of chain.entries()) {
    const found = weaknessOfOne(one, index)
    if (found !== null) return index === 0 ? found : `${found} of the intermediate ${one.subject}`
  }
  return null
}

function weaknessOfOne(
  { key_type: type, key_bits: bits, signature, subject, issuer }: ChainCertificate,
  index: number,
): string | null {
  const isCurve = type === 'ec'
  const least = isCurve ? MIN_EC_BITS : ['rsa', 'rsa-pss', 'dsa'].includes(type) ? MIN_RSA_BITS : 0
  if (bits !== null && bits < least) return `${type.toUpperCase()} key of ${bits} bits`
  const hash = /sha1|md5|md2/i.exec(signature.replaceAll('-', ''))?.[0].toUpperCase()
  const isRoot = index > 0 && subject === issuer
  return hash === undefined || isRoot ? null : `signature with ${hash.replace('SHA1', 'SHA-1')}`
}

/** The same of a certificate in a file, where one that signed itself is an authority that is trusted as it is. Pure. */
export function weaknessInFile(chain: readonly ChainCertificate[]): string | null {
  const [leaf, ...issuers] = chain
  if (!leaf) return null
  return weaknessOf([leaf.subject === leaf.issuer ? { ...leaf, signature: '' } : leaf, ...issuers])
}

/** The first end among a certificate and its chain, ms. Pure. */
export const soonestEnd = (notAfterMs: number, chain: readonly Pick<ChainCertificate, 'not_after'>[]): number =>
  Math.min(notAfterMs, ...chain.map(({ not_after: end }) => Date.parse(end)))

/** What a comparison of two certificates needs; `notBeforeMs` is null where a probe of an older version saw it. */
export interface Replaced {
  issuer: string | null
  notBeforeMs: number | null
  notAfterMs: number
}

/**
 * Whether a new certificate is the renewal of another: by the same issuer, within the last third of the old one's life, or after its end.
 * Where its begin is not known, the issuer alone decides. Pure.
 */
export function isRenewal(old: Replaced, next: Pick<Replaced, 'issuer'>, nowMs: number): boolean {
  if (organizationOf(old.issuer) !== organizationOf(next.issuer)) return false
  if (old.notBeforeMs === null) return true
  return nowMs >= old.notBeforeMs + ((old.notAfterMs - old.notBeforeMs) * 2) / 3
}

/** Authorities take turns among their intermediates: `E7, Let's Encrypt` and `E8, Let's Encrypt` are one issuer. */
const organizationOf = (issuer: string | null): string => {
  const at = issuer?.indexOf(', ') ?? -1
  return at < 0 ? (issuer ?? '') : (issuer ?? '').slice(at + 2)
}
