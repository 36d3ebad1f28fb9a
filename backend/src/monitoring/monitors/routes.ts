import {
  BulkMonitorsAnswer,
  BulkMonitorsBody,
  CheckTrial,
  CreateMonitorBody,
  DeletedMonitorList,
  MonitorParams,
  MonitorDetails,
  MonitorList,
  MonitorListQuery,
  PatchMonitorBody,
  Ref,
} from '@vedette/shared'
import {
  callerOf,
  type ChangingRouteDeps,
  ORGANIZATION_DELETED,
  defineResource,
  recordedMany,
  resourceRoutes,
  tenantOf,
} from '../../access/auth/index.ts'
import { createConcurrencyBound } from '../../platform/concurrency/concurrency-bound.ts'
import type { App } from '../../platform/http/index.ts'
import { decodeId, parseId } from '../../platform/ids.ts'
import { bulkMonitors, authorizeParts } from './bulk.ts'
import { checkMonitor, type CheckNowDeps } from './check-now.ts'
import type { MonitorDeps } from './deps.ts'
import { listMonitors } from './list.ts'
import { pauseMonitor, resumeMonitor } from './pause.ts'
import { getMonitor } from './read.ts'
import { listDeletedMonitors } from './restore.ts'
import { ownMonitorFaults } from './input.ts'
import { createMonitor, deleteMonitor, monitorChangeFaults, patchMonitor, restoreMonitor, testMonitor } from './service.ts'
import { lockMonitors } from './store.ts'
import { monitorConfiguration } from './configuration.ts'

const tags = ['monitors']
/** Each may take the longest timeout of a check, and looks names up. */
const TRIALS_AT_ONCE = 10

/** What checks, pushes and others change meanwhile. */
const MEASURED = [
  'flapping',
  'uptime_7d',
  'avg_response_ms',
  'last_checked_at',
  'status_since',
  'certificate_expires_at',
  'next_ping',
  'alert_rules',
  'recent_checks',
  'updated_at',
]

export const monitorResource = defineResource({
  kind: 'monitor',
  path: '/v1/monitors',
  operation: ['Monitor', 'Monitors'],
  noun: ['a monitor', 'monitors'],
  tags,
  speaks: true,
  access: { read: 'read', create: 'monitors:create', change: 'monitors:update', delete: 'monitors:delete' },
  schemas: {
    params: MonitorParams,
    query: MonitorListQuery,
    list: MonitorList,
    details: MonitorDetails,
    create: CreateMonitorBody,
    patch: PatchMonitorBody,
  },
  texts: {
    list: 'Newest first, unless `sort` says otherwise. Uptime and mean response time cover seven days.',
    create: 'The first check runs at once; until then the status is `up`.',
    get: 'Callers without permission to change it get `•••` instead of header values and the body.',
    update: 'Omitted fields stay unchanged. A header or body with the value `•••` keeps its stored value.',
    delete: 'It can be restored with its history for 30 days.',
  },
  summaries: { get: 'Get a monitor with its newest checks', update: 'Change a monitor' },
  measured: MEASURED,
  ownFaults: ownMonitorFaults,
  ownChangeFaults: monitorChangeFaults,
  refuses: {
    list: ORGANIZATION_DELETED,
    create: { 402: 'The plan allows no more monitors, or the interval is shorter than it allows', ...ORGANIZATION_DELETED },
    update: { 402: 'The interval is shorter than the plan allows' },
  },
  lock: (db, organization, id) => lockMonitors(db, organization, [id]),
  list: (deps: MonitorDeps, tenant, query) => listMonitors(deps, tenant, query),
  get: (deps, _, id, principal) => getMonitor(deps, principal, id),
  create: createMonitor,
  patch: patchMonitor,
  delete: deleteMonitor,
  restore: {
    restore: restoreMonitor,
    text: 'With its history, rules and windows; a check runs at once, unless it was paused.',
    refuses: { 402: 'The plan allows no more monitors, or its interval is shorter than it allows' },
    deleted: { schema: DeletedMonitorList, read: listDeletedMonitors },
  },
  configuration: monitorConfiguration,
})

const routesOfResource = resourceRoutes(monitorResource)

const monitorId = (request: { params: { id: string } }): string => decodeId('monitor', request.params.id)

export function monitorRoutes(app: App, deps: CheckNowDeps & ChangingRouteDeps): void {
  const { principalOf, creating } = deps
  routesOfResource(app, deps)
  const trials = createConcurrencyBound('tests of definitions', 'organization', TRIALS_AT_ONCE)

  app.post(
    '/v1/monitors/test',
    {
      schema: {
        operationId: 'testMonitor',
        summary: 'Test a definition',
        description: "Runs one check now from the backend's own region. Nothing is stored.",
        tags,
        body: Ref(CreateMonitorBody),
        response: { 200: Ref(CheckTrial) },
      },
      config: { access: 'monitors:create', speaks: true, idempotent: false, ownFaults: ownMonitorFaults },
    },
    async (request) => {
      const principal = principalOf(request)
      return trials.run(tenantOf(principal).number, () => testMonitor(deps, principal, request.body))
    },
  )

  app.post(
    '/v1/monitors/bulk',
    {
      schema: {
        operationId: 'changeMonitors',
        summary: 'Create, change, delete and restore many monitors',
        description: 'All or none, at most 500 together. Each part needs its own permission.',
        tags,
        body: Ref(BulkMonitorsBody),
        response: { 200: Ref(BulkMonitorsAnswer) },
      },
      config: {
        access: 'monitors:create',
        speaks: true,
        idempotent: true,
        refuses: {
          402: 'The plan allows no more monitors, or an interval is shorter than it allows',
          403: 'The credentials have no permission for one of the parts',
          ...ORGANIZATION_DELETED,
        },
      },
      preValidation: async (request) => authorizeParts(principalOf(request), request.body),
    },
    async (request, reply) =>
      creating(request, reply, async (db) => {
        const [caller, { update = [], delete: remove = [], restore = [] }] = [callerOf(deps, request), request.body]
        const stored = (ids: readonly string[]) => ids.flatMap((id) => parseId('monitor', id) ?? [])
        const body = await recordedMany(monitorResource, { ...deps, db }, caller, {
          ids: stored([...update.map(({ id }) => id), ...remove, ...restore]),
          work: (within) => bulkMonitors(within, caller, request.body),
          idsOf: ({ results }) => stored(results.flatMap(({ action, id }) => (action === 'delete' ? [] : [id]))),
          restored: stored(restore),
        })
        return { status: 200, id: body.results[0]?.id ?? '', body }
      }),
  )
  stateRoutes(app, deps)
}

function stateRoutes(app: App, deps: CheckNowDeps & ChangingRouteDeps): void {
  app.post(
    '/v1/monitors/:id/pause',
    {
      schema: {
        operationId: 'pauseMonitor',
        summary: 'Pause a monitor',
        description: 'Stops its checks; the status is `paused` until it is resumed. Pausing a paused monitor changes nothing.',
        tags,
        params: MonitorParams,
        response: { 200: Ref(MonitorDetails) },
      },
      config: { access: 'monitors:update', speaks: true, idempotent: false },
    },
    async (request) => pauseMonitor(deps, callerOf(deps, request), monitorId(request)),
  )

  app.post(
    '/v1/monitors/:id/resume',
    {
      schema: {
        operationId: 'resumeMonitor',
        summary: 'Resume a monitor',
        description: 'Restores the status before the pause; a check runs at once.',
        tags,
        params: MonitorParams,
        response: { 200: Ref(MonitorDetails) },
      },
      config: { access: 'monitors:update', speaks: true, idempotent: false },
    },
    async (request) => resumeMonitor(deps, callerOf(deps, request), monitorId(request)),
  )

  app.post(
    '/v1/monitors/:id/check',
    {
      schema: {
        operationId: 'checkMonitor',
        summary: 'Check a monitor now',
        description:
          'In all its regions, each as soon as a backend or probe of the region takes it. The results are stored as those of any other check, and the schedule stays. A check that is due or running already is not begun again. At most 6 a minute for a monitor.',
        tags,
        params: MonitorParams,
        response: { 200: Ref(MonitorDetails) },
      },
      config: {
        access: 'monitors:update',
        speaks: true,
        idempotent: false,
        refuses: { 409: 'The monitor is paused, or it is a heartbeat, which waits for pings' },
      },
    },
    async (request) => checkMonitor(deps, deps.principalOf(request), monitorId(request)),
  )
}
