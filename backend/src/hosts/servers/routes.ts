import {
  FactsBody,
  ServerParams,
  PatchServerBody,
  ProcessesQuery,
  Ref,
  RegeneratedToken,
  RegisterAnswer,
  RegisterBody,
  ServerDetails,
  ServerList,
  ServerListQuery,
  ServerProcesses,
} from '@vedette/shared'
import { callerOf, type ChangingRouteDeps, defineResource, resourceRoutes, tenantOf } from '../../access/auth/index.ts'
import { type App, noContent, NoContent } from '../../platform/http/index.ts'
import { decodeId } from '../../platform/ids.ts'
import type { ServerDeps } from './deps.ts'
import { listServers } from './list.ts'
import { getProcesses } from './processes.ts'
import { registerServer, updateFacts } from './register.ts'
import { deleteServer, getServer, patchServer, regenerateToken } from './service.ts'
import { lockServer } from './store.ts'
import { serverConfiguration } from './configuration.ts'

/** What checks, pushes and others change meanwhile. */
const MEASURED = [
  'agent_version',
  'agent_outdated',
  'last_seen_at',
  'os',
  'kernel',
  'cpu_model',
  'cpu_cores',
  'memory_bytes',
  'boot_time',
  'ip_addresses',
  'container',
  'dropped_samples',
  'damaged_records',
  'sources',
  'sample_interval_seconds',
  'push_interval_seconds',
  'filesystems',
  'interfaces',
  'processes',
  'uptime_seconds',
  'logged_in_users',
  'failed_units',
  'reboot_required',
  'missing_processes',
  'health',
  'metrics',
]

export const serverResource = defineResource({
  kind: 'server',
  path: '/v1/servers',
  operation: ['Server', 'Servers'],
  noun: ['a server', 'servers'],
  tags: ['servers'],
  speaks: true,
  access: { read: 'read', change: 'servers:admin', delete: 'servers:delete' },
  schemas: { params: ServerParams, query: ServerListQuery, list: ServerList, details: ServerDetails, patch: PatchServerBody },
  texts: {
    list: 'Newest first by default. Filter, total and items come from one snapshot.',
    get: 'Includes host facts, filesystems, network interfaces, processes, failed units, a pending restart and missing processes.',
    update:
      'Omitted fields stay unchanged. `sources_off` reaches the agent with the answers of its next pushes. A cycle of dependencies is refused with the names in it.',
    delete:
      'Its token is rejected from the response on. To register the machine again, use an API key created after the deletion.',
  },
  summaries: {
    get: 'Get a server with its newest sample',
    update: 'Name or tag a server, or set what it depends on',
    delete: 'Delete a server with its samples',
  },
  hasLongList: true,
  measured: MEASURED,
  lock: lockServer,
  list: listServers,
  get: getServer,
  patch: patchServer,
  delete: deleteServer,
  configuration: serverConfiguration,
})

const routesOfResource = resourceRoutes(serverResource)

export function serverRoutes(app: App, deps: ServerDeps & ChangingRouteDeps): void {
  const { principalOf, creating } = deps
  const serverId = (request: { params: { id: string } }): string => decodeId('server', request.params.id)

  agentRoutes(app, deps)
  routesOfResource(app, deps)

  app.get(
    '/v1/servers/:id/processes',
    {
      schema: {
        operationId: 'getServerProcesses',
        summary: 'Get the processes of a server at an instant',
        description:
          'The five processes with the highest CPU use and the five with the highest memory use, at the push nearest to `at`. ' +
          'Lists are kept for 48 hours. Only command names, never arguments.',
        tags: ['servers'],
        params: ServerParams,
        querystring: ProcessesQuery,
        response: { 200: Ref(ServerProcesses) },
      },
      config: { access: 'read' },
    },
    async (request) => getProcesses(deps, tenantOf(principalOf(request)), serverId(request), request.query.at),
  )

  app.post(
    '/v1/servers/:id/regenerate-token',
    {
      schema: {
        operationId: 'regenerateServerToken',
        summary: "Replace the token of a server's agent",
        description: 'The old token is rejected from the response on. The new token is shown only once.',
        tags: ['servers'],
        params: ServerParams,
        response: { 200: Ref(RegeneratedToken) },
      },
      config: { access: 'servers:admin', idempotent: 'secret' },
    },
    async (request, reply) =>
      creating(request, reply, async (db) => {
        const answer = await regenerateToken({ ...deps, db }, callerOf(deps, request), serverId(request))
        return { status: 200, id: answer.server_id, body: answer }
      }),
  )
}

/** What agents call. */
function agentRoutes(app: App, deps: ServerDeps & ChangingRouteDeps): void {
  app.post(
    '/v1/agent/register',
    {
      schema: {
        operationId: 'registerServer',
        summary: 'Register a host',
        description: 'A machine that is already registered in the organization keeps its server and gets a new token (200).',
        tags: ['agent'],
        body: Ref(RegisterBody),
        response: { 200: Ref(RegisterAnswer), 201: Ref(RegisterAnswer) },
      },
      config: {
        access: 'servers:register',
        idempotent: 'secret',
        locates: true,
        refuses: {
          402: 'The plan allows no more servers. Registered machines can still register again',
          403: 'The key may not do this, or the server of this machine was deleted after the key was created',
          404: 'The organization was deleted while the request ran',
        },
      },
    },
    async (request, reply) =>
      deps.creating(request, reply, async (db) => {
        const { isNew, answer } = await registerServer({ ...deps, db }, callerOf(deps, request), request.body)
        const id = answer.server_id
        return { status: isNew ? 201 : 200, id, location: isNew ? `/v1/servers/${id}` : undefined, body: answer }
      }),
  )

  app.put(
    '/v1/agent/facts',
    {
      schema: {
        operationId: 'updateServerFacts',
        summary: 'Update the facts of the host',
        description: 'Send only what changed; omitted fields stay unchanged. Unknown fields are ignored.',
        tags: ['agent'],
        body: Ref(FactsBody),
        response: { 204: NoContent },
      },
      config: { access: 'server' },
    },
    async (request, reply) => noContent(reply, updateFacts(deps, deps.principalOf(request), request.body)),
  )
}
