import { type Db, inTransaction } from '../../platform/db/index.ts'
import { lockPresence } from '../../servers/index.ts'
import { lockOpenIncidents, resolveIncident } from '../../incidents/index.ts'
import { appliesTo } from '../rules/rule.ts'
import { lockRules, type RuleRow } from '../rules/store.ts'
import { openIncidentFor } from './open-incident.ts'

/** What a rule found at a server. */
export interface ServerResult {
  rule: RuleRow
  result: 'opened' | 'resolved'
  summary: string
  evidence: Record<string, unknown>
  atMs: number
}

/** Opens or resolves the incident, unless the rule or the server has changed since. */
export async function applyServerResult(
  database: Db,
  organization: number,
  serverId: string,
  { rule, result, summary, evidence, atMs }: ServerResult,
): Promise<void> {
  await inTransaction(database, async (db) => {
    const server = await lockPresence(db, organization, serverId)
    const [current] = await lockRules(db, organization, [rule.id])
    if (!server || current?.defined_at.getTime() !== rule.defined_at.getTime()) return
    if (!appliesTo(current, { type: 'server', ...server })) return
    const at = new Date(atMs)
    if (result === 'opened') {
      await openIncidentFor(db, organization, { rule: current, target: { type: 'server', ...server }, summary, evidence }, at)
      return
    }
    const open = (await lockOpenIncidents(db, organization, [serverId])).find(({ rule_id }) => rule_id === rule.id)
    if (open) await resolveIncident(db, organization, open, summary, at)
  })
}

/** Resolves the incidents of rules that no longer apply to this server, because it lost a tag. */
export async function resolveOrphanedIncidents(
  database: Db,
  { organization, id }: { organization: number; id: string },
  currentRuleIds: ReadonlySet<string>,
  nowMs: number,
): Promise<void> {
  await inTransaction(database, async (db) => {
    for (const open of await lockOpenIncidents(db, organization, [id])) {
      if (!currentRuleIds.has(open.rule_id))
        await resolveIncident(db, organization, open, 'the rule no longer applies', new Date(nowMs))
    }
  })
}
