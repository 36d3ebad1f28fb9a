import { BURN_ALERT_NAMES, BURN_ALERTS, type BurnAlert } from '@vedette/shared'
import type { Db } from '../../../platform/db/index.ts'
import { newId } from '../../../platform/ids.ts'

/** What an SLO says of its alerts. */
export interface SloAlerts {
  channelIds: readonly string[]
  /** In place of channels; null: none. */
  policyId: string | null
  burnAlerts: readonly BurnAlert[]
}

/** A burn-rate alert: a rule whose target is an SLO. It is in no list of rules. */
export interface SloRule {
  id: string
  sloId: string
  enabled: boolean
  alert: BurnAlert
  channelIds: string[]
  policyId: string | null
  definedAt: Date
}

const nameOf = (seconds: number): BurnAlert =>
  BURN_ALERT_NAMES.find((name) => BURN_ALERTS[name].longSeconds === seconds) as BurnAlert

/** One rule for each alert, disabled where it is off, so that the channels are known. */
export async function insertSloRules(
  db: Db,
  organization: number,
  slo: { id: string; name: string },
  { channelIds, policyId, burnAlerts }: SloAlerts,
  at: Date,
): Promise<void> {
  const rows = BURN_ALERT_NAMES.map((alert) => ({
    organization,
    id: newId(),
    name: slo.name,
    enabled: burnAlerts.includes(alert),
    target_type: 'slo' as const,
    target_id: slo.id,
    target_tag: null,
    metric: 'burn_rate',
    mount: null,
    entity_name: null,
    operator: 'greater_than' as const,
    value: JSON.stringify(BURN_ALERTS[alert].factor),
    clear_value: null,
    for_seconds: BURN_ALERTS[alert].longSeconds,
    severity: BURN_ALERTS[alert].severity,
    channel_ids: [...channelIds],
    repeat_seconds: null,
    escalation_policy_id: policyId,
    created_at: at,
    updated_at: at,
    defined_at: at,
  }))
  await db.insertInto('alert_rule').values(rows).execute()
}

const rulesOf = (db: Db, organization: number, sloIds: readonly string[]) =>
  db
    .selectFrom('alert_rule')
    .select(['id', 'target_id', 'enabled', 'for_seconds', 'channel_ids', 'escalation_policy_id', 'defined_at'])
    .where('organization', '=', organization)
    .where('target_type', '=', 'slo')
    .where('target_id', 'in', sloIds)
    .where('deleted_at', 'is', null)
    .orderBy('for_seconds')

/** The rules of these SLOs, the shortest window first. Locked: they do not change before the transaction ends. */
export async function listSloRules(
  db: Db,
  organization: number,
  sloIds: readonly string[],
  isLocked = false,
): Promise<SloRule[]> {
  if (sloIds.length === 0) return []
  const rows = await rulesOf(db, organization, sloIds)
    .$if(isLocked, (query) => query.forShare())
    .execute()
  return rows.map((row) => ({
    id: row.id,
    sloId: row.target_id as string,
    enabled: row.enabled,
    alert: nameOf(row.for_seconds),
    channelIds: row.channel_ids,
    policyId: row.escalation_policy_id,
    definedAt: row.defined_at,
  }))
}

/** Changes what is given; `definedAt` is later than before where the definition of the SLO changes. */
export async function updateSloRule(
  db: Db,
  organization: number,
  id: string,
  change: Pick<SloAlerts, 'channelIds' | 'policyId'> & { name: string; enabled: boolean; definedAt: Date },
  at: Date,
): Promise<void> {
  const { name, enabled, channelIds, policyId, definedAt } = change
  const to = { channel_ids: [...channelIds], escalation_policy_id: policyId }
  await db
    .updateTable('alert_rule')
    .set({ name, enabled, ...to, defined_at: definedAt, updated_at: at })
    .where('organization', '=', organization)
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .execute()
}

export const deleteSloRules = (db: Db, organization: number, sloId: string, at: Date): Promise<void> =>
  markSloRules(db, organization, sloId, { deleted_at: at })

/** They come back with their SLO, and are evaluated from now on. */
export const restoreSloRules = (db: Db, organization: number, sloId: string, at: Date): Promise<void> =>
  markSloRules(db, organization, sloId, { deleted_at: null, defined_at: at, updated_at: at })

async function markSloRules(
  db: Db,
  organization: number,
  sloId: string,
  change: { deleted_at: Date } | { deleted_at: null; defined_at: Date; updated_at: Date },
): Promise<void> {
  await db
    .updateTable('alert_rule')
    .set(change)
    .where('organization', '=', organization)
    .where('target_type', '=', 'slo')
    .where('target_id', '=', sloId)
    .execute()
}
