import { LiveEventList, LiveEventQuery, Ref } from '@vedette/shared'
import type { Principal } from '../../access/auth/index.ts'
import type { Db } from '../../platform/db/index.ts'
import type { App } from '../../platform/http/index.ts'
import { listEvents } from './service.ts'
import type { Streams } from './stream.ts'

export interface EventRouteDeps {
  db: Db
  streams: Streams
  principalOf(request: object): Principal
}

const STREAM = 'text/event-stream'

export function eventRoutes(app: App, { db, streams, principalOf }: EventRouteDeps): void {
  app.get(
    '/v1/events',
    {
      schema: {
        operationId: 'listEvents',
        summary: 'Stream or list events',
        description:
          'With `Accept: text/event-stream` a stream of Server-Sent Events, which ends when the access of its reader ends. Otherwise the events since `Last-Event-ID` or `after`; without either an empty list with the id to continue from. Events about members need `org:read`.',
        tags: ['alerts'],
        querystring: LiveEventQuery,
        response: { 200: Ref(LiveEventList) },
      },
      config: { access: 'read' },
    },
    async (request, reply) => {
      const principal = principalOf(request)
      const given = request.headers['last-event-id'] ?? request.query.after
      const after = typeof given === 'string' && given !== '' ? given : undefined
      const backlog = () => listEvents(db, principal, after)
      if (!(request.headers.accept ?? '').includes(STREAM)) return backlog()
      const stream = await streams.open({ principal, backlog })
      // The same handler answers both; what is a stream passes the serializer by.
      return reply
        .header('content-type', `${STREAM}; charset=utf-8`)
        .header('cache-control', 'no-store')
        .header('x-accel-buffering', 'no')
        .send(stream as never)
    },
  )
}
