import type { Db } from '../../../platform/db/index.ts'
import { newId } from '../../../platform/ids.ts'
import type { RuleColumns } from './rule.ts'
import { insertRules } from './store.ts'

const common = {
  enabled: true,
  target_id: null,
  target_tag: null,
  mount: null,
  entity_name: null,
  clear_value: null,
  channel_ids: [],
  repeat_seconds: null,
  escalation_policy_id: null,
}
const server = { ...common, target_type: 'server' } as const

/** They cover the first host and the first monitor at once. They notify nobody until a channel is created. */
const DEFAULT_RULES: readonly RuleColumns[] = [
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
export async function insertDefaultRules(db: Db, organization: number, at: Date): Promise<void> {
  const rules = DEFAULT_RULES.map((rule) => ({ ...rule, channel_ids: [...rule.channel_ids], id: newId() }))
  await insertRules(db, organization, rules, at)
}
