import { type EnrollmentToken, toTimestamp } from '@vedette/shared'
import { encodeId } from '../../platform/ids.ts'
import type { EnrollmentTokenRow } from './store.ts'

export const toEnrollmentToken = (row: EnrollmentTokenRow): EnrollmentToken => ({
  id: encodeId('enrollmentToken', row.id),
  prefix: row.prefix,
  uses: row.uses,
  uses_left: row.uses_left,
  tags: row.tags,
  created_by: row.created_by && encodeId('user', row.created_by),
  created_at: toTimestamp(row.created_at.getTime()),
  expires_at: toTimestamp(row.expires_at.getTime()),
  revoked_at: row.revoked_at && toTimestamp(row.revoked_at.getTime()),
})
