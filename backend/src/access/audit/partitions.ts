import { DAY_MS } from '@vedette/shared'
import type { PartitionPlan } from '../../platform/db/index.ts'

/** One partition per month, two ahead: without a partition every audited operation fails. */
export const AUDIT_EVENTS: PartitionPlan = {
  table: 'audit_event',
  period: 'month',
  behind: 1,
  ahead: 2,
  retentionMs: 400 * DAY_MS,
}
