import {
  BulkMonitorsAnswer,
  BulkMonitorsBody,
  CheckTrial,
  CreateMonitorBody,
  MonitorParams,
  MonitorDetails,
  MonitorList,
  MonitorListQuery,
  PatchMonitorBody,
  Ref,
} from '@vedette/shared'
import { Type } from 'typebox'
import { type Principal, tenantOf } from '../auth/index.ts'
import type { App, Creating } from '../platform/http/index.ts'
import { decodeId } from '../platform/ids.ts'
import { bulkMonitors, refuseForeignParts } from './bulk.ts'
import type { MonitorDeps } from './deps.ts'
import { listMonitors } from './list.ts'
import { pauseMonitor, resumeMonitor } from './pause.ts'
import { getMonitor } from './read.ts'
import { createMonitor, deleteMonitor, patchMonitor, tryMonitor } from './service.ts'

export interface MonitorRouteDeps extends MonitorDeps {
  principalOf(request: object): Principal
  creating: Creating
}

const tags = ['monitors']
const ORGANIZATION_GONE = 'The organization was deleted while the request ran'
const SHORT_INTERVAL = 'The plan allows no interval as short as this'

export function monitorRoutes(app: App, { principalOf, creating, ...deps }: MonitorRouteDeps): void {
  const actorOf = (request: { ip: string }) => ({ principal: principalOf(request), ip: request.ip })
  const monitorId = (request: { params: { id: string } }): string => decodeId('monitor', request.params.id)

  app.post(
    '/v1/monitors',
    {
      schema: {
        operationId: 'createMonitor',
        summary: 'Make a monitor',
        description: 'It is `up` until its first check, which comes at once, says otherwise.',
        tags,
        body: Ref(CreateMonitorBody),
        response: { 201: Ref(MonitorDetails) },
      },
      config: {
        access: 'monitors:create',
        idempotent: true,
        locates: true,
        refuses: { 402: 'The plan allows no more monitors, or no interval as short as this', 404: ORGANIZATION_GONE },
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
        summary: 'Try a definition',
        description: "One check from the backend's own region, now. Nothing is kept.",
        tags,
        body: Ref(CreateMonitorBody),
        response: { 200: Ref(CheckTrial) },
      },
      config: { access: 'monitors:create' },
    },
    async (request) => tryMonitor(deps, principalOf(request), request.body),
  )

  app.post(
    '/v1/monitors/bulk',
    {
      schema: {
        operationId: 'changeMonitors',
        summary: 'Make, change and delete many monitors',
        description: 'All of it or nothing, at most 500 in all. Each part needs its own permission.',
        tags,
        body: Ref(BulkMonitorsBody),
        response: { 200: Ref(BulkMonitorsAnswer) },
      },
      config: {
        access: 'monitors:create',
        idempotent: true,
        refuses: {
          402: 'The plan allows no more monitors, or no interval as short as one of these',
          403: 'The credentials may not do one of the parts',
          404: ORGANIZATION_GONE,
        },
      },
      preValidation: async (request) => refuseForeignParts(principalOf(request), request.body),
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
        description: 'Newest first, unless `sort` says otherwise. Uptime and mean response time are over seven days.',
        tags,
        querystring: MonitorListQuery,
        response: { 200: Ref(MonitorList) },
      },
      config: { access: 'read', refuses: { 404: ORGANIZATION_GONE } },
    },
    async (request) => {
      const { page = 1, limit = 20, ...rest } = request.query
      return listMonitors(deps, tenantOf(principalOf(request)), { page, limit, ...rest })
    },
  )

  app.get(
    '/v1/monitors/:id',
    {
      schema: {
        operationId: 'getMonitor',
        summary: 'One monitor with its newest checks',
        description: 'Who may not change it sees `•••` in place of the values of its headers.',
        tags,
        params: MonitorParams,
        response: { 200: Ref(MonitorDetails) },
      },
      config: { access: 'read' },
    },
    async (request) => getMonitor(deps, principalOf(request), monitorId(request)),
  )

  app.patch(
    '/v1/monitors/:id',
    {
      schema: {
        operationId: 'updateMonitor',
        summary: 'Change a monitor',
        description: 'Only what is named changes. A header with the value `•••` keeps the value that it has.',
        tags,
        params: MonitorParams,
        body: Ref(PatchMonitorBody),
        response: { 200: Ref(MonitorDetails) },
      },
      config: { access: 'monitors:update', refuses: { 402: SHORT_INTERVAL } },
    },
    async (request) => patchMonitor(deps, actorOf(request), monitorId(request), request.body),
  )

  app.delete(
    '/v1/monitors/:id',
    {
      schema: {
        operationId: 'deleteMonitor',
        summary: 'Delete a monitor with its checks',
        description: 'Its stats and transitions are gone as well.',
        tags,
        params: MonitorParams,
        response: { 204: Type.Null({ description: 'Done' }) },
      },
      config: { access: 'monitors:delete' },
    },
    async (request, reply) => {
      await deleteMonitor(deps, actorOf(request), monitorId(request))
      return reply.code(204).send(null)
    },
  )

  app.post(
    '/v1/monitors/:id/pause',
    {
      schema: {
        operationId: 'pauseMonitor',
        summary: 'Stop checking',
        description: 'The status is `paused` until it is resumed. One that is paused stays so.',
        tags,
        params: MonitorParams,
        response: { 200: Ref(MonitorDetails) },
      },
      config: { access: 'monitors:update' },
    },
    async (request) => pauseMonitor(deps, actorOf(request), monitorId(request)),
  )

  app.post(
    '/v1/monitors/:id/resume',
    {
      schema: {
        operationId: 'resumeMonitor',
        summary: 'Go on checking',
        description: 'The status is the one before the pause until a check, which comes at once, says otherwise.',
        tags,
        params: MonitorParams,
        response: { 200: Ref(MonitorDetails) },
      },
      config: { access: 'monitors:update' },
    },
    async (request) => resumeMonitor(deps, actorOf(request), monitorId(request)),
  )
}
