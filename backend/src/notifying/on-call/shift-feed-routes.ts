import { Ref, ScheduleCalendar, ScheduleParams } from '@vedette/shared'
import { Type } from 'typebox'
import { callerOf, type CreatingRouteDeps } from '../../access/auth/index.ts'
import { CALENDAR_TYPE } from '../../platform/icalendar.ts'
import { type App, noContent, NoContent } from '../../platform/http/index.ts'
import { decodeId } from '../../platform/ids.ts'
import { readCalendar, removeCalendar, replaceCalendar } from './shift-feed.ts'
import type { ScheduleDeps } from './service.ts'

const tags = ['alerts']

export type CalendarRouteDeps = ScheduleDeps & CreatingRouteDeps & { publicUrl: () => string }

export function scheduleCalendarRoutes(app: App, deps: CalendarRouteDeps): void {
  const { creating } = deps
  const scheduleId = (request: { params: { id: string } }): string => decodeId('schedule', request.params.id)

  app.post(
    '/v1/schedules/:id/calendar',
    {
      schema: {
        operationId: 'replaceCalendar',
        summary: 'Create or replace the calendar address of a schedule',
        description:
          'Calendars subscribe to the address without further credentials. The old address is rejected from the response on. ' +
          'The new one is shown only once.',
        tags,
        params: ScheduleParams,
        response: { 200: Ref(ScheduleCalendar) },
      },
      config: { access: 'monitors:update', idempotent: 'secret' },
    },
    async (request, reply) =>
      creating(request, reply, async (db) => {
        const body = await replaceCalendar({ ...deps, db }, callerOf(deps, request), scheduleId(request))
        return { status: 200, id: body.schedule_id, body }
      }),
  )

  app.delete(
    '/v1/schedules/:id/calendar',
    {
      schema: {
        operationId: 'removeCalendar',
        summary: 'Delete the calendar address of a schedule',
        description: 'The address is rejected from the response on.',
        tags,
        params: ScheduleParams,
        response: { 204: NoContent },
      },
      config: { access: 'monitors:update' },
    },
    async (request, reply) => noContent(reply, removeCalendar(deps, callerOf(deps, request), scheduleId(request))),
  )

  app.get(
    '/calendars/:token',
    { schema: { hide: true, params: Type.Object({ token: Type.String() }) } },
    async (request, reply) => {
      const text = await readCalendar(deps, request.params.token)
      reply.header('cache-control', 'no-store')
      if (text === undefined) return reply.code(404).type('text/plain; charset=utf-8').send('not found\n')
      return reply.type(CALENDAR_TYPE).send(text)
    },
  )
}
