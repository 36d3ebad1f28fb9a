import { type MonitorItem, type MonitorSort, type MonitorStatus, toTimestamp } from '@vedette/shared'
import type { Tenant } from '../auth/index.ts'
import { readHourlyMeans } from '../checks/index.ts'
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
  sort?: string
  include?: 'sparkline'
}

/** One page of the organization's monitors, with their figures over seven days. */
export async function listMonitors(deps: MonitorDeps, tenant: Tenant, request: ListRequest) {
  const { page, limit, status, q, tag = [] } = request
  const filter = { status, text: q, tags: tag }
  const { total, rows } = await store.listPage(deps.db, tenant.number, filter, parseOrder(request.sort), { page, limit })
  const numbers = rows.map(({ number }) => number)
  if (numbers.length === 0) return { monitors: [], total, page, limit }
  const figures = await deps.reader(({ db }) => readFigures(db, tenant, numbers, deps.clock.now()))
  const sparklines = request.include ? await readSparklines(deps, tenant, numbers) : undefined
  const monitors = rows.map((row): MonitorItem => {
    const item = toMonitorItem(row, figures(row.number))
    return sparklines ? { ...item, sparkline: sparklines(row.number) } : item
  })
  return { monitors, total, page, limit }
}

/** `-name` is descending; without a word the newest stands first. */
function parseOrder(sort: string | undefined): store.Order {
  if (sort === undefined) return { by: 'created_at', descending: true }
  return { by: sort.replace(/^-/, '') as MonitorSort, descending: sort.startsWith('-') }
}

async function readSparklines({ reader, clock }: MonitorDeps, tenant: Tenant, numbers: readonly number[]) {
  const { fromMs, stepSeconds, means } = await reader(({ db }) => readHourlyMeans(db, tenant.number, numbers, clock.now()))
  return (number: number): NonNullable<MonitorItem['sparkline']> => ({
    from: toTimestamp(fromMs),
    step_seconds: stepSeconds,
    avg_response_ms: means.get(number) ?? [],
  })
}
