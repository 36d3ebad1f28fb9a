import {
  BulkMonitorsAnswer,
  BulkMonitorsBody,
  CheckTrial,
  CreateMonitorBody,
  DeletedMonitorList,
  DeletedMonitorQuery,
  MonitorParams,
  MonitorDetails,
  MonitorList,
  MonitorListQuery,
  PatchMonitorBody,
  Ref,
} from '@vedette/shared'
import { Type } from 'typebox'
import { type ChangingRouteDeps, tenantOf } from '../../access/auth/index.ts'
import { createConcurrencyBound } from '../../platform/concurrency/concurrency-bound.ts'
import { type App, type ChangedResource, pageOf } from '../../platform/http/index.ts'
import { decodeId } from '../../platform/ids.ts'
import { bulkMonitors, authorizeParts } from './bulk.ts'
import type { MonitorDeps } from './deps.ts'
import { listMonitors } from './list.ts'
import { pauseMonitor, resumeMonitor } from './pause.ts'
import { getMonitor } from './read.ts'
import { listDeletedMonitors } from './restore.ts'
import { createMonitor, deleteMonitor, patchMonitor, restoreMonitor, testMonitor } from './service.ts'
import type { Db } from '../../platform/db/index.ts'
import { lockMonitors } from './store.ts'

const tags = ['monitors']
const ORGANIZATION_GONE = 'The organization was deleted while the request ran'
/** Each may take the longest timeout of a check, and looks names up. */
const TRIALS_AT_ONCE = 10
const SHORT_INTERVAL = 'The interval is shorter than the plan allows'

/** What checks, pushes and others change meanwhile. */
const MEASURED = [
  'flapping',
  'uptime_7d',
  'avg_response_ms',
  'last_checked_at',
  'status_since',
  'certificate_expires_at',
  'alert_rules',
  'recent_checks',
  'updated_at',
]

export function monitorRoutes(app: App, { principalOf, creating, changing, ...deps }: MonitorDeps & ChangingRouteDeps): void {
  const trials = createConcurrencyBound('tests of definitions', 'organization', TRIALS_AT_ONCE)
  const actorOf = (request: { ip: string }) => ({ principal: principalOf(request), ip: request.ip })
  const monitorId = (request: { params: { id: string } }): string => decodeId('monitor', request.params.id)
  const monitorOf = (request: { params: { id: string } }): ChangedResource => {
    const [tenant, id] = [tenantOf(principalOf(request)), monitorId(request)]
    return {
      lock: (db) => lockMonitors(db, tenant.number, [id]),
      read: (db) => getMonitor({ ...deps, db }, principalOf(request), id),
    }
  }

  app.post(
    '/v1/monitors',
    {
      schema: {
        operationId: 'createMonitor',
        summary: 'Create a monitor',
        description: 'The first check runs at once; until then the status is `up`.',
        tags,
        body: Ref(CreateMonitorBody),
        response: { 201: Ref(MonitorDetails) },
      },
      config: {
        access: 'monitors:create',
        idempotent: true,
        locates: true,
        refuses: { 402: 'The plan allows no more monitors, or the interval is shorter than it allows', 404: ORGANIZATION_GONE },
      },
    },
    async (request, reply) =>
      creating(request, reply, async (db) => {
        const body = await createMonitor({ ...deps, db }, actorOf(request), request.body)
        return { status: 201, id: body.id, location: `/v1/monitors/${body.id}`, body }
      }),
  )

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
      config: { access: 'monitors:create', idempotent: false },
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
        idempotent: true,
        refuses: {
          402: 'The plan allows no more monitors, or an interval is shorter than it allows',
          403: 'The credentials have no permission for one of the parts',
          404: ORGANIZATION_GONE,
        },
      },
      preValidation: async (request) => authorizeParts(principalOf(request), request.body),
    },
    async (request, reply) =>
      creating(request, reply, async (db) => {
        const body = await bulkMonitors({ ...deps, db }, actorOf(request), request.body)
        return { status: 200, id: body.results[0]?.id ?? '', body }
      }),
  )

  app.get(
    '/v1/monitors',
    {
      schema: {
        operationId: 'listMonitors',
        summary: 'List monitors',
        description: 'Newest first, unless `sort` says otherwise. Uptime and mean response time cover seven days.',
        tags,
        querystring: MonitorListQuery,
        response: { 200: Ref(MonitorList) },
      },
      config: { access: 'read', refuses: { 404: ORGANIZATION_GONE } },
    },
    async (request) => listMonitors(deps, tenantOf(principalOf(request)), pageOf(request.query)),
  )

  app.get(
    '/v1/monitors/:id',
    {
      schema: {
        operationId: 'getMonitor',
        summary: 'Get a monitor with its newest checks',
        description: 'Callers without permission to change it get `•••` instead of header values and the body.',
        tags,
        params: MonitorParams,
        response: { 200: Ref(MonitorDetails) },
      },
      config: { hasEtag: true, access: 'read' },
    },
    async (request) => getMonitor(deps, principalOf(request), monitorId(request)),
  )

  app.patch(
    '/v1/monitors/:id',
    {
      schema: {
        operationId: 'updateMonitor',
        summary: 'Change a monitor',
        description: 'Omitted fields stay unchanged. A header or body with the value `•••` keeps its stored value.',
        tags,
        params: MonitorParams,
        body: Ref(PatchMonitorBody),
        response: { 200: Ref(MonitorDetails) },
      },
      config: { hasEtag: true, measured: MEASURED, access: 'monitors:update', refuses: { 402: SHORT_INTERVAL } },
    },
    async (request, reply) =>
      changing(request, reply, monitorOf(request), (db) =>
        patchMonitor({ ...deps, db }, actorOf(request), monitorId(request), request.body),
      ),
  )

  app.delete(
    '/v1/monitors/:id',
    {
      schema: {
        operationId: 'deleteMonitor',
        summary: 'Delete a monitor',
        description: 'It can be restored with its history for 30 days.',
        tags,
        params: MonitorParams,
        response: { 204: Type.Null({ description: 'Deleted' }) },
      },
      config: { hasEtag: true, access: 'monitors:delete' },
    },
    async (request, reply) => {
      const remove = (db: Db) => deleteMonitor({ ...deps, db }, actorOf(request), monitorId(request))
      await changing(request, reply, monitorOf(request), remove)
      return reply.code(204).send(null)
    },
  )

  app.get(
    '/v1/monitors/deleted',
    {
      schema: {
        operationId: 'listDeletedMonitors',
        summary: 'List deleted monitors',
        description: 'Those that can still be restored, the last deleted first.',
        tags,
        querystring: DeletedMonitorQuery,
        response: { 200: Ref(DeletedMonitorList) },
      },
      config: { access: 'read' },
    },
    async (request) => listDeletedMonitors(deps, tenantOf(principalOf(request)), pageOf(request.query)),
  )

  app.post(
    '/v1/monitors/:id/restore',
    {
      schema: {
        operationId: 'restoreMonitor',
        summary: 'Restore a deleted monitor',
        description:
          'With its history; a check runs at once, unless it was paused. Rules and windows for it alone do not come back. Restoring one that is not deleted changes nothing.',
        tags,
        params: MonitorParams,
        response: { 200: Ref(MonitorDetails) },
      },
      config: {
        access: 'monitors:delete',
        idempotent: false,
        refuses: { 402: 'The plan allows no more monitors, or its interval is shorter than it allows' },
      },
    },
    async (request) => restoreMonitor(deps, actorOf(request), monitorId(request)),
  )

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
      config: { access: 'monitors:update', idempotent: false },
    },
    async (request) => pauseMonitor(deps, actorOf(request), monitorId(request)),
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
      config: { access: 'monitors:update', idempotent: false },
    },
    async (request) => resumeMonitor(deps, actorOf(request), monitorId(request)),
  )
}
