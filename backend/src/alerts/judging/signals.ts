import type { Clock } from '../../platform/clock.ts'
import { type Db, inTransaction } from '../../platform/db/index.ts'
import { newId } from '../../platform/ids.ts'
import { workOff } from '../../platform/work-off.ts'
import { resolveIncident, resolveIncidentsOf } from '../incidents/service.ts'
import { lockOpenIncidents, type OpenIncident } from '../incidents/store.ts'
import { appliesTo } from '../rules/rule.ts'
import { publishStatus } from '../telling/index.ts'
import { findEnabledRules, type RuleRow } from '../rules/store.ts'
import { openFor } from './open.ts'
import { replayStatuses, type StatusStep, type StatusVerdict } from './replay.ts'
import {
  holdMonitor,
  insertSignals,
  leaseSignals,
  type Signal,
  type Signalled,
  type SignalledMonitor,
  spreadSignals,
  takeSignals,
  type Watched,
} from './store.ts'

// A signal: left with the change of a status → leased by one process → judged, with what that opens and resolves, in one
// transaction that takes it away. A process that dies holds it no longer than its lease. Where a rule has to wait, the transaction
// leaves a signal for the instant at which it will have waited.

export interface JudgeSignalsDeps {
  db: Db
  clock: Clock
  ending: AbortSignal
}

/** Longer than judging a monitor may take. */
const LEASE_MS = 30_000
const AT_ONCE = 20
const PAUSED = 'the monitor was paused'

/** Judges the changes of status that wait. */
export async function judgeSignals({ db, clock, ending }: JudgeSignalsDeps): Promise<void> {
  const lease = () => leaseSignals(db, new Date(clock.now()), new Date(clock.now() + LEASE_MS), AT_ONCE)
  const work = (signalled: Signalled) =>
    inTransaction(db, (transaction) => {
      const { organization, monitor } = signalled
      if (monitor === null) return spreadSignals(transaction, organization, new Date(clock.now()))
      return judgeMonitor(transaction, { organization, monitor }, clock.now())
    })
  await workOff(lease, work, ending)
}

interface Judging {
  db: Db
  organization: number
  monitor: Watched
  nowMs: number
}

async function judgeMonitor(db: Db, signalled: SignalledMonitor, nowMs: number): Promise<void> {
  const signals = await takeSignals(db, signalled)
  const monitor = signals.length === 0 ? undefined : await holdMonitor(db, signalled)
  // Deleted meanwhile: its incidents were resolved with it.
  if (!monitor) return
  const { organization } = signalled
  for (const { to_status: status, reason, at } of signals)
    if (status !== null) await publishStatus(db, organization, monitor, { to_status: status, reason, at })
  const judging = { db, organization, monitor, nowMs }
  const rules = await rulesFor(judging)
  await resolveStrangers(judging, rules)
  const dues: number[] = []
  for (const steps of untilPauses(stepsOf(signals, monitor))) {
    const standing = await standingOf(judging)
    for (const rule of rules.filter(({ metric }) => metric === 'status')) {
      const open = standing.get(rule.id)
      const { verdicts, dueMs } = replayStatuses(rule, open !== undefined, steps, nowMs)
      for (const verdict of verdicts) await follow(judging, rule, verdict)
      if (dueMs !== undefined) dues.push(dueMs)
    }
    const paused = steps.find(({ status }) => status === 'paused')
    if (paused) await resolveIncidentsOf(db, organization, [monitor.id], PAUSED, new Date(paused.atMs))
  }
  await lookAgainAt(judging, dues)
}

/** The statuses that the signals tell of; where they tell of none, the one that stands. */
function stepsOf(signals: readonly Signal[], { status, since, reason }: Watched): StatusStep[] {
  const told = signals.flatMap((signal) =>
    signal.to_status === null ? [] : [{ status: signal.to_status, reason: signal.reason, atMs: signal.at.getTime() }],
  )
  return told.length > 0 ? told : [{ status, reason: reason ?? '', atMs: since.getTime() }]
}

/** In parts that each end with a pause: that ends what no rule of the status speaks of as well. */
function untilPauses(steps: readonly StatusStep[]): StatusStep[][] {
  const parts: StatusStep[][] = [[]]
  for (const step of steps) {
    parts.at(-1)?.push(step)
    if (step.status === 'paused') parts.push([])
  }
  return parts.filter((part) => part.length > 0)
}

async function rulesFor({ db, organization, monitor }: Judging): Promise<RuleRow[]> {
  const rules = await findEnabledRules(db, organization, 'monitor', [monitor.id], true)
  return rules.filter((rule) => appliesTo(rule, { type: 'monitor', ...monitor }))
}

const standingOf = async ({ db, organization, monitor }: Judging): Promise<Map<string, OpenIncident>> =>
  new Map((await lockOpenIncidents(db, organization, [monitor.id])).map((open) => [open.rule_id, open]))

/** Ends what a rule opened that does not speak of this monitor any more: it lost a tag. */
async function resolveStrangers(judging: Judging, rules: readonly RuleRow[]): Promise<void> {
  const { db, organization, nowMs } = judging
  const known = new Set(rules.map(({ id }) => id))
  for (const [ruleId, open] of await standingOf(judging)) {
    if (!known.has(ruleId)) await resolveIncident(db, organization, open, 'the rule speaks of it no more', new Date(nowMs))
  }
}

async function follow(judging: Judging, rule: RuleRow, { verdict, atMs, step }: StatusVerdict): Promise<void> {
  const { db, organization, monitor } = judging
  const summary = `${monitor.name} is ${step.status}: ${step.reason}`
  if (verdict === 'opened') {
    const target = { type: 'monitor' as const, ...monitor }
    await openFor(
      db,
      organization,
      { rule, target, summary, evidence: { status: step.status, reason: step.reason } },
      new Date(atMs),
    )
    return
  }
  const open = (await standingOf(judging)).get(rule.id)
  const why = step.status === 'paused' ? PAUSED : summary
  if (open) await resolveIncident(db, organization, open, why, new Date(step.atMs))
}

/** With the first rule that will have waited for long enough all are judged again. */
async function lookAgainAt({ db, organization, monitor, nowMs }: Judging, dues: readonly number[]): Promise<void> {
  if (dues.length === 0) return
  const signal = { organization, monitor: monitor.number, at: new Date(nowMs), to_status: null, reason: '' }
  await insertSignals(db, [{ ...signal, id: newId(), next_try_at: new Date(Math.min(...dues)) }])
}
