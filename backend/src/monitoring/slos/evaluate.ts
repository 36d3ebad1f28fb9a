import { BURN_ALERTS, type BurnAlert } from '@vedette/shared'
import { listSloRules, type SloRule } from '../../alerting/alerts/index.ts'
import { listOpenKeys, lockOpenIncidents, openIncident, resolveIncident } from '../../alerting/incidents/index.ts'
import { createNodeLanes, type Db, inTransaction, isOfNode, type NodeLanes } from '../../platform/db/index.ts'
import { newId } from '../../platform/ids.ts'
import type { Log } from '../../platform/logging/log.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { burnRate, type GoodCounts, hasTooFewChecks, isBurning } from './budget.ts'
import { countSlo, lastSeconds } from './read-status.ts'
import { type EvaluatedSlo, listNextSlos, listSloMonitors } from './store.ts'

const AT_ONCE = 100

interface Finding {
  rule: SloRule
  long: GoodCounts
  isBurning: boolean
}

/** A long window changes slowly and costs the most, so it is evaluated less often. The job runs every 30 seconds. */
const EVERY_MS: Readonly<Record<BurnAlert, number>> = { '1h': 20_000, '6h': 120_000, '3d': 300_000 }
/** Rests for so many times as long as an evaluation took, so that it takes at most a thirtieth of the time, but not for longer than this. */
const REST_FACTOR = 29
const MAX_REST_MS = 300_000

export interface EvaluationDeps {
  db: Db
  clock: Clock
  log: Log
}

/** Evaluates all SLOs at each call; only what is due, and nothing while it rests. */
export function createSloEvaluation(deps: EvaluationDeps): () => Promise<void> {
  const evaluated = new Map<string, number>()
  const inLanes = createNodeLanes(deps)
  let restUntilMs = 0
  return async () => {
    const startMs = deps.clock.now()
    if (startMs < restUntilMs) return
    await evaluateSlos(deps, evaluated, inLanes)
    restUntilMs = deps.clock.now() + restMs(deps.clock.now() - startMs)
  }
}

/** How long to rest after an evaluation of this length. Pure. */
export const restMs = (tookMs: number): number => Math.min(tookMs * REST_FACTOR, MAX_REST_MS)

/**
 * Evaluates the burn-rate alerts of all SLOs: opens and resolves their incidents. The unique key of open incidents allows several
 * processes to run it. An SLO that fails is logged and tried again by the next run, as is one whose node is still busy with earlier
 * ones. `evaluated`: when each definition of an alert was last evaluated; those that are not due are left out.
 */
export async function evaluateSlos(
  deps: EvaluationDeps,
  evaluated = new Map<string, number>(),
  inLanes: NodeLanes = createNodeLanes(deps),
): Promise<void> {
  const { db, clock } = deps
  const startMs = clock.now()
  for (const [key, atMs] of evaluated) if (startMs - atMs > MAX_REST_MS * 2) evaluated.delete(key)
  let after: EvaluatedSlo | undefined
  for (;;) {
    const slos = await listNextSlos(db, after, AT_ONCE)
    await inLanes(slos, (some) => evaluateInTurn(deps, some, evaluated))
    after = slos.at(-1)
    if (slos.length < AT_ONCE) return
  }
}

/** SLOs of one node: where it does not answer, the others of it are not tried, since each would wait as long. */
async function evaluateInTurn(
  { db, clock, log }: EvaluationDeps,
  slos: readonly EvaluatedSlo[],
  evaluated: Map<string, number>,
): Promise<void> {
  for (const slo of slos) {
    try {
      await evaluateSlo(db, slo, evaluated, clock.now())
    } catch (error) {
      log.error({ err: error, organization: slo.organization, slo: slo.id }, 'an SLO could not be evaluated and is tried again')
      if (isOfNode(error)) return
    }
  }
}

async function evaluateSlo(db: Db, slo: EvaluatedSlo, evaluated: Map<string, number>, nowMs: number): Promise<void> {
  const { organization } = slo
  const keyOf = ({ id, definedAt }: SloRule) => `${id} ${definedAt.getTime()}`
  const isDue = (rule: SloRule) => nowMs - (evaluated.get(keyOf(rule)) ?? Number.NEGATIVE_INFINITY) >= EVERY_MS[rule.alert]
  const due = (await listSloRules(db, organization, [slo.id])).filter((rule) => rule.enabled && isDue(rule))
  if (due.length === 0) return
  const open = await listOpenKeys(
    db,
    due.map(({ id }) => id),
  )
  const monitors = await listSloMonitors(db, organization, slo)
  const count = (seconds: number) => countSlo(db, organization, slo, monitors, lastSeconds(seconds, nowMs), nowMs)
  for (const rule of due) {
    const { longSeconds, shortSeconds } = BURN_ALERTS[rule.alert]
    const long = await count(longSeconds)
    // The short window is read only where the long one burns.
    const burns = isBurning(long, long, rule.alert, slo.objective)
      ? isBurning(long, await count(shortSeconds), rule.alert, slo.objective)
      : false
    if (burns !== open.has(`${rule.id} ${slo.id}`))
      await inTransaction(db, (transaction) => apply(transaction, slo, { rule, long, isBurning: burns }, nowMs))
    evaluated.set(keyOf(rule), nowMs)
  }
}

/** Opens or resolves the incident, unless the SLO has changed since. */
async function apply(db: Db, slo: EvaluatedSlo, { rule, long, isBurning: burns }: Finding, nowMs: number): Promise<void> {
  const { organization } = slo
  const current = (await listSloRules(db, organization, [slo.id], true)).find(({ id }) => id === rule.id)
  if (!current?.enabled || current.definedAt.getTime() !== rule.definedAt.getTime()) return
  const at = new Date(nowMs)
  const rate = burnRate(long, slo.objective)
  const summary = summaryOf(slo.name, rule.alert, long, slo.objective)
  if (!burns) {
    const open = (await lockOpenIncidents(db, organization, [slo.id])).find(({ rule_id: ruleId }) => ruleId === rule.id)
    if (open) await resolveIncident(db, organization, open, summary, at)
    return
  }
  await openIncident(
    db,
    organization,
    {
      id: newId(),
      rule_id: rule.id,
      target_type: 'slo',
      target_id: slo.id,
      target_name: slo.name,
      severity: BURN_ALERTS[rule.alert].severity,
      summary,
      silenced: false,
      evidence: { burn_rate: rate, window: rule.alert, objective: slo.objective, good: long.good, total: long.total },
    },
    at,
  )
}

/** `Shop: error budget burns 15.2 times too fast over 1h (threshold 14.4, 3 of 60 checks bad)`. Pure. */
export function summaryOf(name: string, alert: BurnAlert, long: GoodCounts, objective: number): string {
  const rate = burnRate(long, objective)
  const { factor } = BURN_ALERTS[alert]
  if (rate === null) return `${name}: no checks in the last ${alert}`
  const few = hasTooFewChecks(long.total, alert, objective) ? '; one bad check is enough, there are too few to decide' : ''
  const counts = `${long.total - long.good} of ${long.total} checks bad${few}`
  return `${name}: burn rate ${Number(rate.toFixed(2))} over ${alert} (threshold ${factor}, ${counts})`
}
