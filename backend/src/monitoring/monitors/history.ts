import { type Check, oldestSingleMs, type Outcome, OUTCOMES, type Transition } from '@vedette/shared'
import type { Tenant } from '../../access/auth/index.ts'
import { listChecks, listTransitions, readResponses } from '../checks/index.ts'
import { findPlan } from '../../access/plans/index.ts'
import { invalid, notFound } from '../../platform/errors.ts'
import { instantAt } from '../../platform/time/instant.ts'
import { findRegionNumbers } from '../regions/index.ts'
import type { MonitorDeps } from './deps.ts'
import { findMonitorNumber } from './store.ts'
import { toCheck, toTransition } from './wire.ts'

interface RangeRequest {
  page: number
  limit: number
  from?: string
  to?: string
}

export interface ChecksRequest extends RangeRequest {
  region?: string
  status?: Outcome
  include?: 'response'
}

/**
 * One page of a monitor's checks, newest first, within the plan's history. Throws validation_error for an unknown region,
 * not_found across organizations.
 */
export async function listMonitorChecks(deps: MonitorDeps, tenant: Tenant, id: string, request: ChecksRequest) {
  const { page, limit } = request
  if (request.include === 'response' && limit > MAX_WITH_RESPONSES)
    throw invalid({ path: 'limit', message: `must be at most ${MAX_WITH_RESPONSES} with include=response` })
  const { from, to } = parseRange(request)
  const region = await findRegion(deps, request.region)
  const monitor = await numberOf(deps, tenant, id)
  const oldestMs = oldestSingleMs(await findPlan(deps.db, tenant.number), deps.clock.now())
  const fromMs = Math.max(from?.getTime() ?? Number.NEGATIVE_INFINITY, oldestMs)
  const filter = {
    fromMs: Number.isFinite(fromMs) ? fromMs : undefined,
    toMs: to?.getTime(),
    region,
    outcome: request.status && OUTCOMES.indexOf(request.status),
  }
  const { total, rows } = await listChecks(deps.db, tenant.number, monitor, filter, { page, limit })
  const checks: Check[] = rows.map(toCheck)
  if (request.include === 'response') await addResponses(deps, { organization: tenant.number, monitor }, checks)
  return { checks, total, page, limit }
}

/** Each is up to 64 KiB. */
const MAX_WITH_RESPONSES = 20

async function addResponses(
  { db, encrypter, clock }: MonitorDeps,
  monitor: { organization: number; monitor: number },
  checks: Check[],
): Promise<void> {
  const keys = checks.map(({ region, checked_at: at }) => ({ region, at: Date.parse(at) }))
  const responses = await readResponses(db, encrypter, monitor, keys, clock.now())
  for (const check of checks) {
    const response = responses.get(`${check.region} ${Date.parse(check.checked_at)}`)
    if (response !== undefined) check.response = response
  }
}

/** One page of a monitor's transitions, newest first. Throws not_found across organizations. */
export async function listMonitorTransitions(deps: MonitorDeps, tenant: Tenant, id: string, request: RangeRequest) {
  const { page, limit } = request
  const range = parseRange(request)
  const monitor = await numberOf(deps, tenant, id)
  const { total, rows } = await listTransitions(deps.db, tenant.number, monitor, range, { page, limit })
  const transitions: Transition[] = rows.map(toTransition)
  return { transitions, total, page, limit }
}

/** [from, to). */
function parseRange({ from, to }: RangeRequest): { from: Date | undefined; to: Date | undefined } {
  const range = {
    from: from === undefined ? undefined : instantAt('from', from),
    to: to === undefined ? undefined : instantAt('to', to),
  }
  if (range.from && range.to && range.from > range.to) throw invalid({ path: 'to', message: 'must not be before from' })
  return range
}

async function findRegion({ db }: MonitorDeps, id: string | undefined): Promise<number | undefined> {
  if (id === undefined) return undefined
  const number = (await findRegionNumbers(db, [id])).get(id)
  if (number === undefined) throw invalid({ path: 'region', message: 'must be the id of a region' })
  return number
}

async function numberOf({ db }: MonitorDeps, tenant: Tenant, id: string): Promise<number> {
  const number = await findMonitorNumber(db, tenant.number, id)
  if (number === undefined) throw notFound()
  return number
}
