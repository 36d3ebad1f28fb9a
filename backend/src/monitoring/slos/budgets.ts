import { DAY_MS, type Plan } from '@vedette/shared'
import { countGoodDays, type Window } from '../checks/index.ts'
import type { Db } from '../../platform/db/index.ts'
import { budgetLeftPercent, type GoodCounts } from './budget.ts'
import { countedWindow, countSlo, windowOfSlo } from './read-status.ts'
import { listMonitorsOfSlos, type SloRow } from './store.ts'

/** What is left of a budget, at an instant. */
export interface SloBudget {
  atMs: number
  /** May be negative; undefined without checks. */
  leftPercent: number | undefined
}

/** The longest window of an SLO is a quarter; its days are whole in UTC. */
const LONGEST_DAYS = 93

/**
 * The budgets of SLOs at the ends of UTC days that are compacted, those in the window and the last one before; and now, where `withNow`
 * says so. By the ids of the SLOs.
 */
export async function readBudgets(
  db: Db,
  { organization, plan, nowMs }: { organization: number; plan: Plan; nowMs: number },
  slos: readonly SloRow[],
  { fromMs, toMs }: Window,
  withNow: boolean,
): Promise<Map<string, SloBudget[]>> {
  const ids = slos.map(({ id }) => id)
  const monitors = ids.length === 0 ? new Map<string, number[]>() : await listMonitorsOfSlos(db, organization, ids)
  const groups = slos.map(({ id, threshold_ms: thresholdMs }) => {
    return { monitors: monitors.get(id) ?? [], thresholdUs: thresholdMs === null ? undefined : thresholdMs * 1_000 }
  })
  const [first, last] = [Math.floor(fromMs / DAY_MS), Math.floor(Math.min(toMs, nowMs) / DAY_MS)]
  const days = await countGoodDays(db, organization, groups, { from: first - LONGEST_DAYS, to: last })
  const byGroup = Map.groupBy(days, ({ group }) => group)
  const budgets = new Map<string, SloBudget[]>()
  for (const [group, slo] of slos.entries()) {
    const own = new Map((byGroup.get(group) ?? []).map((one) => [one.day, one]))
    const ends = Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index)
    const left = ends.flatMap((end) => (own.has(end - 1) ? [{ atMs: end * DAY_MS, leftPercent: leftAt(slo, own, end) }] : []))
    if (withNow) left.push({ atMs: nowMs, leftPercent: await leftNow(slo, groups[group]?.monitors ?? []) })
    budgets.set(slo.id, left)
  }
  return budgets

  async function leftNow(slo: SloRow, own: readonly number[]): Promise<number | undefined> {
    return (
      budgetLeftPercent(await countSlo(db, organization, slo, own, countedWindow(slo, plan, nowMs), nowMs), slo.objective) ??
      undefined
    )
  }
}

/** At the end of the day before this one. Pure. */
function leftAt(
  { period, time_zone: timeZone, objective }: Pick<SloRow, 'period' | 'time_zone' | 'objective'>,
  days: ReadonlyMap<number, GoodCounts>,
  end: number,
): number | undefined {
  const begin = Math.floor(windowOfSlo(period, timeZone, end * DAY_MS - 1).fromMs / DAY_MS)
  const counts = { good: 0, total: 0 }
  for (let day = begin; day < end; day++) {
    counts.good += days.get(day)?.good ?? 0
    counts.total += days.get(day)?.total ?? 0
  }
  return budgetLeftPercent(counts, objective) ?? undefined
}
