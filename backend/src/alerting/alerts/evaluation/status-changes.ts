import { type Db, inTransaction } from '../../../platform/db/index.ts'
import { drainQueue, type QueueDeps } from '../../../platform/queue/index.ts'
import { changeFlapping, lockOpenIncidents, resolveIncidentsOf } from '../../incidents/index.ts'
import { appliesTo, coversComposites } from '../rules/rule.ts'
import { publishMonitorStatus } from '../events/monitor-status.ts'
import { findEnabledRules, type RuleRow } from '../rules/store.ts'
import { applyFinding, resolveOrphanedIncidents } from './apply-finding.ts'
import { replayStatuses, type StatusStep, type StatusResult } from './replay.ts'
import { fanOutSignals, requestReevaluation, type Signal, type SignalledMonitor, SIGNALS, takeSignals } from '../signals/store.ts'
import { deriveFlapping, FLAPPING_CHANGES } from './flapping.ts'
import { listLastChanges, lockMonitor, type EvaluatedMonitor, recordFlapping } from './monitor-store.ts'

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
  const statusRules = rules.filter(({ metric }) => metric === 'status')
  const { isFlapping, stableAtMs } = await evaluateFlapping(context)
  const evaluationTimes: number[] = isFlapping && stableAtMs !== undefined ? [stableAtMs] : []
  for (const steps of splitAtPauses(stepsOf(signals, monitor))) {
    const open = new Set((await lockOpenIncidents(db, organization, [monitor.id])).map(({ rule_id }) => rule_id))
    for (const rule of statusRules) {
      const { results, nextEvaluationMs } = replayStatuses(rule, open.has(rule.id), steps, nowMs)
      // While it flaps an incident stays open, whatever the status is: it is notified once.
      for (const result of results.filter((one) => !isFlapping || one.result === 'opened'))
        await applyResult(context, rule, result, isFlapping)
      if (nextEvaluationMs !== undefined) evaluationTimes.push(nextEvaluationMs)
    }
    const paused = steps.find(({ status }) => status === 'paused')
    if (paused) await resolveIncidentsOf(db, organization, [monitor.id], PAUSED, new Date(paused.atMs))
  }
  if (monitor.status !== 'idle') await notifyOfFlapping(context, statusRules, isFlapping)
  await scheduleReevaluation(context, evaluationTimes)
}

/** Whether the status alternates, and until when unless it changes again. */
async function evaluateFlapping({ db, organization, monitor, nowMs }: MonitorContext) {
  const { number, status, flapping_since: since, interval_seconds: intervalSeconds } = monitor
  // Nothing is known before its active hours begin.
  if (status === 'idle') return { isFlapping: since !== null, stableAtMs: undefined }
  const changes = await listLastChanges(db, organization, number, FLAPPING_CHANGES)
  const changesMs = changes.map((at) => at.getTime())
  const derived = deriveFlapping({ isFlapping: since !== null, changesMs, intervalSeconds }, nowMs)
  const isFlapping = derived.isFlapping && status !== 'paused'
  if (isFlapping !== (since !== null)) await recordFlapping(db, organization, number, isFlapping ? new Date(nowMs) : null)
  return { ...derived, isFlapping }
}

/** Notifies once when an open incident begins to flap, and once when it is stable and still open. */
async function notifyOfFlapping(
  { db, organization, monitor, nowMs }: MonitorContext,
  rules: readonly RuleRow[],
  isFlapping: boolean,
): Promise<void> {
  if (!isFlapping && monitor.flapping_since === null) return
  const step = isFlapping
    ? ({ type: 'flapping', message: `${FLAPPING_CHANGES} changes of the status within an hour` } as const)
    : ({ type: 'stable', message: `the status is ${monitor.status} without a further change` } as const)
  const target = { id: monitor.id, ruleIds: rules.map(({ id }) => id) }
  await changeFlapping(db, organization, target, step, new Date(nowMs))
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
  const isCovered = (rule: RuleRow) => monitor.kind !== 'composite' || coversComposites(rule)
  return rules.filter((rule) => isCovered(rule) && appliesTo(rule, { ...monitor, type: 'monitor' }))
}

async function applyResult(
  { db, organization, monitor }: MonitorContext,
  rule: RuleRow,
  { result, atMs, step: { status, reason } }: StatusResult,
  flapping: boolean,
): Promise<void> {
  const summary = status === 'paused' ? PAUSED : `${monitor.name} is ${status}: ${reason}`
  const target = { type: 'monitor', ...monitor } as const
  await applyFinding(db, organization, { rule, result, target, summary, flapping, evidence: { status, reason } }, new Date(atMs))
}

/** The first duration that ends has all rules of the monitor evaluated again. */
async function scheduleReevaluation(context: MonitorContext, evaluationTimes: readonly number[]): Promise<void> {
  const { db, organization, monitor, nowMs } = context
  if (evaluationTimes.length === 0) return
  await requestReevaluation(db, organization, [monitor.number], new Date(nowMs), new Date(Math.min(...evaluationTimes)))
}
