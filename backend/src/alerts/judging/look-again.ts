import type { Db } from '../../platform/db/index.ts'
import { newId } from '../../platform/ids.ts'
import type { RuleColumns } from '../rules/rule.ts'
import { insertSignals } from './store.ts'

// What is judged at a change only would miss what has changed before: a rule that comes after its monitor went down, a monitor
// that gets the tag of a rule.

/**
 * Has whoever judges look at the monitors that are not up: once the transaction of the rule has ended, so that a change that was
 * judged meanwhile without this rule is seen too.
 */
export async function lookAgainByRule(
  db: Db,
  organization: number,
  rule: Pick<RuleColumns, 'enabled' | 'target_type' | 'metric'>,
  at: Date,
): Promise<void> {
  if (rule.enabled && rule.target_type === 'monitor' && rule.metric === 'status') await lookAgain(db, organization, [null], at)
}

/** Has whoever judges look at monitors whose rules may be others now. */
export async function lookAgain(db: Db, organization: number, monitors: readonly (number | null)[], at: Date): Promise<void> {
  const rest = { organization, at, to_status: null, reason: '', next_try_at: at }
  await insertSignals(
    db,
    monitors.map((monitor) => ({ ...rest, id: newId(), monitor })),
  )
}
