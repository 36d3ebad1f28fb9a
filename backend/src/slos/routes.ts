import { SloDetails, SloList, SloListQuery, SloParams, CreateSloBody, PatchSloBody, Ref } from '@vedette/shared'
import { Type } from 'typebox'
import { type ChangingRouteDeps, tenantOf } from '../auth/index.ts'
import { type App, type ChangedResource, pageOf } from '../platform/http/index.ts'
import { decodeId } from '../platform/ids.ts'
import { createSlo, deleteSlo, getSlo, listSlos, patchSlo, type SloDeps } from './service.ts'
import type { Db } from '../platform/db/index.ts'
import { lockSlo } from './store.ts'

const tags = ['alerts']

export function sloRoutes(app: App, { principalOf, creating, changing, ...deps }: SloDeps & ChangingRouteDeps): void {
  const actorOf = (request: { ip: string }) => ({ principal: principalOf(request), ip: request.ip })
  const sloId = (request: { params: { id: string } }): string => decodeId('slo', request.params.id)
  const sloOf = (request: { params: { id: string } }): ChangedResource => {
    const [tenant, id] = [tenantOf(principalOf(request)), sloId(request)]
    return {
      lock: (db) => lockSlo(db, tenant.number, id),
      read: (db) => getSlo({ ...deps, db }, tenant, id),
    }
  }

  app.get(
    '/v1/slos',
    {
      schema: {
        operationId: 'listSlos',
        summary: 'List SLOs',
        description: 'Newest first, without their error budgets.',
        tags,
        querystring: SloListQuery,
        response: { 200: Ref(SloList) },
      },
      config: { access: 'read' },
    },
    async (request) => listSlos(deps, tenantOf(principalOf(request)), pageOf(request.query)),
  )

  app.post(
    '/v1/slos',
    {
      schema: {
        operationId: 'createSlo',
        summary: 'Create an SLO',
        description:
          'The share of good checks of a monitor, or of all monitors with a tag, including those created later. Its burn-rate alerts open incidents.',
        tags,
        body: Ref(CreateSloBody),
        response: { 201: Ref(SloDetails) },
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
        const body = await createSlo({ ...deps, db }, actorOf(request), request.body)
        return { status: 201, id: body.id, location: `/v1/slos/${body.id}`, body }
      }),
  )

  app.get(
    '/v1/slos/:id',
    {
      schema: {
        operationId: 'getSlo',
        summary: 'Get an SLO',
        description: 'With its error budget: good and bad checks of the window, what is left, and how fast it burns.',
        tags,
        params: SloParams,
        response: { 200: Ref(SloDetails) },
      },
      config: { hasEtag: true, access: 'read' },
    },
    async (request) => getSlo(deps, tenantOf(principalOf(request)), sloId(request)),
  )

  app.patch(
    '/v1/slos/:id',
    {
      schema: {
        operationId: 'updateSlo',
        summary: 'Update an SLO',
        description:
          'Changes only the fields that are given; `target` is replaced as a whole. A change of more than name, window, time zone, channels and escalation policy resolves its open incidents.',
        tags,
        params: SloParams,
        body: Ref(PatchSloBody),
        response: { 200: Ref(SloDetails) },
      },
      config: { hasEtag: true, measured: ['status'], access: 'monitors:update' },
    },
    async (request, reply) =>
      changing(request, reply, sloOf(request), (db) => patchSlo({ ...deps, db }, actorOf(request), sloId(request), request.body)),
  )

  app.delete(
    '/v1/slos/:id',
    {
      schema: {
        operationId: 'deleteSlo',
        summary: 'Delete an SLO',
        description: 'Resolves its open incidents.',
        tags,
        params: SloParams,
        response: { 204: Type.Null({ description: 'Done' }) },
      },
      config: { hasEtag: true, access: 'monitors:update' },
    },
    async (request, reply) => {
      const remove = (db: Db) => deleteSlo({ ...deps, db }, actorOf(request), sloId(request))
      await changing(request, reply, sloOf(request), remove)
      return reply.code(204).send(null)
    },
  )
}
