import {
  DeleteOrganizationBody,
  OrganizationParams,
  Organization,
  OrganizationBody,
  OrganizationList,
  PatchOrganizationBody,
  Ref,
  WholeListQuery,
} from '@vedette/shared'
import { callerOf, type ChangingRouteDeps, tenantOf } from '../auth/index.ts'
import type { Db } from '../../platform/db/index.ts'
import { type App, noContent, NoContent, type ChangedResource, pageOf } from '../../platform/http/index.ts'
import {
  addOrganization,
  changeOrganization,
  deleteOrganization,
  getOrganization,
  listOrganizations,
  type OrganizationDeps,
} from './service.ts'
import { lockOrganization } from './store.ts'

export function organizationRoutes(app: App, deps: OrganizationDeps & ChangingRouteDeps): void {
  const { principalOf, creating } = deps

  app.get(
    '/v1/organizations',
    {
      schema: {
        operationId: 'listOrganizations',
        summary: 'List your organizations',
        description:
          'Newest first. An API key lists the organization that it belongs to; a user without an organization gets an empty list.',
        tags: ['organizations'],
        querystring: WholeListQuery,
        response: { 200: Ref(OrganizationList) },
      },
      config: { access: 'org:read', withoutOrganization: true },
    },
    async (request) => listOrganizations(deps, principalOf(request), pageOf(request.query)),
  )

  app.post(
    '/v1/organizations',
    {
      schema: {
        operationId: 'createOrganization',
        summary: 'Create an organization',
        description: 'The caller becomes its owner.',
        tags: ['organizations'],
        body: Ref(OrganizationBody),
        response: { 201: Ref(Organization) },
      },
      config: {
        access: 'session',
        idempotent: true,
        locates: true,
        refuses: { 409: 'The caller owns as many organizations as are allowed' },
      },
    },
    async (request, reply) =>
      creating(request, reply, async (db) => {
        const body = await addOrganization({ ...deps, db }, callerOf(deps, request), request.body.name)
        return { status: 201, id: body.id, location: `/v1/organizations/${body.id}`, body }
      }),
  )

  readAndChange(app, deps)
}

function readAndChange(app: App, deps: OrganizationDeps & ChangingRouteDeps): void {
  const { principalOf, changing } = deps
  const organizationOf = (request: object): ChangedResource => {
    const tenant = tenantOf(principalOf(request))
    return {
      lock: (db) => lockOrganization(db, tenant.number),
      read: (db) => getOrganization({ ...deps, db }, tenant),
    }
  }

  app.get(
    '/v1/organizations/:id',
    {
      schema: {
        operationId: 'getOrganization',
        summary: 'Get an organization',
        description: 'With its plan and the numbers of its members, monitors and servers.',
        tags: ['organizations'],
        params: OrganizationParams,
        response: { 200: Ref(Organization) },
      },
      config: { hasEtag: true, access: 'org:read', organizationFromPath: true },
    },
    async (request) => getOrganization(deps, tenantOf(principalOf(request))),
  )

  app.patch(
    '/v1/organizations/:id',
    {
      schema: {
        operationId: 'updateOrganization',
        summary: 'Change an organization',
        description:
          'Its name and what it demands. For owners, and API keys with the scope `admin`; `require_second_factor` for owners alone.',
        tags: ['organizations'],
        params: OrganizationParams,
        body: Ref(PatchOrganizationBody),
        response: { 200: Ref(Organization) },
      },
      config: {
        hasEtag: true,
        access: 'org:update',
        organizationFromPath: true,
        refuses: { 409: 'The caller demands a second factor and has none' },
      },
    },
    async (request, reply) =>
      changing(request, reply, organizationOf(request), (db) =>
        changeOrganization({ ...deps, db }, callerOf(deps, request), request.body),
      ),
  )

  app.delete(
    '/v1/organizations/:id',
    {
      schema: {
        operationId: 'deleteOrganization',
        summary: 'Delete an organization and everything in it',
        description: 'For owners. The body repeats the name as a confirmation.',
        tags: ['organizations'],
        params: OrganizationParams,
        body: Ref(DeleteOrganizationBody),
        response: { 204: NoContent },
      },
      config: { hasEtag: true, access: 'org:delete', organizationFromPath: true },
    },
    async (request, reply) => {
      const remove = (db: Db) => deleteOrganization({ ...deps, db }, callerOf(deps, request), request.body.name)
      return noContent(reply, changing(request, reply, organizationOf(request), remove))
    },
  )
}
