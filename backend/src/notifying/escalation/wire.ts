import { type EscalationPolicy, toTimestamp } from '@vedette/shared'
import { encodeId } from '../../platform/ids.ts'
import type { PolicyRow } from './store.ts'

export const toPolicy = (row: PolicyRow): EscalationPolicy => ({
  id: encodeId('escalationPolicy', row.id),
  name: row.name,
  time_zone: row.time_zone,
  steps: row.steps.map((step) => ({
    channel_ids: step.channel_ids.map((id) => encodeId('channel', id)),
    schedule_ids: step.schedule_ids.map((id) => encodeId('schedule', id)),
    user_ids: step.user_ids.map((id) => encodeId('user', id)),
    wait_seconds: step.wait_seconds,
    restrictions: step.restrictions,
  })),
  repeats: row.repeats,
  reopen_seconds: row.reopen_seconds,
  tags: row.tags,
  managed: row.managed,
  created_at: toTimestamp(row.created_at.getTime()),
  updated_at: toTimestamp(row.updated_at.getTime()),
})
