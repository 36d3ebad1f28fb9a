import {
  MONITOR_STATUSES,
  type MonitorItem,
  type MonitorSort,
  type MonitorStatus,
  oldestReadableMs,
  type RegionState,
  STATS_PERIODS,
  toTimestamp,
  isWatched,
} from '@vedette/shared'
import type { Tenant } from '../../access/auth/index.ts'
import { countedState, readHourlyMeans, readRecentChecks, readRegionStates, readUptime, weekHour } from '../checks/index.ts'
import { findPlan } from '../../access/plans/index.ts'
import type { PageRequest } from '../../platform/db/index.ts'
import { countsOf, sortByValue } from '../../platform/lists.ts'
import type { MonitorDeps } from './deps.ts'
import { readNextPings } from './heartbeat.ts'
import * as store from './list-store.ts'
import { readFigures } from './read.ts'
import { certificateOf, toMonitorItem } from './wire.ts'

export interface ListRequest {
  page: number
  limit: number
  status?: MonitorStatus
  q?: string
  tag?: string[]
  untagged?: boolean
  sort?: string
  /** Names of extras, separated by commas. */
  include?: string
}

/** One page of the organization's monitors with their statistics over seven days. */
export async function listMonitors(deps: MonitorDeps, tenant: Tenant, request: ListRequest) {
  const { page, limit, status, q, tag = [], untagged = false } = request
  const filter = { status, text: q, tags: tag, isUntagged: untagged }
  const include = new Set(request.include?.split(','))
  const [{ total, rows, figures: known }, counts] = await Promise.all([
    readOrdered(deps, tenant, filter, parseOrder(request.sort), { page, limit }),
    include.has('counts') ? store.countByStatus(deps.db, tenant.number, filter) : undefined,
  ])
  const rest = { total, page, limit, ...(counts && { counts: countsOf(MONITOR_STATUSES, counts) }) }
  if (rows.length === 0) return { monitors: [], ...rest }
  // Run in parallel, because each mostly waits for the database.
  const [figures, extras] = await Promise.all([
    known ?? deps.reader(({ db }) => readFigures(db, tenant, numbersOf(rows), deps.clock.now())),
    readExtras(deps, tenant, rows, include),
  ])
  const monitors = rows.map((row): MonitorItem => {
    const own = figures(row.number)
    return { ...toMonitorItem(row, own), ...extras(row), ...(include.has('facts') && certificateOf(own)) }
  })
  return { monitors, ...rest }
}

type ReadFigures = Awaited<ReturnType<typeof readFigures>>
interface OrderedPage {
  total: number
  rows: store.MonitorItemRow[]
  /** Of the rows, where the order needed them. */
  figures?: ReadFigures
}

async function readOrdered(
  deps: MonitorDeps,
  tenant: Tenant,
  filter: store.MonitorFilter,
  { by, descending }: store.Order,
  page: PageRequest,
): Promise<OrderedPage> {
  if (by === 'uptime') return readByFigure(deps, tenant, filter, { by: 'failures', descending: !descending }, page)
  if (by === 'response_ms') return readByFigure(deps, tenant, filter, { by, descending }, page)
  return store.listPage(deps.db, tenant.number, filter, { by, descending }, page)
}

/** Figures of seven days are read only of monitors that can be on the page: those of all take half a second for 20,000 monitors. */
async function readByFigure(
  deps: MonitorDeps,
  tenant: Tenant,
  filter: store.MonitorFilter,
  order: store.FigureOrder,
  page: PageRequest,
): Promise<OrderedPage> {
  const nowMs = deps.clock.now()
  // A plan with a shorter history has few monitors.
  const isWhole = oldestReadableMs(await findPlan(deps.db, tenant.number), nowMs) <= nowMs - STATS_PERIODS['7d']
  const hour = isWhole ? weekHour(nowMs) : undefined
  const { total, before, candidates } = await store.listCandidates(deps.db, tenant.number, filter, order, hour, page)
  const valueOf = (figures: ReadFigures, number: number): number => {
    const { checks, failed, answered, responseSumUs } = figures(number).counts
    const [sum, count] = order.by === 'failures' ? [failed, checks] : [responseSumUs, answered]
    // Those without checks are last in both directions.
    return count === 0 ? Number.POSITIVE_INFINITY : (order.descending ? -sum : sum) / count
  }
  const read = (numbers: number[]) => deps.reader(({ db }) => readFigures(db, tenant, numbers, nowMs))
  const unknown = candidates.filter(({ low, high }) => low < high).map(({ number }) => number)
  const bounded = unknown.length === 0 ? undefined : await read(unknown)
  const sorted = sortByValue(candidates, ({ low, high, number }) => (bounded && low < high ? valueOf(bounded, number) : low))
  const start = (page.page - 1) * page.limit - before
  const numbers = sorted.slice(start, start + page.limit).map(({ number }) => number)
  if (numbers.length === 0) return { total, rows: [] }
  const [rows, figures] = await Promise.all([store.listNumbers(deps.db, tenant.number, numbers), read(numbers)])
  // The order of what is shown, which may be newer.
  return { total, rows: sortByValue(rows, ({ number }) => valueOf(figures, number)), figures }
}

/** `-name` is descending; the default is newest first. */
function parseOrder(sort: string | undefined): store.Order {
  if (sort === undefined) return { by: 'created_at', descending: true }
  return { by: sort.replace(/^-/, '') as MonitorSort, descending: sort.startsWith('-') }
}

type Extras = Pick<MonitorItem, 'sparkline' | 'uptime' | 'p95_response_ms' | 'status_by_region' | 'facts' | 'next_ping'>

async function readExtras(
  deps: MonitorDeps,
  tenant: Tenant,
  rows: readonly store.MonitorItemRow[],
  include: ReadonlySet<string>,
): Promise<(row: store.MonitorItemRow) => Extras> {
  const [sparklines, uptimes, facts] = await Promise.all([
    include.has('sparkline') ? readSparklines(deps, tenant, rows) : undefined,
    include.has('uptime') ? readUptimes(deps, tenant, rows) : undefined,
    include.has('facts') ? readFacts(deps, tenant, rows) : undefined,
  ])
  return (row) => ({ ...sparklines?.(row), ...uptimes?.(row), ...facts?.(row) })
}

const numbersOf = (rows: readonly store.MonitorItemRow[]) => rows.map(({ number }) => number)

async function readSparklines({ reader, clock }: MonitorDeps, tenant: Tenant, rows: readonly store.MonitorItemRow[]) {
  const { fromMs, stepSeconds, means } = await reader(({ db }) =>
    readHourlyMeans(db, tenant.number, numbersOf(rows), clock.now()),
  )
  return ({ number }: store.MonitorItemRow): Extras => ({
    sparkline: { from: toTimestamp(fromMs), step_seconds: stepSeconds, avg_response_ms: means.get(number) ?? [] },
  })
}

async function readFacts({ reader, db, clock }: MonitorDeps, tenant: Tenant, rows: readonly store.MonitorItemRow[]) {
  const checks = await reader((read) => readRecentChecks(read.db, tenant.number, numbersOf(rows), 1))
  const factsOf = new Map(checks.map(({ monitor, facts }) => [monitor, facts ?? {}]))
  const heartbeats = rows.filter(({ type }) => type === 'heartbeat')
  const scheduled = heartbeats.length === 0 ? [] : await store.listOptions(db, tenant.number, numbersOf(heartbeats))
  const nextPings = await readNextPings(db, tenant.number, scheduled, clock.now())
  return ({ number }: store.MonitorItemRow): Extras => ({
    facts: factsOf.get(number) ?? {},
    next_ping: nextPings.get(number) ?? null,
  })
}

async function readUptimes({ reader, clock }: MonitorDeps, tenant: Tenant, rows: readonly store.MonitorItemRow[]) {
  const nowMs = clock.now()
  const numbers = numbersOf(rows)
  const [{ fromMs, stepSeconds, uptimes }, states] = await reader(({ db }) =>
    Promise.all([readUptime(db, tenant.number, numbers, nowMs), readRegionStates(db, tenant.number, numbers)]),
  )
  const statesOf = Map.groupBy(states, ({ monitor }) => monitor)
  return (row: store.MonitorItemRow): Extras => {
    const own = uptimes.get(row.number)
    const isCounted = isWatched(row.status)
    const byRegion = (statesOf.get(row.number) ?? []).map((view): [string, RegionState | null] => [
      view.region,
      isCounted ? countedState(view, row.interval_seconds * 1000, nowMs) : null,
    ])
    return {
      uptime: { from: toTimestamp(fromMs), step_seconds: stepSeconds, uptime_percent: own?.days ?? [] },
      p95_response_ms: own?.p95ResponseMs ?? null,
      status_by_region: { ...Object.fromEntries(row.regions.map((region) => [region, null])), ...Object.fromEntries(byRegion) },
    }
  }
}
