import { type Db, inTransaction } from '../../platform/db/index.ts'
import { holdSeen } from '../../servers/index.ts'
import { resolveIncident } from '../incidents/service.ts'
import { lockOpenIncidents } from '../incidents/store.ts'
import { appliesTo } from '../rules/rule.ts'
import { holdRules, type RuleRow } from '../rules/store.ts'
import { openFor } from './open.ts'

/** What a rule makes of a server. */
export interface ServerFinding {
  rule: RuleRow
  verdict: 'opened' | 'resolved'
  summary: string
  evidence: Record<string, unknown>
  atMs: number
}

/** Opens or resolves, unless the rule or the server is another by now. */
export async function followServer(
  database: Db,
  organization: number,
  serverId: string,
  { rule, verdict, summary, evidence, atMs }: ServerFinding,
): Promise<void> {
  await inTransaction(database, async (db) => {
    const server = await holdSeen(db, organization, serverId)
    const [current] = await holdRules(db, organization, [rule.id])
    if (!server || current?.says_since.getTime() !== rule.says_since.getTime()) return
    if (!appliesTo(current, { type: 'server', ...server })) return
    const at = new Date(atMs)
    if (verdict === 'opened') {
      await openFor(db, organization, { rule: current, target: { type: 'server', ...server }, summary, evidence }, at)
      return
    }
    const open = (await lockOpenIncidents(db, organization, [serverId])).find(({ rule_id }) => rule_id === rule.id)
    if (open) await resolveIncident(db, organization, open, summary, at)
  })
}

/** Ends what rules opened that do not speak of this server any more: it lost a tag. */
export async function resolveStrangers(
  database: Db,
  { organization, id }: { organization: number; id: string },
  known: ReadonlySet<string>,
  nowMs: number,
): Promise<void> {
  await inTransaction(database, async (db) => {
    for (const open of await lockOpenIncidents(db, organization, [id])) {
      if (!known.has(open.rule_id))
        await resolveIncident(db, organization, open, 'the rule speaks of it no more', new Date(nowMs))
    }
  })
}
