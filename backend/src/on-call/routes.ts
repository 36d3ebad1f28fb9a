import {
  CreateScheduleBody,
  MAX_SHIFT_DAYS,
  OnCall,
  PatchScheduleBody,
  Ref,
  Schedule,
  ScheduleList,
  ScheduleListQuery,
  ScheduleOnCallQuery,
  ScheduleParams,
  ScheduleShifts,
  ScheduleShiftsQuery,
} from '@vedette/shared'
import { Type } from 'typebox'
import { type ChangingRouteDeps, tenantOf } from '../auth/index.ts'
import { type App, type ChangedResource, pageOf } from '../platform/http/index.ts'
import { decodeId } from '../platform/ids.ts'
import {
  createSchedule,
  deleteSchedule,
  getOnCall,
  getSchedule,
  listSchedules,
  listShifts,
  patchSchedule,
  type ScheduleDeps,
} from './service.ts'
import type { Db } from '../platform/db/index.ts'
import { lockSchedule } from './store.ts'

const tags = ['alerts']

export function scheduleRoutes(app: App, { principalOf, creating, changing, ...deps }: ScheduleDeps & ChangingRouteDeps): void {
  const actorOf = (request: { ip: string }) => ({ principal: principalOf(request), ip: request.ip })
  const scheduleId = (request: { params: { id: string } }): string => decodeId('schedule', request.params.id)
  const scheduleOf = (request: { params: { id: string } }): ChangedResource => {
    const [tenant, id] = [tenantOf(principalOf(request)), scheduleId(request)]
    return {
      lock: (db) => lockSchedule(db, tenant.number, id),
      read: (db) => getSchedule({ ...deps, db }, tenant, id),
    }
  }

  app.get(
    '/v1/schedules',
    {
      schema: {
        operationId: 'listSchedules',
        summary: 'List on-call schedules',
        description: 'Newest first.',
        tags,
        querystring: ScheduleListQuery,
        response: { 200: Ref(ScheduleList) },
      },
      config: { access: 'read' },
    },
    async (request) => listSchedules(deps, tenantOf(principalOf(request)), pageOf(request.query)),
  )

  app.post(
    '/v1/schedules',
    {
      schema: {
        operationId: 'createSchedule',
        summary: 'Create an on-call schedule',
        description: 'Layers of people who take turns, and overrides. Handovers keep their local time through daylight saving.',
        tags,
        body: Ref(CreateScheduleBody),
        response: { 201: Ref(Schedule) },
      },
      config: {
        access: 'monitors:update',
        idempotent: true,
        locates: true,
        refuses: { 404: 'The organization was deleted while the request ran' },
      },
    },
    async (request, reply) =>
      creating(request, reply, async (db) => {
        const body = await createSchedule({ ...deps, db }, actorOf(request), request.body)
        return { status: 201, id: body.id, location: `/v1/schedules/${body.id}`, body }
      }),
  )

  app.get(
    '/v1/schedules/:id',
    {
      schema: {
        operationId: 'getSchedule',
        summary: 'Get an on-call schedule',
        description: 'Its definition, as it was written.',
        tags,
        params: ScheduleParams,
        response: { 200: Ref(Schedule) },
      },
      config: { hasEtag: true, access: 'read' },
    },
    async (request) => getSchedule(deps, tenantOf(principalOf(request)), scheduleId(request)),
  )

  app.get(
    '/v1/schedules/:id/on-call',
    {
      schema: {
        operationId: 'getOnCall',
        summary: 'Get who is on duty',
        description:
          'At an instant, now by default, and who is on duty next. People who have left the organization are never on duty.',
        tags,
        params: ScheduleParams,
        querystring: ScheduleOnCallQuery,
        response: { 200: Ref(OnCall) },
      },
      config: { access: 'read' },
    },
    async (request) => getOnCall(deps, tenantOf(principalOf(request)), scheduleId(request), request.query.at),
  )

  app.get(
    '/v1/schedules/:id/shifts',
    {
      schema: {
        operationId: 'listShifts',
        summary: 'List the shifts of a schedule',
        description: `Of a range of at most ${MAX_SHIFT_DAYS} days, in their order, and the gaps in which nobody is on duty.`,
        tags,
        params: ScheduleParams,
        querystring: ScheduleShiftsQuery,
        response: { 200: Ref(ScheduleShifts) },
      },
      config: { access: 'read' },
    },
    async (request) => listShifts(deps, tenantOf(principalOf(request)), scheduleId(request), request.query),
  )

  app.patch(
    '/v1/schedules/:id',
    {
      schema: {
        operationId: 'updateSchedule',
        summary: 'Update an on-call schedule',
        description: 'Changes only the fields that are given; `layers` and `overrides` are replaced as a whole.',
        tags,
        params: ScheduleParams,
        body: Ref(PatchScheduleBody),
        response: { 200: Ref(Schedule) },
      },
      config: { hasEtag: true, access: 'monitors:update' },
    },
    async (request, reply) =>
      changing(request, reply, scheduleOf(request), (db) =>
        patchSchedule({ ...deps, db }, actorOf(request), scheduleId(request), request.body),
      ),
  )

  app.delete(
    '/v1/schedules/:id',
    {
      schema: {
        operationId: 'deleteSchedule',
        summary: 'Delete an on-call schedule',
        description: 'Ends its shifts, and removes it from the escalation policies that use it.',
        tags,
        params: ScheduleParams,
        response: { 204: Type.Null({ description: 'Done' }) },
      },
      config: { hasEtag: true, access: 'monitors:update' },
    },
    async (request, reply) => {
      const remove = (db: Db) => deleteSchedule({ ...deps, db }, actorOf(request), scheduleId(request))
      await changing(request, reply, scheduleOf(request), remove)
      return reply.code(204).send(null)
    },
  )
}
