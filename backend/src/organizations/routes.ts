import {
  DeleteOrganizationBody,
  IdParams,
  Organization,
  OrganizationBody,
  OrganizationList,
  Ref,
  WholeListQuery,
} from '@vedette/shared'
import { Type } from 'typebox'
import { type Caller, type Principal, tenantOf } from '../auth/index.ts'
import type { App, Creating } from '../platform/http/index.ts'
import {
  addOrganization,
  deleteOrganization,
  getOrganization,
  listOrganizations,
  type OrganizationDeps,
  renameOrganization,
} from './service.ts'

export interface OrganizationRouteDeps extends OrganizationDeps {
  errorResponses: object
  principalOf(request: object): Principal
  creating: Creating
}

export function organizationRoutes(app: App, { errorResponses, principalOf, creating, ...deps }: OrganizationRouteDeps): void {
  const caller = (request: { ip: string }): Caller => ({ principal: principalOf(request), ip: request.ip })

  app.get(
    '/v1/organizations',
    {
      schema: {
        summary: 'List the organizations you belong to',
        tags: ['organizations'],
        querystring: WholeListQuery,
        response: { 200: Ref(OrganizationList), ...errorResponses },
      },
      config: { access: 'org:read', withoutOrganization: true },
    },
    async (request) => {
      const { page = 1, limit = 100 } = request.query
      return listOrganizations(deps, principalOf(request), { page, limit })
    },
  )

  app.post(
    '/v1/organizations',
    {
      schema: {
        summary: 'Make an organization',
        description: 'Its owner is the user who makes it.',
        tags: ['organizations'],
        body: OrganizationBody,
        response: { 201: Ref(Organization), ...errorResponses },
      },
      config: { access: 'session', idempotent: true },
    },
    async (request, reply) =>
      creating(request, reply, async (db) => {
        const body = await addOrganization({ ...deps, db }, caller(request), request.body.name)
        return { status: 201, id: body.id, location: `/v1/organizations/${body.id}`, body }
      }),
  )

  app.get(
    '/v1/organizations/:id',
    {
      schema: {
        summary: 'One organization with its counts',
        tags: ['organizations'],
        params: IdParams,
        response: { 200: Ref(Organization), ...errorResponses },
      },
      config: { access: 'org:read', organizationFromPath: true },
    },
    async (request) => getOrganization(deps, tenantOf(principalOf(request))),
  )

  app.patch(
    '/v1/organizations/:id',
    {
      schema: {
        summary: 'Rename an organization',
        tags: ['organizations'],
        params: IdParams,
        body: OrganizationBody,
        response: { 200: Ref(Organization), ...errorResponses },
      },
      config: { access: 'org:update', organizationFromPath: true },
    },
    async (request) => renameOrganization(deps, caller(request), request.body.name),
  )

  app.delete(
    '/v1/organizations/:id',
    {
      schema: {
        summary: 'Delete an organization with all it holds',
        tags: ['organizations'],
        params: IdParams,
        body: DeleteOrganizationBody,
        response: { 204: Type.Null({ description: 'no content' }), ...errorResponses },
      },
      config: { access: 'org:delete', organizationFromPath: true },
    },
    async (request, reply) => {
      await deleteOrganization(deps, caller(request), request.body.name)
      return reply.code(204).send(null)
    },
  )
}
