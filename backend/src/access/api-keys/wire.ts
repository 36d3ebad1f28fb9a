import { type ApiKey, toTimestamp } from '@vedette/shared'
import { encodeId } from '../../platform/ids.ts'
import type { ApiKeyRow } from './store.ts'

const instantOrNull = (at: Date | null) => at && toTimestamp(at.getTime())

export function toApiKey(row: ApiKeyRow): ApiKey {
  return {
    id: encodeId('apiKey', row.id),
    name: row.name,
    prefix: row.prefix,
    scopes: row.scopes,
    allowed_cidrs: row.allowed_cidrs,
    ends_with_creator: row.ends_with_creator,
    job_kind: row.job_kind,
    dedup_label: row.dedup_label,
    drop_labels: row.drop_labels,
    created_by: row.created_by && encodeId('user', row.created_by),
    created_at: toTimestamp(row.created_at.getTime()),
    last_used_at: instantOrNull(row.last_used_at),
    expires_at: instantOrNull(row.expires_at),
    revoked_at: instantOrNull(row.revoked_at),
  }
}
