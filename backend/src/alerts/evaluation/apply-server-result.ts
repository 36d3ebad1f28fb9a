import { wasOpenedSince } from '../../incidents/index.ts'
import { type Db, inTransaction } from '../../platform/db/index.ts'
import { lockPresence } from '../../servers/index.ts'
import { appliesTo } from '../rules/rule.ts'
import { lockRules, type RuleRow } from '../rules/store.ts'
import { applyFinding } from './apply-finding.ts'

/** What a rule found at a server. */
export interface ServerResult {
  rule: RuleRow
  result: 'opened' | 'resolved'
  summary: string
  evidence: Record<string, unknown>
  atMs: number
  /** Where the pushes received since then may have been evaluated by another process before, ms. */
  repeatedFromMs?: number | undefined
}

/** Opens or resolves the incident, unless the rule or the server has changed since, or the other process has opened it. */
export async function applyServerResult(
  database: Db,
  organization: number,
  serverId: string,
  { rule, atMs, repeatedFromMs, ...result }: ServerResult,
): Promise<void> {
  await inTransaction(database, async (db) => {
    const server = await lockPresence(db, organization, serverId)
    const [current] = await lockRules(db, organization, [rule.id])
    if (!server || current?.defined_at.getTime() !== rule.defined_at.getTime()) return
    const isRepeated = repeatedFromMs !== undefined
    if (isRepeated && (await wasOpenedSince(db, organization, rule.id, serverId, new Date(repeatedFromMs)))) return
    const target = { type: 'server', ...server } as const
    if (appliesTo(current, target)) await applyFinding(db, organization, { ...result, rule: current, target }, new Date(atMs))
  })
}
