import { LiveEventList, LiveEventQuery, Ref } from '@vedette/shared'
import { type Principal, tenantOf } from '../auth/index.ts'
import type { Db } from '../platform/db/index.ts'
import { unavailable } from '../platform/errors.ts'
import type { App } from '../platform/http/index.ts'
import { audibleTo, listEvents } from './service.ts'
import type { Streams } from './stream.ts'

export interface EventRouteDeps {
  db: Db
  streams: Streams
  principalOf(request: object): Principal
  /** Whether who sent these headers may still listen. */
  isLetIn(headers: Record<string, string | string[] | undefined>): Promise<boolean>
}

const STREAM = 'text/event-stream'

export function eventRoutes(app: App, { db, streams, principalOf, isLetIn }: EventRouteDeps): void {
  app.get(
    '/v1/events',
    {
      schema: {
        operationId: 'listEvents',
        summary: 'What happens, as it happens',
        description:
          'With `Accept: text/event-stream` a stream of Server-Sent Events that goes on until somebody closes it; else what happened since `Last-Event-ID` or `after`, and nothing without them. Events of members need `org:read`.',
        tags: ['alerts'],
        querystring: LiveEventQuery,
        response: { 200: Ref(LiveEventList) },
      },
      config: { access: 'read' },
    },
    async (request, reply) => {
      const principal = principalOf(request)
      const { number } = tenantOf(principal)
      const audible = audibleTo(principal)
      const given = request.headers['last-event-id'] ?? request.query.after
      const after = typeof given === 'string' && given !== '' ? given : undefined
      const backlog = () => listEvents(db, number, after, audible)
      if (!(request.headers.accept ?? '').includes(STREAM)) return backlog()
      const { headers } = request
      const stream = await streams.open({ organization: number, audible, backlog, isLetIn: () => isLetIn(headers) })
      if (!stream) throw unavailable()
      // The same handler answers both; what is a stream passes the serializer by.
      return reply
        .header('content-type', `${STREAM}; charset=utf-8`)
        .header('cache-control', 'no-store')
        .header('x-accel-buffering', 'no')
        .send(stream as never)
    },
  )
}
