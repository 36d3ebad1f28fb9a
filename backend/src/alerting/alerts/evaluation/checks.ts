import { DAY_MS, isCertificateMetric, isWatched } from '@vedette/shared'
import type { Clock } from '../../../platform/time/clock.ts'
import {
  type Changes,
  createNodeLanes,
  createRereading,
  type Db,
  inTransaction,
  type Slices,
} from '../../../platform/db/index.ts'
import type { CertificateFindings } from '../../../monitoring/certificates/index.ts'
import { listOpenKeys } from '../../incidents/index.ts'
import { appliesTo } from '../rules/rule.ts'
import { lockRules, listCheckRules, type RuleRow } from '../rules/store.ts'
import { certificateText, certificateValue, readCertificateFindings } from './certificate-rules.ts'
import { type CheckedMonitor, listCheckedMonitors, type FigureQuery, type Figures, readFigures } from './check-store.ts'
import { applyFinding } from './apply-finding.ts'
import type { Evaluator } from './evaluator.ts'
import { evaluate, CLOSED, type EvaluationResult } from './evaluate.ts'
import { lockEvaluation } from '../signals/store.ts'
import { lockMonitor } from './monitor-store.ts'
import { summaryOf } from './summary.ts'

const EVALUATE_EVERY_MS = 5_000
/** How often rules are read again where they are announced. */
const RULES_EVERY_MS = 60_000
/** Checks are stored some time after their instant; after a start those of the last minutes are evaluated. */
const WINDOW_MS = 60_000
const FIRST_WINDOW_MS = 300_000

/** What a rule found at a monitor. */
interface CheckEvaluation {
  monitor: CheckedMonitor
  rule: OwnedRule
  value: number | undefined
  /** What a rule on certificates says. */
  text: string | undefined
  result: EvaluationResult
}

interface CheckEvaluatorDeps {
  db: Db
  clock: Clock
  changes: Pick<Changes, 'on' | 'isHeard'>
  /** Which monitors this process evaluates, by their number. */
  slices(): Slices
}

type OwnedRule = RuleRow & { organization: number }

/**
 * Evaluates the rules on response times, facts of checks and certificate expiry. Open incidents are read from the database: any number of processes
 * may evaluate, and one may be restarted at any time.
 */
export function createCheckEvaluator(deps: CheckEvaluatorDeps): Evaluator {
  const { db, clock } = deps
  const inLanes = createNodeLanes(deps)
  let lastMs = Number.NEGATIVE_INFINITY
  let sinceMs = clock.now() - FIRST_WINDOW_MS
  let slices: Slices | undefined
  const reading = createRereading(deps, 'alert_rule', 0, RULES_EVERY_MS)
  let rules: readonly OwnedRule[] = []
  const isShareNew = () => slices !== deps.slices()
  const dueMs = () =>
    isShareNew() ? Number.NEGATIVE_INFINITY : Math.max(lastMs + EVALUATE_EVERY_MS, rules.length > 0 ? 0 : reading.dueMs())

  async function evaluateRules(nowMs: number): Promise<void> {
    const monitors = await listMonitors(db, rules, sinceMs, deps.slices())
    const left = await inLanes(monitors, (some) => evaluateMonitors(db, rules, some, nowMs))
    if (left.length === 0) sinceMs = nowMs - WINDOW_MS
  }

  return {
    isDue: () => {
      const nowMs = clock.now()
      return nowMs < lastMs || dueMs() <= nowMs
    },
    dueMs,
    evaluate: async () => {
      const nowMs = clock.now()
      if (nowMs < lastMs) reading.expire()
      if (isShareNew()) {
        slices = deps.slices()
        sinceMs = Math.min(sinceMs, nowMs - FIRST_WINDOW_MS)
      }
      if (reading.dueMs() <= nowMs) rules = await reading.read(() => listCheckRules(db))
      if (rules.length > 0) await evaluateRules(nowMs)
      else sinceMs = nowMs - WINDOW_MS
      lastMs = nowMs
    },
  }
}

function listMonitors(db: Db, rules: readonly OwnedRule[], sinceMs: number, slices: Slices): Promise<CheckedMonitor[]> {
  const organizations = [...new Set(rules.map(({ organization }) => organization))]
  const fresh = rules.filter(({ defined_at }) => defined_at.getTime() > sinceMs).map(({ organization }) => organization)
  return listCheckedMonitors(db, organizations, sinceMs, fresh, slices)
}

async function evaluateMonitors(
  db: Db,
  rules: readonly OwnedRule[],
  monitors: readonly CheckedMonitor[],
  nowMs: number,
): Promise<void> {
  const byOrganization = Map.groupBy(rules, ({ organization }) => organization)
  const pairs = monitors.flatMap((monitor) =>
    (byOrganization.get(monitor.organization) ?? [])
      .filter((rule) => appliesTo(rule, { type: 'monitor', ...monitor }))
      .map((rule) => ({ monitor, rule })),
  )
  if (pairs.length === 0) return
  const open = await listOpenKeys(
    db,
    rules.map(({ id }) => id),
  )
  const figures = await readFiguresOf(db, pairs)
  const certificates = await readCertificateFindings(db, pairs, nowMs)
  const evaluations = pairs.map(({ monitor, rule }, index): CheckEvaluation => {
    const seen = certificates.get(monitor.monitor)
    const value = valueOf(rule, monitor, figures[index], { seen, nowMs })
    const isOpen = open.has(`${rule.id} ${monitor.id}`)
    const text = certificateText(monitor.name, rule.metric, seen)
    return { monitor, rule, value, text, result: evaluateNumber(rule, isOpen, value) }
  })
  for (const one of evaluations) if (one.result) await inTransaction(db, (transaction) => applyResult(transaction, one, nowMs))
}

/** The database has already averaged over the duration. */
const evaluateNumber = (rule: RuleRow, isOpen: boolean, value: number | undefined): EvaluationResult =>
  evaluate({ ...rule, for_seconds: 0 }, { ...CLOSED, isOpen }, value, 0).result

async function readFiguresOf(
  db: Db,
  pairs: readonly { monitor: CheckedMonitor; rule: RuleRow }[],
): Promise<(Figures | undefined)[]> {
  const queried = pairs.filter(({ rule: { metric } }) => metric !== 'certificate_days' && !isCertificateMetric(metric))
  const figures = await readFigures(
    db,
    queried.map(({ monitor, rule }): FigureQuery => {
      const { organization, monitor: number, last_checked_at: lastCheckedAtMs, interval_seconds: intervalSeconds } = monitor
      return {
        metric: rule.metric,
        organization,
        monitor: number,
        forSeconds: rule.for_seconds,
        lastCheckedAtMs,
        intervalSeconds,
      }
    }),
  )
  const byPair = new Map(queried.map((pair, index) => [pair, figures[index]]))
  return pairs.map((pair) => byPair.get(pair))
}

/** The value that the condition compares. The worst region counts: the incident opens if one is slow, and is over once none is. */
function valueOf(
  { metric, operator }: RuleRow,
  monitor: CheckedMonitor,
  figures: Figures | undefined,
  { seen, nowMs }: { seen: CertificateFindings | undefined; nowMs: number },
): number | undefined {
  if (isCertificateMetric(metric)) return certificateValue(metric, seen)
  if (metric === 'certificate_days') {
    const endsMs = monitor.certificate_expires_at
    return endsMs === null ? undefined : (endsMs - nowMs) / DAY_MS
  }
  return (operator === 'less_than' ? figures?.least : figures?.greatest) ?? undefined
}

/** Opens or resolves the incident, unless the rule or the monitor has changed since. */
async function applyResult(db: Db, { monitor, rule, value, text, result }: CheckEvaluation, nowMs: number): Promise<void> {
  const { organization } = monitor
  await lockEvaluation(db, monitor.monitor)
  const monitorRow = await lockMonitor(db, { organization, monitor: monitor.monitor })
  const [current] = await lockRules(db, organization, [rule.id])
  if (!monitorRow || !isWatched(monitorRow.status)) return
  if (current?.defined_at.getTime() !== rule.defined_at.getTime()) return
  const target = { type: 'monitor', ...monitorRow } as const
  if (!result || !appliesTo(current, target)) return
  const summary = text ?? summaryOf(monitorRow.name, current, value as number, { isOver: result === 'resolved' })
  const evidence = { [current.metric]: value }
  await applyFinding(db, organization, { rule: current, result, target, summary, evidence }, new Date(nowMs))
}
