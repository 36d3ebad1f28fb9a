import { type Severity, SOURCE_METRIC } from '@vedette/shared'
import type { Db } from '../../../platform/db/index.ts'

/** Who is notified; a policy is in place of channels. */
export interface Recipients {
  channelIds: readonly string[]
  policyId: string | null
}

/** What a source says of its row of rules. */
interface SourceRule extends Recipients {
  name: string
  enabled: boolean
  severity: Severity
}

const columnsOf = ({ name, enabled, severity, channelIds, policyId }: SourceRule) => ({
  name,
  enabled,
  severity,
  channel_ids: [...channelIds],
  escalation_policy_id: policyId,
})

/** The row of rules of an alert source, with its id: who is notified. It is in no list of rules, and nothing evaluates it. */
export async function insertSourceRule(db: Db, organization: number, id: string, rule: SourceRule, at: Date): Promise<void> {
  await db
    .insertInto('alert_rule')
    .values({
      organization,
      id,
      ...columnsOf(rule),
      target_type: 'source',
      target_id: id,
      target_tag: null,
      metric: SOURCE_METRIC,
      mount: null,
      entity_name: null,
      operator: 'equals',
      value: JSON.stringify(1),
      clear_value: null,
      for_seconds: 0,
      repeat_seconds: null,
      created_at: at,
      updated_at: at,
      defined_at: at,
    })
    .execute()
}

export async function changeSourceRule(db: Db, organization: number, id: string, rule: SourceRule, at: Date): Promise<void> {
  await db
    .updateTable('alert_rule')
    .set({ ...columnsOf(rule), updated_at: at })
    .where('organization', '=', organization)
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .execute()
}

/** It is deleted and comes back with its source. */
export async function markSourceRule(db: Db, organization: number, id: string, deletedAt: Date | null): Promise<void> {
  await db
    .updateTable('alert_rule')
    .set({ deleted_at: deletedAt })
    .where('organization', '=', organization)
    .where('id', '=', id)
    .execute()
}
