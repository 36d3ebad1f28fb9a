import { createHash } from 'node:crypto'
import { type CertificateFacts, type ChainCertificate, toTimestamp } from '@vedette/shared'
import { isRenewal, type Replaced, soonestEnd, weaknessOf } from './assess.ts'

/** A certificate that a check of a monitor saw in a region. */
export interface SeenCertificate {
  organization: number
  /** The monitor's surrogate. */
  monitor: number
  region: number
  /** Start of the check, ms. */
  atMs: number
  certificate: CertificateFacts
}

/** A certificate as its table has it. */
export interface CertificateColumns {
  fingerprint: Buffer
  sha256: string | null
  name: string
  subject: string | null
  names: string[]
  issuer: string
  key_type: string | null
  key_bits: number | null
  signature: string | null
  not_before: Date | null
  not_after: Date
}

/** Undefined for what a probe reports without the chain because it has not changed. */
export const isReported = ({ sha256, chain }: CertificateFacts): boolean => (chain?.length ?? 0) > 0 || sha256 === undefined

/** Two with one text are the same certificate with the same chain. Of a probe of an older version, the leaf as far as it is known. */
export const identityOf = ({ chain, name_mismatch: mismatch, revoked_at: revokedAt = '', ...leaf }: CertificateFacts): string =>
  chain === undefined || chain.length === 0
    ? JSON.stringify(leaf)
    : `${mismatch === true ? '!' : ''}${revokedAt}${chain.map(({ sha256 }) => sha256).join('')}`

/** Pure. */
export function toColumns({ certificate }: Pick<SeenCertificate, 'certificate'>): CertificateColumns {
  const { chain = [], issuer, subject_names: names, expires_at: expiresAt } = certificate
  const [leaf] = chain
  const shown = names.map(storable)
  return {
    fingerprint: leaf ? Buffer.from(leaf.sha256, 'hex') : createHash('sha256').update(identityOf(certificate)).digest(),
    sha256: leaf?.sha256 ?? null,
    name: shown[0] ?? storable(leaf?.subject ?? issuer),
    subject: leaf ? storable(leaf.subject) : null,
    names: shown,
    issuer: storable(issuer),
    key_type: leaf ? storable(leaf.key_type) : null,
    key_bits: leaf?.key_bits ?? null,
    signature: leaf ? storable(leaf.signature) : null,
    not_before: leaf ? new Date(leaf.not_before) : null,
    not_after: new Date(expiresAt),
  }
}

/** What was sent after the leaf. Pure. */
export const intermediatesOf = ({ chain = [] }: CertificateFacts): ChainCertificate[] =>
  chain.slice(1).map((one) => ({
    ...one,
    subject: storable(one.subject),
    issuer: storable(one.issuer),
    key_type: storable(one.key_type),
    signature: storable(one.signature),
  }))

/** What is stored of a region of a monitor, and the certificate that it saw. */
export interface StoredSighting extends Replaced {
  certificateId: string
  sinceMs: number
  previous: readonly string[]
  changedMs: number | null
  changedFrom: string | null
  /** Null in files. */
  revokedMs: number | null
  /** The monitor was changed since: it may check another target. */
  isRedefined: boolean
}

/** What is stored of one that is seen, wherever that is. Instants are texts, for JSON. */
export interface StateColumns {
  certificate_id: string
  chain: ChainCertificate[]
  ends_at: string
  since: string
  previous: string[]
  changed_at: string | null
  changed_from: string | null
}

/** The columns of a sighting after this one. */
export interface SightingColumns extends StateColumns {
  organization: number
  monitor: number
  region: number
  weak: string | null
  name_mismatch: boolean
  revoked_at: string | null
  seen_at: string
}

/** A load balancer may show several certificates by turns: one of so many is not a change. */
const MAX_PREVIOUS = 8

/**
 * What a region saw, given what it saw before. `known`: what the regions of the monitor have seen, which is no change; neither is a
 * renewal. Pure.
 */
export function nextSighting(
  seen: SeenCertificate,
  certificateId: string,
  before: StoredSighting | undefined,
  known: ReadonlySet<string>,
): SightingColumns {
  const { organization, monitor, region, atMs, certificate } = seen
  const state = nextState(certificate, certificateId, before, { known, atMs })
  return {
    organization,
    monitor,
    region,
    ...state,
    weak: weaknessOf(certificate.chain?.slice(0, 1).concat(state.chain) ?? []),
    name_mismatch: certificate.name_mismatch === true,
    revoked_at: revokedAt(certificate, before?.certificateId === certificateId ? before.revokedMs : null),
    seen_at: toTimestamp(atMs),
  }
}

/** A revoked certificate stays so: a target that sends no response for once has not been forgiven. */
const revokedAt = ({ revoked_at: at }: CertificateFacts, beforeMs: number | null): string | null =>
  at ?? (beforeMs === null ? null : toTimestamp(beforeMs))

/** What is stored of a certificate, given which one was there before. Pure. */
export function nextState(
  certificate: CertificateFacts,
  certificateId: string,
  before: StoredSighting | undefined,
  { known, atMs }: { known: ReadonlySet<string>; atMs: number },
): StateColumns {
  const chain = intermediatesOf(certificate)
  const isSame = before?.certificateId === certificateId
  const isOther = before !== undefined && !before.isRedefined && !isSame && !known.has(certificateId)
  const isChange = isOther && !isRenewal(before, certificate, atMs)
  const changedMs = isChange ? atMs : (before?.changedMs ?? null)
  const previous = !before || isSame ? (before?.previous ?? []) : [before.certificateId, ...before.previous]
  return {
    certificate_id: certificateId,
    chain,
    ends_at: toTimestamp(soonestEnd(Date.parse(certificate.expires_at), chain)),
    since: toTimestamp(isSame && before ? before.sinceMs : atMs),
    previous: [...new Set(previous)].filter((id) => id !== certificateId).slice(0, MAX_PREVIOUS),
    changed_at: changedMs === null ? null : toTimestamp(changedMs),
    changed_from: isChange ? (before?.certificateId ?? null) : (before?.changedFrom ?? null),
  }
}

/** The database rejects NUL and lone surrogates. */
const storable = (text: string): string => text.replaceAll('\0', '\uFFFD').toWellFormed()
