import { isHostState } from '@vedette/shared'
import { findLastChanges } from '../../incidents/index.ts'
import { type Db, inTransaction } from '../../../platform/db/index.ts'
import { lockPresence, readState, type ServerPresence } from '../../../hosts/servers/index.ts'
import { appliesTo } from '../rules/rule.ts'
import { lockRules, type RuleRow } from '../rules/store.ts'
import { applyFinding } from './apply-finding.ts'
import { describeHostState, namesOf } from './host-state.ts'

/** What a rule found at a server. */
export interface ServerResult {
  rule: RuleRow
  result: 'opened' | 'resolved'
  summary: string
  evidence: Record<string, unknown>
  /** Absent for a status. */
  value?: number
  atMs: number
  /** The receipt of the push that caused it, ms, where another process may be evaluating it too. */
  repeatedFromMs?: number | undefined
}

/** Opens or resolves the incident, unless the rule or the server has changed since, or the other process has evaluated it. */
export async function applyServerResult(
  database: Db,
  organization: number,
  serverId: string,
  serverResult: ServerResult,
): Promise<void> {
  const { rule, atMs, repeatedFromMs, result, evidence } = serverResult
  await inTransaction(database, async (db) => {
    const server = await lockPresence(db, organization, serverId)
    const [current] = await lockRules(db, organization, [rule.id])
    if (!server || current?.defined_at.getTime() !== rule.defined_at.getTime()) return
    if (repeatedFromMs !== undefined) {
      const changes = await findLastChanges(db, [organization], [rule.id], [serverId], new Date(repeatedFromMs))
      if (changes.size > 0) return
    }
    const target = { type: 'server', ...server } as const
    if (!appliesTo(current, target)) return
    const summary = await summaryOf(db, organization, server, serverResult)
    await applyFinding(db, organization, { result, evidence, summary, rule: current, target }, new Date(atMs))
  })
}

/** Of a state of the host with the names of what is wrong: they are in its newest state, not in samples. */
async function summaryOf(
  db: Db,
  organization: number,
  { id, name }: ServerPresence,
  { rule: { metric }, summary, value }: ServerResult,
): Promise<string> {
  if (value === undefined || !isHostState(metric)) return summary
  const state = await readState(db, organization, id, undefined)
  return describeHostState(name, metric, value, namesOf(metric, state?.host))
}
