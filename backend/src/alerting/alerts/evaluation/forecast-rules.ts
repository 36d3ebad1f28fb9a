import { capacityMetric, counted, HOUR_MS, quantity } from '@vedette/shared'
import { type Capacity, forecast, readCapacities } from '../../../hosts/forecast/index.ts'
import type { ForecastOf } from '../../../hosts/health/index.ts'
import { type Db, sourceOf } from '../../../platform/db/index.ts'
import type { RuleRow } from '../rules/store.ts'
import type { ServerResult } from './apply-server-result.ts'
import { CLOSED, evaluate } from './evaluate.ts'
import type { DueServer } from './server-samples.ts'

/** The days of a forecast change by a day. */
const EVERY_MS = HOUR_MS
/** Servers whose forecasts are made in one evaluation: each takes some milliseconds, and others wait. */
const AT_ONCE = 20

/** For the health of servers, of which nearly all have no rule on forecasts, they are made less often, and fewer at once. */
const [HEALTH_EVERY_MS, HEALTH_AT_ONCE] = [6 * HOUR_MS, 3]

/** What fills, and in how many days; infinite where it does not. */
export interface DaysUntilFull {
  mount: string | undefined
  days: number
  earliest: number
  latest: number | null
}

/** Evaluates rules on days until something is full; it keeps the forecasts of servers for an hour. */
export interface ForecastEvaluator {
  /** In the order of the servers. */
  evaluate(servers: readonly DueServer[], nowMs: number): Promise<ServerResult[][]>
  /** The forecasts of filesystems for one evaluation of the health of servers. */
  ofHealth(nowMs: number): ForecastOf
}

export function createForecastEvaluator(db: Db): ForecastEvaluator {
  const made = new Map<number, { atMs: number; values: DaysUntilFull[] }>()
  const from = sourceOf(db)

  async function make(organization: number, server: number, nowMs: number): Promise<DaysUntilFull[]> {
    const values = (await readCapacities(from, { organization, server }, nowMs)).flatMap(daysUntilFull)
    made.set(server, { atMs: nowMs, values })
    return values
  }

  return {
    ofHealth: (nowMs) => {
      let left = HEALTH_AT_ONCE
      return async ({ organization, server }) => {
        const before = made.get(server)
        const isDue = nowMs - (before?.atMs ?? Number.NEGATIVE_INFINITY) >= HEALTH_EVERY_MS && left > 0
        if (isDue) left -= 1
        const values = isDue ? await make(organization, server, nowMs) : before?.values
        return (
          values &&
          new Map(values.flatMap(({ mount, days }) => (mount !== undefined && Number.isFinite(days) ? [[mount, days]] : [])))
        )
      }
    },
    evaluate: async (servers, nowMs) => {
      let left = AT_ONCE
      const results: ServerResult[][] = []
      for (const dueServer of servers) {
        const rules = dueServer.rules.filter(({ metric }) => capacityMetric(metric))
        const { organization, server } = dueServer.tracked
        const before = made.get(server)
        let values = before?.values ?? []
        if (rules.length > 0 && dueServer.pushes.length > 0 && left > 0 && nowMs - (before?.atMs ?? 0) >= EVERY_MS) {
          left -= 1
          values = await make(organization, server, nowMs)
        }
        results.push(rules.flatMap((rule) => evaluateRule(dueServer, rule, values, nowMs) ?? []))
      }
      return results
    },
  }
}

/** Nothing where too few days are known. */
export function daysUntilFull({ mount, days, hours }: Capacity): DaysUntilFull[] {
  const found = forecast(days, hours)
  if (found === 'too_few_days') return []
  if (typeof found === 'string')
    return [{ mount, days: Number.POSITIVE_INFINITY, earliest: Number.POSITIVE_INFINITY, latest: null }]
  return [{ mount, ...found }]
}

/** Of those that the rule is about the one that is full first. Pure. */
export function soonest(
  { metric, mount }: Pick<RuleRow, 'metric' | 'mount'>,
  values: readonly DaysUntilFull[],
): DaysUntilFull | undefined {
  const isMemory = capacityMetric(metric) === 'memory'
  const own = values.filter((one) => (one.mount === undefined) === isMemory && (mount === null || mount === one.mount))
  return own.reduce<DaysUntilFull | undefined>((best, one) => (best && best.days <= one.days ? best : one), undefined)
}

function evaluateRule(
  { server, open }: DueServer,
  rule: RuleRow,
  values: readonly DaysUntilFull[],
  nowMs: number,
): ServerResult | undefined {
  const found = soonest(rule, values)
  const instantly = { ...rule, for_seconds: 0 }
  const result = found && evaluate(instantly, { ...CLOSED, isOpen: open.has(rule.id) }, found.days, nowMs).result
  if (!result) return undefined
  const isKnown = Number.isFinite(found.days)
  return {
    rule,
    result,
    summary: describeForecast(server.name, rule, found),
    evidence: {
      metric: rule.metric,
      value: isKnown ? found.days : null,
      ...(isKnown && { earliest_days: found.earliest, latest_days: found.latest }),
      ...(found.mount !== undefined && { mount: found.mount }),
    },
    ...(isKnown && { value: found.days }),
    atMs: nowMs,
  }
}

/** `web-1: /var is full in 6 days (5 to 9; threshold: below 7 days)`; what is full within a day has hours. Pure. */
export function describeForecast(
  name: string,
  { value }: Pick<RuleRow, 'value'>,
  { mount, days, earliest, latest }: DaysUntilFull,
): string {
  const what = mount === undefined ? 'memory' : mount
  const [unit, aDay] = days < 1 ? ['hours', 24] : ['days', 1]
  const round = (inDays: number) => Number((inDays * aDay).toFixed(inDays * aDay < 10 ? 1 : 0))
  if (!Number.isFinite(days)) return counted`${name}: ${what} does not fill as it did (threshold: below ${value} days)`
  const until = latest === null ? `${round(earliest)} or more` : `${round(earliest)} to ${round(latest)}`
  return counted`${name}: ${what} is full in ${quantity(round(days), unit)} (${until}; threshold: below ${value} days)`
}
