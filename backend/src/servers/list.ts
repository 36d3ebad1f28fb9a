import { SERVER_STATUSES, type ServerSort, type ServerStatus } from '@vedette/shared'
import type { Tenant } from '../auth/index.ts'
import { countsOf, sortByValue } from '../platform/lists.ts'
import { type ServerDeps, sinceDay } from './deps.ts'
import * as store from './list-store.ts'
import { onlineAfter } from './presence.ts'
import { type ItemExtras, type Snapshot, toServerItem } from './wire.ts'

export interface ListRequest {
  page: number
  limit: number
  status?: ServerStatus
  q?: string
  tag?: string[]
  untagged?: boolean
  sort?: string
  include?: string
}

/** One page of the organization's servers; filter, total and items agree on one instant. */
export async function listServers(deps: ServerDeps, tenant: Tenant, request: ListRequest) {
  const now = deps.clock.now()
  const filter: store.ServerFilter = {
    status: request.status,
    text: request.q,
    tags: request.tag ?? [],
    isUntagged: request.untagged ?? false,
    onlineAfterMs: onlineAfter(now, deps.uptime, deps.pushIntervalSeconds),
    sinceDay: sinceDay(now),
  }
  const include = new Set(request.include?.split(','))
  const [{ total, rows }, counts] = await Promise.all([
    readPage(deps, tenant.number, filter, parseOrder(request.sort), request),
    include.has('counts') ? store.countByStatus(deps.db, tenant.number, filter) : undefined,
  ])
  const context = { onlineAfterMs: filter.onlineAfterMs, isOutdated: deps.isOutdated }
  const extras = await readExtras(deps, tenant.number, rows, include)
  const servers = rows.map((row) => toServerItem(row, context, extras(row)))
  return {
    servers,
    total,
    page: request.page,
    limit: request.limit,
    ...(counts && { counts: countsOf(SERVER_STATUSES, counts) }),
  }
}

/** `-name` is descending. The default is the newest registration first. */
function parseOrder(sort: string | undefined): store.Order {
  if (sort === undefined) return { by: 'created_at', descending: true }
  return { by: sort.replace(/^-/, '') as ServerSort, descending: sort.startsWith('-') }
}

function readPage(deps: ServerDeps, organization: number, filter: store.ServerFilter, order: store.Order, request: ListRequest) {
  const { by, descending } = order
  const offset = (request.page - 1) * request.limit
  if (by !== 'cpu' && by !== 'memory' && by !== 'disk') {
    return store.listPage(deps.pool, organization, filter, { by, descending }, { limit: request.limit, offset })
  }
  return readPageByLoad(deps, organization, filter, { by, descending }, { limit: request.limit, offset })
}

const LOAD = {
  cpu: (sample: NonNullable<Snapshot>) => sample.cpu?.['percent'],
  memory: (sample: NonNullable<Snapshot>) => sample.memory?.['percent'],
  disk: (sample: NonNullable<Snapshot>) => sample.disk?.['usage_percent'],
} as const

/** Samples are stored encoded, so all matching servers are read and then sorted. Servers without a value are last. */
async function readPageByLoad(
  deps: ServerDeps,
  organization: number,
  filter: store.ServerFilter,
  order: { by: keyof typeof LOAD; descending: boolean },
  page: { limit: number; offset: number },
) {
  const rows = await store.listAll(deps.db, organization, filter)
  const newest = await deps.samples.newestSamples(
    organization,
    rows.map((row) => row.number),
  )
  const loadOf = (row: store.ServerItemRow): number | undefined => {
    const sample = newest.get(row.number)
    const load = sample && LOAD[order.by](sample)
    return typeof load === 'number' ? load : undefined
  }
  const sorted = sortByValue(rows, loadOf, order.descending)
  return { total: rows.length, rows: sorted.slice(page.offset, page.offset + page.limit) }
}

async function readExtras(
  deps: ServerDeps,
  organization: number,
  rows: readonly store.ServerItemRow[],
  include: ReadonlySet<string>,
) {
  const numbers = rows.map((row) => row.number)
  const newest = include.has('metrics') ? await deps.samples.newestSamples(organization, numbers) : undefined
  const sparklines = include.has('sparkline') ? await deps.samples.sparklines(organization, numbers) : undefined
  return ({ number, last_push_ms }: store.ServerItemRow): ItemExtras => ({
    // The first push may have come after the page was read: an offline server that never pushed has no metrics.
    ...(newest ? { metrics: last_push_ms === null ? null : (newest.get(number) ?? null) } : {}),
    ...(sparklines ? { sparkline: sparklines.get(number) as NonNullable<ItemExtras['sparkline']> } : {}),
  })
}
