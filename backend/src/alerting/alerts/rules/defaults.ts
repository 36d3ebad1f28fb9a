import { HEALTH_CODES, HEALTH_FINDINGS, healthMetricOf, NO_RULE_DESCRIPTION } from '@vedette/shared'
import type { Db } from '../../../platform/db/index.ts'
import { newId } from '../../../platform/ids.ts'
import type { RuleColumns } from './rule.ts'
import { languageOfOrganization } from '../../../access/auth/index.ts'
import { type Language, translate } from '../../../platform/language/index.ts'
import { insertRules, listMetrics, renameRules } from './store.ts'

const common = {
  enabled: true,
  target_id: null,
  target_tag: null,
  mount: null,
  entity_name: null,
  expression: null,
  every_seconds: null,
  clear_value: null,
  channel_ids: [],
  repeat_seconds: null,
  escalation_policy_id: null,
  ...NO_RULE_DESCRIPTION,
}
const server = { ...common, target_type: 'server' } as const

/** One for each finding that somebody should know of. */
const HEALTH_RULES: readonly RuleColumns[] = HEALTH_CODES.flatMap((code) => {
  const { severity, name } = HEALTH_FINDINGS[code]
  if (severity === 'info') return []
  return [{ ...server, name, metric: healthMetricOf(code), operator: 'equals', value: 1, for_seconds: 0, severity }]
})

/** They cover the first host and the first monitor at once. They notify nobody until a channel is created. */
const DEFAULT_RULES: readonly RuleColumns[] = [
  ...HEALTH_RULES,
  {
    ...common,
    name: 'Monitor down',
    target_type: 'monitor',
    metric: 'status',
    operator: 'equals',
    value: 'down',
    for_seconds: 0,
    severity: 'critical',
  },
  {
    ...server,
    name: 'Server offline',
    metric: 'status',
    operator: 'equals',
    value: 'offline',
    for_seconds: 0,
    severity: 'critical',
  },
  {
    ...server,
    name: 'Filesystem above 90 %',
    metric: 'filesystem.percent',
    operator: 'greater_than',
    value: 90,
    for_seconds: 0,
    severity: 'warning',
  },
  {
    ...server,
    name: 'Memory above 95 %',
    metric: 'memory.percent',
    operator: 'greater_than',
    value: 95,
    for_seconds: 600,
    severity: 'warning',
  },
]

/** The rules of every new organization. Run it in the transaction that creates it. */
export const insertDefaultRules = (db: Db, organization: number, at: Date): Promise<void> =>
  insertRules(db, organization, DEFAULT_RULES.map(toNew), at)

/**
 * Those whose metric no rule of the organization has: one that was changed or turned off stays as it is. Run it in a transaction that has
 * locked the organization.
 */
export async function listMissingRules(db: Db, organization: number): Promise<(RuleColumns & { id: string })[]> {
  const known = new Set((await listMetrics(db, organization)).map(({ target_type, metric }) => `${target_type} ${metric}`))
  const language = await languageOfOrganization(db, organization)
  return DEFAULT_RULES.filter(({ target_type, metric }) => !known.has(`${target_type} ${metric}`)).map((rule) =>
    toNew({ ...rule, name: translate(rule.name, language) }),
  )
}

/** The names of default rules in another language, as they are stored; a name that people changed stays. Pure. */
export const renamedDefaults = (from: Language, to: Language): { metric: string; from: string; to: string }[] =>
  DEFAULT_RULES.map(({ name, metric }) => ({ metric, from: translate(name, from), to: translate(name, to) }))

/** Run it in the transaction that changes the language of the organization. */
export const renameDefaultRules = (db: Db, organization: number, from: Language, to: Language, at: Date): Promise<void> =>
  renameRules(db, organization, renamedDefaults(from, to), at)

const toNew = (rule: RuleColumns) => ({ ...rule, channel_ids: [...rule.channel_ids], id: newId() })
