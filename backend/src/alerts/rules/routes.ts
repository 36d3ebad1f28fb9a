import {
  AlertRule,
  AlertRuleList,
  AlertRuleListQuery,
  AlertRuleParams,
  AlertRulePreview,
  CreateAlertRuleBody,
  PatchAlertRuleBody,
  Ref,
} from '@vedette/shared'
import { Type } from 'typebox'
import { type Principal, tenantOf } from '../../auth/index.ts'
import type { Reader } from '../../platform/db/index.ts'
import type { App, Creating } from '../../platform/http/index.ts'
import { decodeId } from '../../platform/ids.ts'
import type { AlertDeps } from '../deps.ts'
import { previewRule } from '../preview/service.ts'
import { createRule, deleteRule, getRule, listRules, patchRule } from './service.ts'

export interface AlertRuleRouteDeps extends AlertDeps {
  principalOf(request: object): Principal
  creating: Creating
  reader: Reader
  pushIntervalSeconds: number
}

const tags = ['alerts']

export function alertRuleRoutes(app: App, { principalOf, creating, ...deps }: AlertRuleRouteDeps): void {
  const actorOf = (request: { ip: string }) => ({ principal: principalOf(request), ip: request.ip })
  const ruleId = (request: { params: { id: string } }): string => decodeId('alertRule', request.params.id)

  app.get(
    '/v1/alert-rules',
    {
      schema: {
        operationId: 'listAlertRules',
        summary: 'List alert rules',
        description: 'Newest first, disabled ones among them.',
        tags,
        querystring: AlertRuleListQuery,
        response: { 200: Ref(AlertRuleList) },
      },
      config: { access: 'read' },
    },
    async (request) => {
      const { page = 1, limit = 20 } = request.query
      return listRules(deps, tenantOf(principalOf(request)), { page, limit })
    },
  )

  app.post(
    '/v1/alert-rules',
    {
      schema: {
        operationId: 'createAlertRule',
        summary: 'Make an alert rule',
        description: 'It speaks of one monitor or server, of those with a tag, or of all of that type, also of those to come.',
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

  app.post(
    '/v1/alert-rules/preview',
    {
      schema: {
        operationId: 'previewAlertRule',
        summary: 'See what a rule would have said',
        description: 'In the last seven days. Nothing is kept, and nobody is told.',
        tags,
        body: Ref(CreateAlertRuleBody),
        response: { 200: Ref(AlertRulePreview) },
      },
      config: { access: 'monitors:update' },
    },
    async (request) => previewRule(deps, tenantOf(principalOf(request)), request.body),
  )

  app.get(
    '/v1/alert-rules/:id',
    {
      schema: {
        operationId: 'getAlertRule',
        summary: 'One alert rule',
        description: 'As lists have it.',
        tags,
        params: AlertRuleParams,
        response: { 200: Ref(AlertRule) },
      },
      config: { access: 'read' },
    },
    async (request) => getRule(deps, tenantOf(principalOf(request)), ruleId(request)),
  )

  app.patch(
    '/v1/alert-rules/:id',
    {
      schema: {
        operationId: 'updateAlertRule',
        summary: 'Change an alert rule',
        description: 'Only what is named changes; `target` and `condition` as a whole.',
        tags,
        params: AlertRuleParams,
        body: Ref(PatchAlertRuleBody),
        response: { 200: Ref(AlertRule) },
      },
      config: { access: 'monitors:update' },
    },
    async (request) => patchRule(deps, actorOf(request), ruleId(request), request.body),
  )

  app.delete(
    '/v1/alert-rules/:id',
    {
      schema: {
        operationId: 'deleteAlertRule',
        summary: 'Delete an alert rule',
        description: 'Nothing more is told by it.',
        tags,
        params: AlertRuleParams,
        response: { 204: Type.Null({ description: 'Done' }) },
      },
      config: { access: 'monitors:update' },
    },
    async (request, reply) => {
      await deleteRule(deps, actorOf(request), ruleId(request))
      return reply.code(204).send(null)
    },
  )
}
