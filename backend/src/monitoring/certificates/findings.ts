import { DAY_MS, toTimestamp } from '@vedette/shared'

/** Who issued a certificate, and its key, as texts show them. */
export interface CertificateKey {
  issuer: string | null
  keyType: string | null
  keyBits: number | null
}

/** What a region of a monitor sees, for rules. Instants are ms. */
export interface SeenByRegion extends CertificateKey {
  certificateId: string
  endsMs: number
  weak: string | null
  nameMismatch: boolean
  revokedMs: number | null
  names: readonly string[]
  sinceMs: number
  changedMs: number | null
  /** Of the one that was replaced; undefined where it is no longer stored. */
  before: CertificateKey | undefined
}

/** The value of each metric of a monitor; `text` says what is wrong. Null: nothing is known. */
export interface CertificateFindings {
  days: number | null
  changed: string | null
  weak: string | null
  nameMismatch: string | null
  differs: string | null
  revoked: string | null
}

/** A change counts for a day, after which its incident ends. */
export const CHANGE_COUNTS_MS = DAY_MS
/** Regions see a new certificate one after the other, and a target's machines get it one after the other. */
export const DIFFERENCE_COUNTS_AFTER_MS = 3_600_000
const MAX_NAMES = 3

/** What the certificates of one monitor give to rules; undefined where no region has seen one. Pure. */
export function findingsOf(regions: readonly SeenByRegion[], nowMs: number): CertificateFindings | undefined {
  if (regions.length === 0) return undefined
  const changed = regions.find(({ changedMs }) => changedMs !== null && nowMs - changedMs < CHANGE_COUNTS_MS)
  const mismatched = regions.find(({ nameMismatch }) => nameMismatch)
  return {
    days: (Math.min(...regions.map(({ endsMs }) => endsMs)) - nowMs) / DAY_MS,
    changed: changed ? describeChange(changed) : null,
    weak: regions.find(({ weak }) => weak !== null)?.weak ?? null,
    nameMismatch: mismatched ? namesOf(mismatched.names) : null,
    differs: differenceOf(regions, nowMs),
    revoked: revocationOf(regions),
  }
}

/** `on 2026-11-30`; null: nobody said so. */
function revocationOf(regions: readonly SeenByRegion[]): string | null {
  const times = regions.flatMap(({ revokedMs }) => revokedMs ?? [])
  return times.length === 0 ? null : `on ${toTimestamp(Math.min(...times)).slice(0, 10)}`
}

function differenceOf(regions: readonly SeenByRegion[], nowMs: number): string | null {
  const { size } = new Set(regions.map(({ certificateId }) => certificateId))
  const lastMs = Math.max(...regions.map(({ sinceMs }) => sinceMs))
  return size > 1 && nowMs - lastMs >= DIFFERENCE_COUNTS_AFTER_MS ? `regions see ${size} different certificates` : null
}

const namesOf = (names: readonly string[]): string =>
  names.length === 0 ? 'nobody' : `${names.slice(0, MAX_NAMES).join(', ')}${names.length > MAX_NAMES ? '…' : ''}`

/** `from issuer A (RSA 2048) to issuer B (EC 256)`. Pure. */
export function describeChange({ before, ...after }: CertificateKey & { before: CertificateKey | undefined }): string {
  const from = before === undefined ? 'another one' : describe(before)
  return `from ${from} to ${describe(after)}`
}

const describe = ({ issuer, keyType, keyBits }: CertificateKey): string => {
  const key = keyType === null ? '' : ` (${keyType.toUpperCase()}${keyBits === null ? '' : ` ${keyBits}`})`
  return `issuer ${issuer || 'unknown'}${key}`
}
