import { type HealthStatus, SERVER_STATUSES, type ServerSort, type ServerStatus } from '@vedette/shared'
import type { Tenant } from '../../access/auth/index.ts'
import { countsOf } from '../../platform/lists.ts'
import type { ServerDeps } from './deps.ts'
import * as store from './list-store.ts'
import { onlineAfter } from './presence.ts'
import { type ItemExtras, toServerItem } from './wire.ts'

export interface ListRequest {
  page: number
  limit: number
  status?: ServerStatus
  health?: HealthStatus
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
    health: request.health,
    text: request.q,
    tags: request.tag ?? [],
    isUntagged: request.untagged ?? false,
    onlineAfterMs: onlineAfter(now, deps.uptime, deps.pushIntervalSeconds),
  }
  const include = new Set(request.include?.split(','))
  const [{ total, rows }, counts] = await Promise.all([
    store.listPage(deps.pool, tenant.number, filter, parseOrder(request.sort), {
      limit: request.limit,
      offset: (request.page - 1) * request.limit,
    }),
    include.has('counts') ? store.countByStatus(deps.db, tenant.number, filter) : undefined,
  ])
  const context = { onlineAfterMs: filter.onlineAfterMs, isOutdated: deps.isOutdated }
  const extras = await readExtras(deps, tenant.number, rows, include)
  const servers = rows.map((row) => toServerItem(row, context, extras(row), include.has('health')))
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
