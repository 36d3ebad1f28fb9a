import type { Clock } from '../../platform/clock.ts'
import { type Db, inTransaction } from '../../platform/db/index.ts'
import { newId } from '../../platform/ids.ts'
import { workOff } from '../../platform/work-off.ts'
import { lockOpenIncidents } from '../incidents/store.ts'
import { openIncident, resolveIncident, resolveIncidentsOf } from '../incidents/service.ts'
import { judge, QUIET } from './judge.ts'
import { appliesTo } from '../rules/rule.ts'
import { findEnabledRules, type RuleRow } from '../rules/store.ts'
import { findSignalled, leaseSignals, type Signal, type SignalledMonitor, takeSignals } from './store.ts'

// A signal: left with the change of a status → leased by one process → judged, with what that opens and resolves, in one
// transaction that takes it away. A process that dies holds it no longer than its lease.

export interface JudgeSignalsDeps {
  db: Db
  clock: Clock
  ending: AbortSignal
}

/** Longer than judging a monitor may take. */
const LEASE_MS = 30_000
const AT_ONCE = 20

/** Judges the changes of status that wait. */
export async function judgeSignals({ db, clock, ending }: JudgeSignalsDeps): Promise<void> {
  const lease = () => leaseSignals(db, new Date(clock.now()), new Date(clock.now() + LEASE_MS), AT_ONCE)
  await workOff(lease, (monitor) => inTransaction(db, (transaction) => judgeMonitor(transaction, monitor)), ending)
}

interface Watched {
  id: string
  name: string
  tags: readonly string[]
}

async function judgeMonitor(db: Db, signalled: SignalledMonitor): Promise<void> {
  const signals = await takeSignals(db, signalled)
  const monitor = signals.length === 0 ? undefined : await findSignalled(db, signalled)
  // Deleted meanwhile: its incidents were resolved with it.
  if (!monitor) return
  const rules = await rulesFor(db, signalled.organization, monitor)
  for (const signal of signals) await judgeSignal(db, signalled.organization, monitor, rules, signal)
}

async function rulesFor(db: Db, organization: number, monitor: Watched): Promise<RuleRow[]> {
  const rules = await findEnabledRules(db, organization, 'monitor', [monitor.id], true)
  return rules.filter((rule) => rule.metric === 'status' && appliesTo(rule, { type: 'monitor', ...monitor }))
}

async function judgeSignal(db: Db, organization: number, monitor: Watched, rules: readonly RuleRow[], signal: Signal) {
  const { to_status: status, reason, at } = signal
  if (status === 'paused') return resolveIncidentsOf(db, organization, [monitor.id], 'the monitor was paused', at)
  const standing = new Map((await lockOpenIncidents(db, organization, [monitor.id])).map((open) => [open.rule_id, open]))
  for (const rule of rules) {
    const open = standing.get(rule.id)
    const { verdict } = judge(
      rule,
      open ? { holdsSinceMs: open.incident_at.getTime(), isOpen: true } : QUIET,
      status,
      at.getTime(),
    )
    if (verdict === 'opened') await openIncident(db, organization, incidentOf(rule, monitor, signal), at)
    if (verdict === 'resolved' && open)
      await resolveIncident(db, organization, open, `${monitor.name} is ${status}: ${reason}`, at)
  }
}

const incidentOf = (rule: RuleRow, monitor: Watched, { to_status: status, reason }: Signal) => ({
  id: newId(),
  rule_id: rule.id,
  target_type: 'monitor' as const,
  target_id: monitor.id,
  target_name: monitor.name,
  severity: rule.severity,
  summary: `${monitor.name} is ${status}: ${reason}`,
  silenced: false,
  evidence: { status, reason },
})
