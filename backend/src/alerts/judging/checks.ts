import type { Clock } from '../../platform/clock.ts'
import { type Db, inTransaction } from '../../platform/db/index.ts'
import { resolveIncident } from '../incidents/service.ts'
import { listStanding, lockOpenIncidents } from '../incidents/store.ts'
import { appliesTo } from '../rules/rule.ts'
import { holdRules, listCheckRules, type RuleRow } from '../rules/store.ts'
import { type CheckedMonitor, listChecked, type ResponseAnswer, type ResponseQuestion, readResponses } from './check-store.ts'
import { judge, QUIET, type Verdict } from './judge.ts'
import { openFor } from './open.ts'
import { holdMonitor, lockJudging } from './store.ts'
import { summaryOf } from './summary.ts'

export interface CheckJudge {
  /** Judges the checks that came since the last time. Called every few seconds. */
  judge(): Promise<void>
}

const DAY_MS = 86_400_000
/** Checks are stored some time after their instant; after a start those of the last minutes are looked at. */
const LOOK_BACK_MS = 60_000
const FIRST_LOOK_BACK_MS = 300_000

/** What a rule makes of a monitor. */
interface Judged {
  monitor: CheckedMonitor
  rule: RuleRow & { organization: number }
  value: number | undefined
  verdict: Verdict
}

/**
 * Judges by the numbers of checks: response times and what certificates have left. What is open is told by the database alone:
 * any number of processes may look, and one that is started anew goes on.
 */
export function createCheckJudge({ db, clock }: { db: Db; clock: Clock }): CheckJudge {
  let sinceMs = clock.now() - FIRST_LOOK_BACK_MS
  return {
    judge: async () => {
      const nowMs = clock.now()
      const rules = await listCheckRules(db)
      if (rules.length > 0) await judgeBy(db, rules, sinceMs, nowMs)
      sinceMs = nowMs - LOOK_BACK_MS
    },
  }
}

async function judgeBy(db: Db, rules: readonly (RuleRow & { organization: number })[], sinceMs: number, nowMs: number) {
  const organizations = [...new Set(rules.map(({ organization }) => organization))]
  const fresh = rules.filter(({ says_since }) => says_since.getTime() > sinceMs).map(({ organization }) => organization)
  const monitors = await listChecked(db, organizations, sinceMs, fresh)
  const byOrganization = Map.groupBy(rules, ({ organization }) => organization)
  const pairs = monitors.flatMap((monitor) =>
    (byOrganization.get(monitor.organization) ?? [])
      .filter((rule) => appliesTo(rule, { type: 'monitor', ...monitor }))
      .map((rule) => ({ monitor, rule })),
  )
  if (pairs.length === 0) return
  const standing = await listStanding(
    db,
    rules.map(({ id }) => id),
  )
  const answers = await answersTo(db, pairs)
  const judged = pairs.map(({ monitor, rule }, index): Judged => {
    const value = valueOf(rule, monitor, answers[index], nowMs)
    const isOpen = standing.has(`${rule.id} ${monitor.id}`)
    return { monitor, rule, value, verdict: judgeNumber(rule, isOpen, value) }
  })
  for (const one of judged) if (one.verdict) await inTransaction(db, (transaction) => follow(transaction, one, nowMs))
}

/** The mean over the time is taken already. */
const judgeNumber = (rule: RuleRow, isOpen: boolean, value: number | undefined): Verdict =>
  judge({ ...rule, for_seconds: 0 }, { ...QUIET, isOpen }, value, 0).verdict

async function answersTo(
  db: Db,
  pairs: readonly { monitor: CheckedMonitor; rule: RuleRow }[],
): Promise<(ResponseAnswer | undefined)[]> {
  const asked = pairs.filter(({ rule }) => rule.metric === 'response_ms')
  const answers = await readResponses(
    db,
    asked.map(({ monitor, rule }): ResponseQuestion => {
      const { organization, monitor: number, last_checked_at: lastCheckedAtMs, interval_seconds: intervalSeconds } = monitor
      return { organization, monitor: number, forSeconds: rule.for_seconds, lastCheckedAtMs, intervalSeconds }
    }),
  )
  const byPair = new Map(asked.map((pair, index) => [pair, answers[index]]))
  return pairs.map((pair) => byPair.get(pair))
}

/**
 * What the condition looks at. Of regions that differ the one that is further over counts: it opens if one of them is slow, and
 * is over once none is.
 */
function valueOf(
  { metric, operator }: RuleRow,
  monitor: CheckedMonitor,
  answer: ResponseAnswer | undefined,
  nowMs: number,
): number | undefined {
  if (metric === 'certificate_days') {
    const endsMs = monitor.certificate_expires_at
    return endsMs === null ? undefined : (endsMs - nowMs) / DAY_MS
  }
  return (operator === 'less_than' ? answer?.least_ms : answer?.greatest_ms) ?? undefined
}

/** Opens or resolves, unless the rule or the monitor is another by now. */
async function follow(db: Db, { monitor, rule, value, verdict }: Judged, nowMs: number): Promise<void> {
  const { organization } = monitor
  await lockJudging(db, monitor.monitor)
  const held = await holdMonitor(db, { organization, monitor: monitor.monitor })
  const [current] = await holdRules(db, organization, [rule.id])
  if (!held || held.status === 'paused' || current?.says_since.getTime() !== rule.says_since.getTime()) return
  if (!appliesTo(current, { type: 'monitor', ...held })) return
  const [summary, at] = [summaryOf(held.name, current, value as number), new Date(nowMs)]
  if (verdict === 'opened') {
    const evidence = { [current.metric]: value }
    await openFor(db, organization, { rule: current, target: { type: 'monitor', ...held }, summary, evidence }, at)
    return
  }
  const standing = await lockOpenIncidents(db, organization, [monitor.id])
  const open = standing.find(({ rule_id }) => rule_id === rule.id)
  if (open) await resolveIncident(db, organization, open, summary, at)
}
