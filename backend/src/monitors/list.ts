import {
  MONITOR_STATUSES,
  type MonitorItem,
  type MonitorSort,
  type MonitorStatus,
  type RegionState,
  toTimestamp,
} from '@vedette/shared'
import type { Tenant } from '../auth/index.ts'
import { countedState, readHourlyMeans, readRegionStates, readUptime } from '../checks/index.ts'
import { countsOf, sortByValue } from '../platform/lists.ts'
import type { MonitorDeps } from './deps.ts'
import * as store from './list-store.ts'
import { readFigures } from './read.ts'
import { toMonitorItem } from './wire.ts'

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
  const monitors = rows.map((row): MonitorItem => ({ ...toMonitorItem(row, figures(row.number)), ...extras(row) }))
  return { monitors, ...rest }
}

type ReadFigures = Awaited<ReturnType<typeof readFigures>>
interface OrderedPage {
  total: number
  rows: store.MonitorItemRow[]
  /** Of the rows, where the order needed them. */
  figures?: ReadFigures
}

/** Uptime and response times are figures of checks: all matching monitors are read and then sorted, those without checks last. */
async function readOrdered(
  deps: MonitorDeps,
  tenant: Tenant,
  filter: store.MonitorFilter,
  { by, descending }: store.Order,
  { page, limit }: { page: number; limit: number },
): Promise<OrderedPage> {
  if (by !== 'uptime' && by !== 'response_ms')
    return store.listPage(deps.db, tenant.number, filter, { by, descending }, { page, limit })
  const rows = await store.listAll(deps.db, tenant.number, filter)
  if (rows.length === 0) return { total: 0, rows }
  const figures = await deps.reader(({ db }) => readFigures(db, tenant, numbersOf(rows), deps.clock.now()))
  const valueOf = ({ number }: store.MonitorItemRow): number | undefined => {
    const { checks, failed, answered, responseSumUs } = figures(number).counts
    if (by === 'uptime') return checks === 0 ? undefined : 1 - failed / checks
    return answered === 0 ? undefined : responseSumUs / answered
  }
  const sorted = sortByValue(rows, valueOf, descending)
  return { total: rows.length, rows: sorted.slice((page - 1) * limit, page * limit), figures }
}

/** `-name` is descending; the default is newest first. */
function parseOrder(sort: string | undefined): store.Order {
  if (sort === undefined) return { by: 'created_at', descending: true }
  return { by: sort.replace(/^-/, '') as MonitorSort, descending: sort.startsWith('-') }
}

type Extras = Pick<MonitorItem, 'sparkline' | 'uptime' | 'p95_response_ms' | 'status_by_region'>

async function readExtras(
  deps: MonitorDeps,
  tenant: Tenant,
  rows: readonly store.MonitorItemRow[],
  include: ReadonlySet<string>,
): Promise<(row: store.MonitorItemRow) => Extras> {
  const [sparklines, uptimes] = await Promise.all([
    include.has('sparkline') ? readSparklines(deps, tenant, rows) : undefined,
    include.has('uptime') ? readUptimes(deps, tenant, rows) : undefined,
  ])
  return (row) => ({ ...sparklines?.(row), ...uptimes?.(row) })
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

async function readUptimes({ reader, clock }: MonitorDeps, tenant: Tenant, rows: readonly store.MonitorItemRow[]) {
  const nowMs = clock.now()
  const numbers = numbersOf(rows)
  const [{ fromMs, stepSeconds, uptimes }, states] = await reader(({ db }) =>
    Promise.all([readUptime(db, tenant.number, numbers, nowMs), readRegionStates(db, tenant.number, numbers)]),
  )
  const statesOf = Map.groupBy(states, ({ monitor }) => monitor)
  return (row: store.MonitorItemRow): Extras => {
    const own = uptimes.get(row.number)
    const isCounted = row.status !== 'paused'
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
