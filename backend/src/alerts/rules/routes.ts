import {
  AlertRule,
  AlertRuleList,
  AlertRuleListQuery,
  AlertRuleParams,
  CreateAlertRuleBody,
  PatchAlertRuleBody,
  Ref,
} from '@vedette/shared'
import { Type } from 'typebox'
import { type ChangingRouteDeps, tenantOf } from '../../auth/index.ts'
import { type App, type ChangedResource, pageOf } from '../../platform/http/index.ts'
import { decodeId } from '../../platform/ids.ts'
import { createRule, deleteRule, getRule, listRules, patchRule, type RuleDeps } from './service.ts'
import type { Db } from '../../platform/db/index.ts'
import { lockRule } from './store.ts'

const tags = ['alerts']

export function alertRuleRoutes(app: App, { principalOf, creating, changing, ...deps }: RuleDeps & ChangingRouteDeps): void {
  const actorOf = (request: { ip: string }) => ({ principal: principalOf(request), ip: request.ip })
  const ruleId = (request: { params: { id: string } }): string => decodeId('alertRule', request.params.id)
  const ruleOf = (request: { params: { id: string } }): ChangedResource => {
    const [tenant, id] = [tenantOf(principalOf(request)), ruleId(request)]
    return {
      lock: (db) => lockRule(db, tenant.number, id),
      read: (db) => getRule({ ...deps, db }, tenant, id),
    }
  }

  app.get(
    '/v1/alert-rules',
    {
      schema: {
        operationId: 'listAlertRules',
        summary: 'List alert rules',
        description: 'Newest first, including disabled ones.',
        tags,
        querystring: AlertRuleListQuery,
        response: { 200: Ref(AlertRuleList) },
      },
      config: { access: 'read' },
    },
    async (request) => listRules(deps, tenantOf(principalOf(request)), pageOf(request.query)),
  )

  app.post(
    '/v1/alert-rules',
    {
      schema: {
        operationId: 'createAlertRule',
        summary: 'Create an alert rule',
        description:
          'A rule applies to one monitor or server, to all with a tag, or to all of the type, including those created later.',
        tags,
        body: Ref(CreateAlertRuleBody),
        response: { 201: Ref(AlertRule) },
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
        const body = await createRule({ ...deps, db }, actorOf(request), request.body)
        return { status: 201, id: body.id, location: `/v1/alert-rules/${body.id}`, body }
      }),
  )

  app.get(
    '/v1/alert-rules/:id',
    {
      schema: {
        operationId: 'getAlertRule',
        summary: 'Get an alert rule',
        description: 'As in the list.',
        tags,
        params: AlertRuleParams,
        response: { 200: Ref(AlertRule) },
      },
      config: { hasEtag: true, access: 'read' },
    },
    async (request) => getRule(deps, tenantOf(principalOf(request)), ruleId(request)),
  )

  app.patch(
    '/v1/alert-rules/:id',
    {
      schema: {
        operationId: 'updateAlertRule',
        summary: 'Update an alert rule',
        description: 'Changes only the fields that are given; `target` and `condition` are replaced as a whole.',
        tags,
        params: AlertRuleParams,
        body: Ref(PatchAlertRuleBody),
        response: { 200: Ref(AlertRule) },
      },
      config: { hasEtag: true, access: 'monitors:update' },
    },
    async (request, reply) =>
      changing(request, reply, ruleOf(request), (db) =>
        patchRule({ ...deps, db }, actorOf(request), ruleId(request), request.body),
      ),
  )

  app.delete(
    '/v1/alert-rules/:id',
    {
      schema: {
        operationId: 'deleteAlertRule',
        summary: 'Delete an alert rule',
        description: 'Resolves its open incidents.',
        tags,
        params: AlertRuleParams,
        response: { 204: Type.Null({ description: 'Done' }) },
      },
      config: { hasEtag: true, access: 'monitors:update' },
    },
    async (request, reply) => {
      const remove = (db: Db) => deleteRule({ ...deps, db }, actorOf(request), ruleId(request))
      await changing(request, reply, ruleOf(request), remove)
      return reply.code(204).send(null)
    },
  )
}
