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
  ShiftList,
  ShiftListQuery,
} from '@vedette/shared'
import { ORGANIZATION_DELETED, defineResource, resourceRoutes, type RouteDeps, tenantOf } from '../../access/auth/index.ts'
import { type App, pageOf } from '../../platform/http/index.ts'
import { decodeId } from '../../platform/ids.ts'
import {
  createSchedule,
  deleteSchedule,
  getOnCall,
  getSchedule,
  listSchedules,
  listShifts,
  listShiftsOfAll,
  patchSchedule,
  restoreSchedule,
  type ScheduleDeps,
  ownScheduleFaults,
} from './service.ts'
import { deletedSchedules, lockSchedule } from './store.ts'
import { scheduleConfiguration } from './configuration.ts'

const tags = ['alerts']

export const scheduleResource = defineResource({
  kind: 'schedule',
  path: '/v1/schedules',
  operation: ['Schedule', 'Schedules'],
  noun: ['an on-call schedule', 'on-call schedules'],
  tags,
  access: { read: 'read', change: 'monitors:update' },
  schemas: {
    params: ScheduleParams,
    query: ScheduleListQuery,
    list: ScheduleList,
    details: Schedule,
    create: CreateScheduleBody,
    patch: PatchScheduleBody,
  },
  ownFaults: ownScheduleFaults,
  texts: {
    list: 'Newest first.',
    create: 'Layers of people who take turns, and overrides. Handovers keep their local time through daylight saving.',
    get: 'Its definition, as it was written.',
    update: 'Changes only the fields that are given; `layers` and `overrides` are replaced as a whole.',
    delete: 'Ends its shifts, and removes it from the escalation policies that use it. It can be restored for 30 days.',
  },
  measured: ['ical'],
  refuses: { create: ORGANIZATION_DELETED },
  lock: lockSchedule,
  list: listSchedules,
  get: getSchedule,
  create: createSchedule,
  patch: patchSchedule,
  delete: deleteSchedule,
  configuration: scheduleConfiguration,
  restore: {
    restore: restoreSchedule,
    text: 'With the address of its calendar, and in the escalation policies that named it, unless they have changed.',
    refuses: { 409: 'The organization has too many schedules' },
    deleted: deletedSchedules,
  },
})

export const scheduleRoutes = resourceRoutes(scheduleResource)

export function shiftRoutes(app: App, { principalOf, ...deps }: ScheduleDeps & RouteDeps): void {
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
    async (request) => getOnCall(deps, tenantOf(principalOf(request)), decodeId('schedule', request.params.id), request.query.at),
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
    async (request) => listShifts(deps, tenantOf(principalOf(request)), decodeId('schedule', request.params.id), request.query),
  )

  app.get(
    '/v1/shifts',
    {
      schema: {
        operationId: 'listShiftsOfAll',
        summary: 'List the shifts of all schedules',
        description: `A page of schedules, newest first, each with its shifts and gaps of a range of at most ${MAX_SHIFT_DAYS} days.`,
        tags,
        querystring: ShiftListQuery,
        response: { 200: Ref(ShiftList) },
      },
      config: { access: 'read' },
    },
    async (request) => listShiftsOfAll(deps, tenantOf(principalOf(request)), pageOf(request.query)),
  )
}
