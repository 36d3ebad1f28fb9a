import {
  FactsBody,
  IdParams,
  PatchServerBody,
  Ref,
  RegeneratedToken,
  RegisterAnswer,
  RegisterBody,
  ServerDetails,
  ServerList,
  ServerListQuery,
} from '@vedette/shared'
import { Type } from 'typebox'
import { type Principal, type Tenant, tenantOf } from '../auth/index.ts'
import type { App, Creating } from '../platform/http/index.ts'
import { decodeId } from '../platform/ids.ts'
import type { ServerDeps } from './deps.ts'
import { listServers } from './list.ts'
import { registerServer, updateFacts } from './register.ts'
import { deleteServer, getServer, patchServer, regenerateToken } from './service.ts'

const NoContent = Type.Null({ description: 'no content' })

export interface ServerRouteDeps extends ServerDeps {
  errorResponses: object
  principalOf(request: object): Principal
  creating: Creating
}

export function serverRoutes(app: App, { errorResponses, principalOf, creating, ...deps }: ServerRouteDeps): void {
  const tenant = (request: object): Tenant => tenantOf(principalOf(request))
  const actorOf = (request: { ip: string }) => ({ principal: principalOf(request), ip: request.ip })
  const serverId = (request: { params: { id: string } }): string => decodeId('server', request.params.id)

  app.post(
    '/v1/agent/register',
    {
      schema: {
        summary: 'Register a host',
        description: 'The same machine in the same organization is the same server with a fresh token (200).',
        tags: ['agent'],
        body: RegisterBody,
        response: { 200: Ref(RegisterAnswer), 201: Ref(RegisterAnswer), ...errorResponses },
      },
      config: { access: 'servers:register', idempotent: 'secret' },
    },
    async (request, reply) =>
      creating(request, reply, async (db) => {
        const { isNew, answer } = await registerServer({ ...deps, db }, actorOf(request), request.body)
        const id = answer.server_id
        return { status: isNew ? 201 : 200, id, location: isNew ? `/v1/servers/${id}` : undefined, body: answer }
      }),
  )

  app.put(
    '/v1/agent/facts',
    {
      schema: {
        summary: 'Tell what changed about the host',
        tags: ['agent'],
        body: FactsBody,
        response: { 204: NoContent, ...errorResponses },
      },
      config: { access: 'server' },
    },
    async (request, reply) => {
      await updateFacts(deps, principalOf(request), request.body)
      return reply.code(204).send(null)
    },
  )

  app.get(
    '/v1/servers',
    {
      schema: {
        summary: 'List servers',
        tags: ['servers'],
        querystring: ServerListQuery,
        response: { 200: Ref(ServerList), ...errorResponses },
      },
      config: { access: 'read' },
    },
    async (request) => {
      const { page = 1, limit = 20, ...rest } = request.query
      return listServers(deps, tenant(request), { page, limit, ...rest })
    },
  )

  app.get(
    '/v1/servers/:id',
    {
      schema: {
        summary: 'One server with its newest sample',
        tags: ['servers'],
        params: IdParams,
        response: { 200: Ref(ServerDetails), ...errorResponses },
      },
      config: { access: 'read' },
    },
    async (request) => getServer(deps, tenant(request), serverId(request)),
  )

  app.patch(
    '/v1/servers/:id',
    {
      schema: {
        summary: 'Name or tag a server',
        tags: ['servers'],
        params: IdParams,
        body: PatchServerBody,
        response: { 200: Ref(ServerDetails), ...errorResponses },
      },
      config: { access: 'servers:admin' },
    },
    async (request) => patchServer(deps, actorOf(request), serverId(request), request.body),
  )

  app.delete(
    '/v1/servers/:id',
    {
      schema: {
        summary: 'Delete a server with its samples',
        tags: ['servers'],
        params: IdParams,
        response: { 204: NoContent, ...errorResponses },
      },
      config: { access: 'servers:delete' },
    },
    async (request, reply) => {
      await deleteServer(deps, actorOf(request), serverId(request))
      return reply.code(204).send(null)
    },
  )

  app.post(
    '/v1/servers/:id/regenerate-token',
    {
      schema: {
        summary: "Replace the token of a server's agent",
        description: 'The old token is refused from the moment of the answer. The new one is shown this once.',
        tags: ['servers'],
        params: IdParams,
        response: { 200: Ref(RegeneratedToken), ...errorResponses },
      },
      config: { access: 'servers:admin', idempotent: 'secret' },
    },
    async (request, reply) =>
      creating(request, reply, async (db) => {
        const answer = await regenerateToken({ ...deps, db }, actorOf(request), serverId(request))
        return { status: 200, id: answer.server_id, body: answer }
      }),
  )
}
