import { type Db, inTransaction } from '../../platform/db/index.ts'
import { drainQueue, type QueueDeps } from '../../platform/queue/index.ts'
import { lockOpenIncidents, resolveIncidentsOf } from '../../incidents/index.ts'
import { appliesTo } from '../rules/rule.ts'
import { publishMonitorStatus } from '../events/monitor-status.ts'
import { findEnabledRules, type RuleRow } from '../rules/store.ts'
import { applyFinding, resolveOrphanedIncidents } from './apply-finding.ts'
import { replayStatuses, type StatusStep, type StatusResult } from './replay.ts'
import { fanOutSignals, requestReevaluation, type Signal, type SignalledMonitor, SIGNALS, takeSignals } from '../signals/store.ts'
import { lockMonitor, type EvaluatedMonitor } from './monitor-store.ts'

// A signal is stored with the change of a status. One transaction deletes it and stores what the rules make of it. Where a rule has
// a duration, that transaction stores a signal for the moment at which the duration ends.

const PAUSED = 'the monitor was paused'

/** Evaluates the rules on status for the changes that are due. */
export async function evaluateSignals(deps: QueueDeps): Promise<void> {
  const { db, clock } = deps
  await drainQueue(deps, SIGNALS, ({ organization, key }) =>
    inTransaction(db, (transaction) =>
      key === null
        ? fanOutSignals(transaction, organization, new Date(clock.now()))
        : evaluateMonitor(transaction, { organization, monitor: Number(key) }, clock.now()),
    ),
  )
}

interface MonitorContext {
  db: Db
  organization: number
  monitor: EvaluatedMonitor
  nowMs: number
}

async function evaluateMonitor(db: Db, signalled: SignalledMonitor, nowMs: number): Promise<void> {
  const signals = await takeSignals(db, signalled)
  const monitor = signals.length === 0 ? undefined : await lockMonitor(db, signalled)
  // Deleted in the meantime: its incidents were resolved with it.
  if (!monitor) return
  const { organization } = signalled
  for (const { to_status: status, reason, at } of signals)
    if (status !== null) await publishMonitorStatus(db, organization, monitor, { to_status: status, reason, at })
  const context = { db, organization, monitor, nowMs }
  const rules = await findApplicableRules(context)
  await resolveOrphanedIncidents(db, organization, monitor.id, new Set(rules.map(({ id }) => id)), new Date(nowMs))
  const evaluationTimes: number[] = []
  for (const steps of splitAtPauses(stepsOf(signals, monitor))) {
    const open = new Set((await lockOpenIncidents(db, organization, [monitor.id])).map(({ rule_id }) => rule_id))
    for (const rule of rules.filter(({ metric }) => metric === 'status')) {
      const { results, nextEvaluationMs } = replayStatuses(rule, open.has(rule.id), steps, nowMs)
      for (const result of results) await applyResult(context, rule, result)
      if (nextEvaluationMs !== undefined) evaluationTimes.push(nextEvaluationMs)
    }
    const paused = steps.find(({ status }) => status === 'paused')
    if (paused) await resolveIncidentsOf(db, organization, [monitor.id], PAUSED, new Date(paused.atMs))
  }
  await scheduleReevaluation(context, evaluationTimes)
}

/** The statuses of the signals; without any, the current status, which stood before the first of them by whatever clock. */
function stepsOf(signals: readonly Signal[], { status, since, reason }: EvaluatedMonitor): StatusStep[] {
  const steps = signals.flatMap((signal) =>
    signal.to_status === null ? [] : [{ status: signal.to_status, reason: signal.reason, atMs: signal.at.getTime() }],
  )
  return steps.length > 0
    ? steps
    : [{ status, reason: reason ?? '', atMs: Math.min(since.getTime(), ...signals.map(({ at }) => at.getTime())) }]
}

/** Splits after each pause: a pause also resolves the incidents of rules that are not on the status. */
function splitAtPauses(steps: readonly StatusStep[]): StatusStep[][] {
  const parts: StatusStep[][] = [[]]
  for (const step of steps) {
    parts.at(-1)?.push(step)
    if (step.status === 'paused') parts.push([])
  }
  return parts.filter((part) => part.length > 0)
}

async function findApplicableRules({ db, organization, monitor }: MonitorContext): Promise<RuleRow[]> {
  const rules = await findEnabledRules(db, organization, 'monitor', [monitor.id], true)
  return rules.filter((rule) => appliesTo(rule, { type: 'monitor', ...monitor }))
}

async function applyResult(
  { db, organization, monitor }: MonitorContext,
  rule: RuleRow,
  { result, atMs, step: { status, reason } }: StatusResult,
): Promise<void> {
  const summary = status === 'paused' ? PAUSED : `${monitor.name} is ${status}: ${reason}`
  const target = { type: 'monitor', ...monitor } as const
  await applyFinding(db, organization, { rule, result, target, summary, evidence: { status, reason } }, new Date(atMs))
}

/** The first duration that ends has all rules of the monitor evaluated again. */
async function scheduleReevaluation(context: MonitorContext, evaluationTimes: readonly number[]): Promise<void> {
  const { db, organization, monitor, nowMs } = context
  if (evaluationTimes.length === 0) return
  await requestReevaluation(db, organization, [monitor.number], new Date(nowMs), new Date(Math.min(...evaluationTimes)))
}
