import {
  CreateStatusPostBody,
  PatchStatusPostBody,
  PatchStatusPostUpdateBody,
  Ref,
  StatusPageParams,
  StatusPost,
  StatusPostDraft,
  StatusPostDraftQuery,
  StatusPostList,
  StatusPostListQuery,
  StatusPostParams,
  StatusPostUpdate,
  StatusPostUpdateBody,
  StatusPostUpdateParams,
} from '@vedette/shared'
import { callerOf, type ChangingRouteDeps, tenantOf } from '../../../access/auth/index.ts'
import type { Db } from '../../../platform/db/index.ts'
import { type App, noContent, NoContent, type ChangedResource, pageOf } from '../../../platform/http/index.ts'
import { decodeId } from '../../../platform/ids.ts'
import { draftPost } from './draft.ts'
import {
  addUpdate,
  correctUpdate,
  createPost,
  deletePost,
  getPost,
  listPosts,
  lockPost,
  patchPost,
  type PostDeps,
  type PostKey,
} from './service.ts'

const tags = ['status pages']

interface PageRequest {
  params: { id: string }
}
interface PostRequest {
  params: { id: string; postId: string }
}

type PostRouteDeps = PostDeps & ChangingRouteDeps

export function statusPostRoutes(app: App, deps: PostRouteDeps): void {
  routesOfPage(app, deps)
  routesOfPost(app, deps)
  updateRoutes(app, deps)
}

const pageId = (request: PageRequest): string => decodeId('statusPage', request.params.id)
const keyOf = (request: PostRequest): PostKey => ({ pageId: pageId(request), id: decodeId('post', request.params.postId) })

function routesOfPage(app: App, deps: PostRouteDeps): void {
  const { principalOf, creating } = deps

  app.get(
    '/v1/status-pages/:id/posts',
    {
      schema: {
        operationId: 'listStatusPosts',
        summary: 'List posts',
        description: 'By start, newest first, without their updates.',
        tags,
        params: StatusPageParams,
        querystring: StatusPostListQuery,
        response: { 200: Ref(StatusPostList) },
      },
      config: { access: 'read' },
    },
    async (request) => listPosts(deps, tenantOf(principalOf(request)), pageId(request), pageOf(request.query)),
  )

  app.post(
    '/v1/status-pages/:id/posts',
    {
      schema: {
        operationId: 'createStatusPost',
        summary: 'Create a post',
        description: 'Announces an incident or a maintenance. Visitors see it within seconds; subscribers are notified once.',
        tags,
        params: StatusPageParams,
        body: Ref(CreateStatusPostBody),
        response: { 201: Ref(StatusPost) },
      },
      config: { access: 'monitors:update', idempotent: true, locates: true },
    },
    async (request, reply) =>
      creating(request, reply, async (db) => {
        const body = await createPost({ ...deps, db }, callerOf(deps, request), pageId(request), request.body)
        return { status: 201, id: body.id, location: `/v1/status-pages/${request.params.id}/posts/${body.id}`, body }
      }),
  )

  app.get(
    '/v1/status-pages/:id/posts/draft',
    {
      schema: {
        operationId: 'draftStatusPost',
        summary: 'Draft a post',
        description: 'Proposes a post about an incident or a monitor. Nothing is stored or sent.',
        tags,
        params: StatusPageParams,
        querystring: StatusPostDraftQuery,
        response: { 200: Ref(StatusPostDraft) },
      },
      config: { access: 'read' },
    },
    async (request) => draftPost(deps, tenantOf(principalOf(request)), pageId(request), request.query),
  )
}

function routesOfPost(app: App, deps: PostRouteDeps): void {
  const { principalOf, changing } = deps
  const resourceOf = (request: PostRequest): ChangedResource => {
    const [tenant, key] = [tenantOf(principalOf(request)), keyOf(request)]
    return { lock: (db) => lockPost(db, tenant, key), read: (db) => getPost({ ...deps, db }, tenant, key) }
  }

  app.get(
    '/v1/status-pages/:id/posts/:postId',
    {
      schema: {
        operationId: 'getStatusPost',
        summary: 'Get a post',
        description: 'With its updates.',
        tags,
        params: StatusPostParams,
        response: { 200: Ref(StatusPost) },
      },
      config: { hasEtag: true, access: 'read' },
    },
    async (request) => getPost(deps, tenantOf(principalOf(request)), keyOf(request)),
  )

  app.patch(
    '/v1/status-pages/:id/posts/:postId',
    {
      schema: {
        operationId: 'updateStatusPost',
        summary: 'Update a post',
        description: 'Changes only the fields that are given. The status changes by updates.',
        tags,
        params: StatusPostParams,
        body: Ref(PatchStatusPostBody),
        response: { 200: Ref(StatusPost) },
      },
      // Time changes them.
      config: { hasEtag: true, measured: ['status', 'resolved_at'], access: 'monitors:update' },
    },
    async (request, reply) =>
      changing(request, reply, resourceOf(request), (db) =>
        patchPost({ ...deps, db }, callerOf(deps, request), keyOf(request), request.body),
      ),
  )

  app.delete(
    '/v1/status-pages/:id/posts/:postId',
    {
      schema: {
        operationId: 'deleteStatusPost',
        summary: 'Delete a post',
        description: 'With its updates. Notifications that are not sent yet are not sent.',
        tags,
        params: StatusPostParams,
        response: { 204: NoContent },
      },
      config: { hasEtag: true, access: 'monitors:update' },
    },
    async (request, reply) => {
      const remove = (db: Db) => deletePost({ ...deps, db }, callerOf(deps, request), keyOf(request))
      return noContent(reply, changing(request, reply, resourceOf(request), remove))
    },
  )
}

function updateRoutes(app: App, deps: PostRouteDeps): void {
  app.post(
    '/v1/status-pages/:id/posts/:postId/updates',
    {
      schema: {
        operationId: 'createStatusPostUpdate',
        summary: 'Add an update to a post',
        description: 'The post gets the status of the update; one that was resolved or completed is open again with any other.',
        tags,
        params: StatusPostParams,
        body: Ref(StatusPostUpdateBody),
        response: { 201: Ref(StatusPostUpdate) },
      },
      config: { access: 'monitors:update', idempotent: true },
    },
    async (request, reply) =>
      deps.creating(request, reply, async (db) => {
        const body = await addUpdate({ ...deps, db }, callerOf(deps, request), keyOf(request), request.body)
        return { status: 201, id: body.id, body }
      }),
  )

  app.patch(
    '/v1/status-pages/:id/posts/:postId/updates/:updateId',
    {
      schema: {
        operationId: 'correctStatusPostUpdate',
        summary: 'Correct the text of an update',
        description: 'Subscribers are not notified.',
        tags,
        params: StatusPostUpdateParams,
        body: Ref(PatchStatusPostUpdateBody),
        response: { 200: Ref(StatusPostUpdate) },
      },
      config: { access: 'monitors:update' },
    },
    async (request) => {
      const updateId = decodeId('postUpdate', request.params.updateId)
      return correctUpdate(deps, callerOf(deps, request), keyOf(request), updateId, request.body)
    },
  )
}
