import { type Certificate, type CertificateSeen, toTimestamp } from '@vedette/shared'
import { encodeId } from '../../platform/ids.ts'
import type { CertificateRow, SeenRow } from './store.ts'

export function toCertificate(row: CertificateRow): Certificate {
  return {
    id: encodeId('certificate', row.id),
    source: sourceOf(row),
    name: row.name,
    names: row.names,
    subject: row.subject,
    issuer: row.issuer,
    sha256: row.sha256,
    key_type: row.key_type,
    key_bits: row.key_bits,
    signature: row.signature,
    not_before: instantOf(row.not_before),
    not_after: toTimestamp(row.not_after.getTime()),
    ends_at: toTimestamp(row.ends_at.getTime()),
    weak: row.weak,
    name_mismatch: row.name_mismatch,
    revoked_at: instantOf(row.revoked_at),
    monitors: row.monitors,
    servers: row.servers,
    first_seen_at: row.fingerprint === null ? null : toTimestamp(row.created_at.getTime()),
    last_seen_at: instantOf(row.seen_at),
    changed_at: instantOf(row.changed_at),
    created_at: toTimestamp(row.created_at.getTime()),
    updated_at: toTimestamp(row.updated_at.getTime()),
  }
}

function sourceOf({ fingerprint, monitors, servers }: CertificateRow): Certificate['source'] {
  if (fingerprint === null) return 'manual'
  return servers > 0 && monitors === 0 ? 'file' : 'check'
}

export const toSeen = (row: SeenRow): CertificateSeen => ({
  monitor: row.monitor_id === null ? null : { id: encodeId('monitor', row.monitor_id), name: row.monitor_name ?? '' },
  region: row.region,
  server: row.server_id === null ? null : { id: encodeId('server', row.server_id), name: row.server_name ?? '' },
  path: row.path,
  entry: row.entry || null,
  since: toTimestamp(row.since.getTime()),
  seen_at: toTimestamp(row.seen_at.getTime()),
  ends_at: toTimestamp(row.ends_at.getTime()),
  weak: row.weak,
  name_mismatch: row.name_mismatch,
  chain_length: row.chain.length + 1,
})

const instantOf = (at: Date | null): string | null => (at === null ? null : toTimestamp(at.getTime()))
