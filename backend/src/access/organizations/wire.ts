import type { Organization, OrganizationItem } from '@vedette/shared'
import { toTimestamp } from '@vedette/shared'
import { encodeId } from '../../platform/ids.ts'
import type { OrganizationItemRow, OrganizationRow } from './store.ts'

export function toOrganizationItem(row: OrganizationItemRow): OrganizationItem {
  return {
    id: encodeId('organization', row.id),
    name: row.name,
    role: row.role,
    created_at: toTimestamp(row.created_at.getTime()),
  }
}

export function toOrganization(row: OrganizationRow): Organization {
  return {
    id: encodeId('organization', row.id),
    name: row.name,
    plan: row.plan,
    member_count: row.member_count,
    monitor_count: row.monitor_count,
    server_count: row.server_count,
    require_second_factor: row.require_second_factor,
    api_key_max_days: row.api_key_max_days,
    language: row.language,
    created_at: toTimestamp(row.created_at.getTime()),
  }
}
