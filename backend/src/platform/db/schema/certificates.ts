import type { ChainCertificate } from '@vedette/shared'
import type { Instant, Json } from './columns.ts'

interface CertificateTable {
  organization: number
  id: string
  /** Identifies it in its organization; null of one by hand. */
  fingerprint: Buffer | null
  /** Hexadecimal; null where it is not known. */
  sha256: string | null
  name: string
  subject: string | null
  names: string[]
  issuer: string | null
  key_type: string | null
  key_bits: number | null
  signature: string | null
  not_before: Date | null
  not_after: Instant
  /** When it was seen first, or was added by hand. */
  created_at: Instant
  updated_at: Instant
}

/** What a region of a monitor saw last. */
interface CertificateSightingTable {
  organization: number
  monitor: number
  region: number
  certificate_id: string
  /** What was sent after its own certificate. */
  chain: Json<ChainCertificate[]>
  /** The first end among the certificate and the chain. */
  ends_at: Instant
  /** Why one of them is weak; null: none is. */
  weak: string | null
  name_mismatch: boolean
  /** By the OCSP response that the target sent; null: not that anybody said so. */
  revoked_at: Date | null
  /** When this one replaced another, or was seen first. */
  since: Instant
  /** Refreshed once an hour. */
  seen_at: Instant
  /** The last certificates before it, newest first. */
  previous: string[]
  /** The last change that was not expected. */
  changed_at: Date | null
  changed_from: string | null
}

/** What a file of a host has, by the host's last report. */
interface CertificateFileTable {
  organization: number
  server_id: string
  /** Its number in the report. */
  place: number
  path: string
  /** Which one of a file that has several; empty: it has one. */
  entry: string
  certificate_id: string
  /** What follows it in the file. */
  chain: Json<ChainCertificate[]>
  ends_at: Instant
  weak: string | null
  /** When this one replaced another, or was reported first. */
  since: Instant
  previous: string[]
  changed_at: Date | null
  changed_from: string | null
}

export interface CertificateTables {
  certificate: CertificateTable
  certificate_file: CertificateFileTable
  certificate_sighting: CertificateSightingTable
}
