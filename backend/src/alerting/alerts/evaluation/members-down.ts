import { MEMBERS_DOWN, isWatched } from '@vedette/shared'
import type { Db } from '../../../platform/db/index.ts'
import { listOpenKeys } from '../../incidents/index.ts'
import { appliesTo } from '../rules/rule.ts'
import { findRulesOnMetric, lockRules } from '../rules/store.ts'
import { lockEvaluation } from '../signals/store.ts'
import { applyFinding } from './apply-finding.ts'
import { CLOSED, evaluate } from './evaluate.ts'
import { lockMonitor } from './monitor-store.ts'
import { summaryOf } from './summary.ts'

/** How many members of a composite are down. */
export interface MembersDown {
  /** Number of the composite. */
  monitor: number
  id: string
  tags: readonly string[]
  value: number
}

/**
 * Evaluates the rules on `members_down` for these composites, in the transaction that computed them. One that a request is changing is
 * passed over: the request waits for the same lock, and evaluates it itself.
 */
export async function evaluateMembersDown(
  db: Db,
  organization: number,
  composites: readonly MembersDown[],
  at: Date,
): Promise<void> {
  const rules = composites.length === 0 ? [] : await findRulesOnMetric(db, organization, MEMBERS_DOWN)
  if (rules.length === 0) return
  const open = await listOpenKeys(
    db,
    rules.map(({ id }) => id),
  )
  for (const { monitor, id, tags, value } of composites)
    for (const rule of rules.filter((one) => appliesTo(one, { type: 'monitor', id, tags }))) {
      const { result } = evaluate(rule, { ...CLOSED, isOpen: open.has(`${rule.id} ${id}`) }, value, at.getTime())
      if (result === undefined) continue
      await lockEvaluation(db, monitor)
      const target = await lockMonitor(db, { organization, monitor }, true)
      const [current] = await lockRules(db, organization, [rule.id])
      const isSame = current?.defined_at.getTime() === rule.defined_at.getTime()
      if (!target || !isWatched(target.status) || !isSame) continue
      const summary = summaryOf(target.name, rule, value, { isOver: result === 'resolved' })
      const evidence = { [MEMBERS_DOWN]: value }
      await applyFinding(db, organization, { rule, result, target: { type: 'monitor', ...target }, summary, evidence }, at)
    }
}
