import {
  EntityDetails,
  EntityList,
  EntityListQuery,
  EntityMetrics,
  EntityMetricsQuery,
  EntityParams,
  Ref,
  ServerEntityListQuery,
  ServerParams,
} from '@vedette/shared'
import { type RouteDeps, tenantOf } from '../../access/auth/index.ts'
import type { Db, Reader } from '../../platform/db/index.ts'
import type { App } from '../../platform/http/index.ts'
import { decodeId } from '../../platform/ids.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { listEntities, readEntity } from './query/list.ts'
import { readEntityMetrics } from './query/metrics.ts'

export interface EntityRouteDeps extends RouteDeps {
  reader: Reader
  clock: Clock
  pushIntervalSeconds: number
  rawRetentionMs: number
}

type ReadDeps = Omit<EntityRouteDeps, 'reader'> & { db: Db; readEveryMs: number }

const keyOf = ({ id, entityId }: { id: string; entityId: string }) => ({
  serverId: decodeId('server', id),
  entityId: decodeId('entity', entityId),
})

export function entityRoutes(app: App, deps: EntityRouteDeps): void {
  const readEveryMs = deps.pushIntervalSeconds * 1_000
  const read = <Answer>(work: (deps: ReadDeps) => Promise<Answer>) => deps.reader(({ db }) => work({ ...deps, db, readEveryMs }))
  const organizationOf = (request: object) => tenantOf(deps.principalOf(request)).number

  app.get(
    '/v1/entities',
    {
      schema: {
        operationId: 'listEntities',
        summary: 'List containers, units, sensors and the like of all servers',
        description: 'With the values of the newest push of each server.',
        tags: ['servers'],
        querystring: EntityListQuery,
        response: { 200: Ref(EntityList) },
      },
      config: { access: 'read' },
    },
    async (request) => read((given) => listEntities(given, organizationOf(request), request.query)),
  )

  app.get(
    '/v1/servers/:id/entities',
    {
      schema: {
        operationId: 'listServerEntities',
        summary: 'List containers, units, sensors and the like of a server',
        description: 'With the values of its newest push, or of the last one before `at`.',
        tags: ['servers'],
        params: ServerParams,
        querystring: ServerEntityListQuery,
        response: { 200: Ref(EntityList) },
      },
      config: { access: 'read' },
    },
    async (request) => {
      const serverId = decodeId('server', request.params.id)
      return read((given) => listEntities(given, organizationOf(request), { ...request.query, serverId }))
    },
  )

  app.get(
    '/v1/servers/:id/entities/:entityId',
    {
      schema: {
        operationId: 'getServerEntity',
        summary: 'Get an entity of a server, with what happened to it',
        description: 'With the values of the newest push, if it had the entity, and the last 20 events.',
        tags: ['servers'],
        params: EntityParams,
        response: { 200: Ref(EntityDetails) },
      },
      config: { access: 'read' },
    },
    async (request) => read((given) => readEntity(given, organizationOf(request), keyOf(request.params))),
  )

  app.get(
    '/v1/servers/:id/entities/:entityId/metrics',
    {
      schema: {
        operationId: 'getServerEntityMetrics',
        summary: 'Get figures of an entity over a period',
        description:
          'Newest value, mean and maximum of each field; with `points` also per step. An entity is read once per push. Periods and ranges ' +
          'are those of the metrics of a server.',
        tags: ['servers'],
        params: EntityParams,
        querystring: EntityMetricsQuery,
        response: { 200: Ref(EntityMetrics) },
      },
      config: { access: 'read' },
    },
    async (request) => {
      const tenant = tenantOf(deps.principalOf(request))
      return read((given) => readEntityMetrics(given, tenant, keyOf(request.params), request.query))
    },
  )
}
