import { MonitorParams, PingListQuery, PingKey, PingList, PutPingKeyBody, Ref } from '@vedette/shared'
import { type RouteDeps, tenantOf } from '../../access/auth/index.ts'
import type { Db } from '../../platform/db/index.ts'
import { type App, pageOf } from '../../platform/http/index.ts'
import { decodeId } from '../../platform/ids.ts'
import { listMonitorPings, type PingKeyDeps, readPingKey, replacePingKey } from './service.ts'

export interface HeartbeatRouteDeps extends PingKeyDeps, RouteDeps {
  /** The number of a monitor; throws not_found across organizations. */
  monitorNumber(db: Db, organization: number, id: string): Promise<number>
}

export function heartbeatRoutes(app: App, { principalOf, monitorNumber, ...deps }: HeartbeatRouteDeps): void {
  app.get(
    '/v1/monitors/:id/pings',
    {
      schema: {
        operationId: 'listMonitorPings',
        summary: 'List pings of a heartbeat',
        description: 'Newest first; pings are kept for 35 days, each with the first 10,000 bytes of its body, without secrets.',
        tags: ['monitors'],
        params: MonitorParams,
        querystring: PingListQuery,
        response: { 200: Ref(PingList) },
      },
      config: { access: 'read' },
    },
    async (request) => {
      const tenant = tenantOf(principalOf(request))
      const monitor = await monitorNumber(deps.db, tenant.number, decodeId('monitor', request.params.id))
      return listMonitorPings(deps.db, tenant, monitor, pageOf(request.query))
    },
  )

  app.get(
    '/v1/ping-key',
    {
      schema: {
        operationId: 'getPingKey',
        summary: 'Get the ping key',
        description: 'With it and the name of a heartbeat jobs ping `/ping/<ping key>/<name>`. Null before it is made.',
        tags: ['monitors'],
        response: { 200: Ref(PingKey) },
      },
      config: { access: 'monitors:update' },
    },
    async (request) => readPingKey(deps, tenantOf(principalOf(request))),
  )

  app.put(
    '/v1/ping-key',
    {
      schema: {
        operationId: 'replacePingKey',
        summary: 'Make or replace the ping key',
        description: 'The old key is refused at once. Without `ping_key` it is random.',
        tags: ['monitors'],
        body: Ref(PutPingKeyBody),
        response: { 200: Ref(PingKey) },
      },
      config: { access: 'integrations:manage' },
    },
    async (request) => replacePingKey(deps, { principal: principalOf(request), ip: request.ip }, request.body.ping_key),
  )
}
