import { MAX_RULE_SERIES } from '@vedette/shared'
import PQueue from 'p-queue'
import { type Changes, createRereading, type Db, inTransaction } from '../../../platform/db/index.ts'
import type { Log } from '../../../platform/logging/log.ts'
import type { Clock } from '../../../platform/time/clock.ts'
import { PromqlError } from '../../../querying/promql/index.ts'
import { lockOpenIncidentsOfRule, resolveIncident } from '../../incidents/index.ts'
import { applyFinding } from '../evaluation/apply-finding.ts'
import { type FiringSeries, type Labels, type QuerySeries, readAnswer, seriesText, valueText } from './answer.ts'
import { evaluateSeries, isChange, type SeriesState, type SeriesStep } from './evaluate-series.ts'
import { listOpenSeries, listSeriesRules, lockSeriesRule, recordEvaluation, type SeriesRule } from './store.ts'
import { findTargets } from './subjects.ts'

export interface SeriesEvaluationDeps {
  db: Db
  clock: Clock
  log: Log
  changes: Pick<Changes, 'on' | 'isHeard'>
  querySeries: QuerySeries
  ending: AbortSignal
}

/** Half of what may be evaluated at once: people ask as well. */
const AT_ONCE = 2
/** The lease lasts for longer than this and one evaluation. */
const RUN_MS = 30_000
const RULES_EVERY_MS = 60_000
const MAX_ERROR_LENGTH = 500

export interface SeriesEvaluation {
  /** Whether there is a rule on an expression. */
  hasRules(): Promise<boolean>
  /** Evaluates those that are due. One process at a time calls it. */
  evaluate(): Promise<void>
}

export function createSeriesEvaluation(deps: SeriesEvaluationDeps): SeriesEvaluation {
  const { db, clock, ending } = deps
  const reading = createRereading(deps, 'alert_rule', 0, RULES_EVERY_MS)
  let rules: SeriesRule[] = []
  let lastMs = Number.NEGATIVE_INFINITY
  const dueMs = new Map<string, number>()
  const keyOf = ({ id, defined_at: at }: SeriesRule) => `${id} ${at.getTime()}`
  const dueOf = (rule: SeriesRule) => dueMs.get(keyOf(rule)) ?? Number.NEGATIVE_INFINITY
  async function readRules(nowMs: number): Promise<void> {
    if (reading.dueMs() > nowMs) return
    rules = await reading.read(() => listSeriesRules(db))
    const known = new Set(rules.map(keyOf))
    for (const key of dueMs.keys()) if (!known.has(key)) dueMs.delete(key)
  }
  async function evaluate(): Promise<void> {
    const nowMs = clock.now()
    if (nowMs < lastMs) {
      // The clock stepped back.
      dueMs.clear()
      reading.expire()
    }
    lastMs = nowMs
    await readRules(nowMs)
    const due = rules.filter((rule) => dueOf(rule) <= nowMs).toSorted((one, other) => dueOf(one) - dueOf(other))
    if (due.length === 0) return
    const ids = due.map(({ id }) => id)
    const open = Map.groupBy(await listOpenSeries(db, ids), ({ rule_id: id }) => id)
    const queue = new PQueue({ concurrency: AT_ONCE })
    await queue.addAll(
      due.map((rule) => async () => {
        if (ending.aborted || clock.now() - nowMs > RUN_MS) return
        const everyMs = rule.every_seconds * 1_000
        dueMs.set(keyOf(rule), Math.max(dueOf(rule) + everyMs, clock.now() + everyMs / 2))
        await evaluateRule(deps, rule, new Set((open.get(rule.id) ?? []).map(({ series }) => series)))
      }),
    )
  }
  return {
    hasRules: async () => {
      await readRules(clock.now())
      return rules.length > 0
    },
    evaluate,
  }
}

/** One that fails is tried again when it is due. */
async function evaluateRule(deps: SeriesEvaluationDeps, rule: SeriesRule, open: ReadonlySet<string>): Promise<void> {
  const { clock, db, log } = deps
  try {
    const atMs = clock.now()
    const answer = await query(deps, rule, atMs)
    if (answer === undefined) return
    if (typeof answer === 'string') {
      if (rule.last_error !== answer) await recordEvaluation(db, rule, { error: answer })
      rule.last_error = answer
      return
    }
    const before = { since: sinceOf(rule), open }
    if (!isChange(before, evaluateSeries(rule, before, answer, atMs)) && rule.last_error === null) return
    const current = await inTransaction(db, (transaction) => apply(transaction, rule, answer, atMs))
    if (current) Object.assign(rule, current)
  } catch (error) {
    log.error({ err: error, organization: rule.organization, rule: rule.id }, 'a rule could not be evaluated and is tried again')
  }
}

/** The series of its expression now, or in words why there are none; undefined at the end of the process. */
async function query(
  { querySeries, ending }: SeriesEvaluationDeps,
  { organization, expression }: SeriesRule,
  atMs: number,
): Promise<ReadonlyMap<string, FiringSeries> | string | undefined> {
  try {
    const instant = { expression, startMs: atMs, endMs: atMs, stepMs: 0, limit: MAX_RULE_SERIES + 1 }
    return readAnswer(await querySeries(organization, instant, ending))
  } catch (error) {
    if (ending.aborted) return undefined
    if (!(error instanceof PromqlError)) throw error
    return error.message.slice(0, MAX_ERROR_LENGTH)
  }
}

/** What an earlier definition had to remember is void. */
const sinceOf = ({ evaluation, defined_at: definedAt }: SeriesRule): ReadonlyMap<string, number> =>
  new Map(evaluation?.definedMs === definedAt.getTime() ? Object.entries(evaluation.since) : [])

/** Opens and resolves incidents, unless the rule has changed since; what is stored by now counts. */
async function apply(
  db: Db,
  { organization, id, defined_at: definedAt }: SeriesRule,
  answer: ReadonlyMap<string, FiringSeries>,
  atMs: number,
): Promise<Pick<SeriesRule, 'evaluation' | 'last_error'> | undefined> {
  const rule = await lockSeriesRule(db, organization, id)
  if (rule?.defined_at.getTime() !== definedAt.getTime()) return undefined
  const at = new Date(atMs)
  const openIncidents = await lockOpenIncidentsOfRule(db, organization, id)
  const before: SeriesState = { since: sinceOf(rule), open: new Set(openIncidents.map(({ series }) => series)) }
  const step = evaluateSeries(rule, before, answer, atMs)
  const over = new Set(step.resolved)
  for (const open of openIncidents)
    if (over.has(open.series)) await resolveIncident(db, organization, open, 'the expression no longer gives this series', at)
  await openAll(db, rule, step, answer, at)
  await recordEvaluation(db, rule, step)
  return { evaluation: { definedMs: definedAt.getTime(), since: Object.fromEntries(step.since) }, last_error: null }
}

async function openAll(
  db: Db,
  rule: SeriesRule,
  { opened }: SeriesStep,
  answer: ReadonlyMap<string, FiringSeries>,
  at: Date,
): Promise<void> {
  const series = opened.flatMap((id) => answer.get(id) ?? [])
  const targets = await findTargets(db, rule.organization, rule.name, series)
  for (const { id, labels, value } of series) {
    const target = targets.get(id)
    if (!target) continue
    const summary = `${seriesText(labels, { withName: true }) || rule.name} = ${valueText(value)}`
    const evidence = {
      expression: rule.expression,
      labels: evidenceLabels(labels),
      value: Number.isFinite(value) ? value : valueText(value),
    }
    await applyFinding(db, rule.organization, { rule, result: 'opened', target, series: id, summary, evidence }, at)
  }
}

const MAX_LABEL_LENGTH = 1_024

/** Bounded, as all evidence is. */
const evidenceLabels = (labels: Labels): Labels =>
  Object.fromEntries(Object.entries(labels).map(([label, text]) => [label, text.slice(0, MAX_LABEL_LENGTH)]))
