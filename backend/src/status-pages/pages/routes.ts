import {
  CreateStatusPageBody,
  PatchStatusPageBody,
  Ref,
  StatusPage,
  StatusPageList,
  StatusPageListQuery,
  StatusPageParams,
} from '@vedette/shared'
import { Type } from 'typebox'
import { type ChangingRouteDeps, tenantOf } from '../../auth/index.ts'
import type { Db } from '../../platform/db/index.ts'
import { type App, type ChangedResource, pageOf } from '../../platform/http/index.ts'
import { decodeId } from '../../platform/ids.ts'
import { createPage, deletePage, getPage, listPages, type PageDeps, patchPage } from './service.ts'
import { lockPage } from './store.ts'

const tags = ['status pages']

export function statusPageRoutes(app: App, { principalOf, creating, changing, ...deps }: PageDeps & ChangingRouteDeps): void {
  const actorOf = (request: { ip: string }) => ({ principal: principalOf(request), ip: request.ip })
  const pageId = (request: { params: { id: string } }): string => decodeId('statusPage', request.params.id)
  const resourceOf = (request: { params: { id: string } }): ChangedResource => {
    const [tenant, id] = [tenantOf(principalOf(request)), pageId(request)]
    return { lock: (db) => lockPage(db, tenant.number, id), read: (db) => getPage({ ...deps, db }, tenant, id) }
  }

  app.get(
    '/v1/status-pages',
    {
      schema: {
        operationId: 'listStatusPages',
        summary: 'List status pages',
        description: 'Newest first.',
        tags,
        querystring: StatusPageListQuery,
        response: { 200: Ref(StatusPageList) },
      },
      config: { access: 'read' },
    },
    async (request) => listPages(deps, tenantOf(principalOf(request)), pageOf(request.query)),
  )

  app.post(
    '/v1/status-pages',
    {
      schema: {
        operationId: 'createStatusPage',
        summary: 'Create a status page',
        description: 'Visitors see it once `published` is true.',
        tags,
        body: Ref(CreateStatusPageBody),
        response: { 201: Ref(StatusPage) },
      },
      config: {
        access: 'monitors:update',
        idempotent: true,
        locates: true,
        refuses: { 404: 'The organization was deleted while the request ran' },
      },
    },
    async (request, reply) =>
      creating(request, reply, async (db) => {
        const body = await createPage({ ...deps, db }, actorOf(request), request.body)
        return { status: 201, id: body.id, location: `/v1/status-pages/${body.id}`, body }
      }),
  )

  app.get(
    '/v1/status-pages/:id',
    {
      schema: {
        operationId: 'getStatusPage',
        summary: 'Get a status page',
        description: 'As in the list.',
        tags,
        params: StatusPageParams,
        response: { 200: Ref(StatusPage) },
      },
      config: { hasEtag: true, access: 'read' },
    },
    async (request) => getPage(deps, tenantOf(principalOf(request)), pageId(request)),
  )

  app.patch(
    '/v1/status-pages/:id',
    {
      schema: {
        operationId: 'updateStatusPage',
        summary: 'Update a status page',
        description: 'Changes only the fields that are given. Visitors see the change within seconds.',
        tags,
        params: StatusPageParams,
        body: Ref(PatchStatusPageBody),
        response: { 200: Ref(StatusPage) },
      },
      config: {
        hasEtag: true,
        access: 'monitors:update',
        refuses: { 409: 'Another status page has this slug' },
      },
    },
    async (request, reply) =>
      changing(request, reply, resourceOf(request), (db) =>
        patchPage({ ...deps, db }, actorOf(request), pageId(request), request.body),
      ),
  )

  app.delete(
    '/v1/status-pages/:id',
    {
      schema: {
        operationId: 'deleteStatusPage',
        summary: 'Delete a status page',
        description: 'With its posts and subscribers.',
        tags,
        params: StatusPageParams,
        response: { 204: Type.Null({ description: 'Done' }) },
      },
      config: { hasEtag: true, access: 'monitors:update' },
    },
    async (request, reply) => {
      const remove = (db: Db) => deletePage({ ...deps, db }, actorOf(request), pageId(request))
      await changing(request, reply, resourceOf(request), remove)
      return reply.code(204).send(null)
    },
  )
}
