import {
  CreateEscalationPolicyBody,
  EscalationPolicy,
  EscalationPolicyList,
  EscalationPolicyListQuery,
  EscalationPolicyParams,
  EscalationRecipients,
  EscalationRecipientsQuery,
  PatchEscalationPolicyBody,
  Ref,
} from '@vedette/shared'
import { Type } from 'typebox'
import { type ChangingRouteDeps, tenantOf } from '../auth/index.ts'
import type { Db } from '../platform/db/index.ts'
import { type App, type ChangedResource, pageOf } from '../platform/http/index.ts'
import { decodeId } from '../platform/ids.ts'
import {
  createPolicy,
  deletePolicy,
  type EscalationDeps,
  getPolicy,
  getRecipients,
  listPolicies,
  patchPolicy,
} from './service.ts'
import { lockPolicy } from './store.ts'

const tags = ['alerts']

export function escalationRoutes(
  app: App,
  { principalOf, creating, changing, ...deps }: EscalationDeps & ChangingRouteDeps,
): void {
  const actorOf = (request: { ip: string }) => ({ principal: principalOf(request), ip: request.ip })
  const policyId = (request: { params: { id: string } }): string => decodeId('escalationPolicy', request.params.id)
  const policyOf = (request: { params: { id: string } }): ChangedResource => {
    const [tenant, id] = [tenantOf(principalOf(request)), policyId(request)]
    return {
      lock: (db) => lockPolicy(db, tenant.number, id),
      read: (db) => getPolicy({ ...deps, db }, tenant, id),
    }
  }

  app.get(
    '/v1/escalation-policies',
    {
      schema: {
        operationId: 'listEscalationPolicies',
        summary: 'List escalation policies',
        description: 'Newest first.',
        tags,
        querystring: EscalationPolicyListQuery,
        response: { 200: Ref(EscalationPolicyList) },
      },
      config: { access: 'read' },
    },
    async (request) => listPolicies(deps, tenantOf(principalOf(request)), pageOf(request.query)),
  )

  app.post(
    '/v1/escalation-policies',
    {
      schema: {
        operationId: 'createEscalationPolicy',
        summary: 'Create an escalation policy',
        description:
          'An incident of it goes to the first step at once, and to each next one while nobody has acknowledged it. Alert rules, SLOs and tags name policies.',
        tags,
        body: Ref(CreateEscalationPolicyBody),
        response: { 201: Ref(EscalationPolicy) },
      },
      config: { access: 'monitors:update', idempotent: true, locates: true },
    },
    async (request, reply) =>
      creating(request, reply, async (db) => {
        const body = await createPolicy({ ...deps, db }, actorOf(request), request.body)
        return { status: 201, id: body.id, location: `/v1/escalation-policies/${body.id}`, body }
      }),
  )

  app.get(
    '/v1/escalation-policies/:id',
    {
      schema: {
        operationId: 'getEscalationPolicy',
        summary: 'Get an escalation policy',
        description: 'Its definition. Deleted channels and schedules are no longer in its steps.',
        tags,
        params: EscalationPolicyParams,
        response: { 200: Ref(EscalationPolicy) },
      },
      config: { hasEtag: true, access: 'read' },
    },
    async (request) => getPolicy(deps, tenantOf(principalOf(request)), policyId(request)),
  )

  app.get(
    '/v1/escalation-policies/:id/recipients',
    {
      schema: {
        operationId: 'getEscalationRecipients',
        summary: 'Get whom a policy would notify',
        description: 'Of each step at an instant, now by default, with the schedules in which nobody is on duty.',
        tags,
        params: EscalationPolicyParams,
        querystring: EscalationRecipientsQuery,
        response: { 200: Ref(EscalationRecipients) },
      },
      config: { access: 'read' },
    },
    async (request) => getRecipients(deps, tenantOf(principalOf(request)), policyId(request), request.query.at),
  )

  app.patch(
    '/v1/escalation-policies/:id',
    {
      schema: {
        operationId: 'updateEscalationPolicy',
        summary: 'Update an escalation policy',
        description:
          'Changes only the fields that are given; `steps` are replaced as a whole. Open incidents go on with the step of the same number.',
        tags,
        params: EscalationPolicyParams,
        body: Ref(PatchEscalationPolicyBody),
        response: { 200: Ref(EscalationPolicy) },
      },
      config: { hasEtag: true, access: 'monitors:update' },
    },
    async (request, reply) =>
      changing(request, reply, policyOf(request), (db) =>
        patchPolicy({ ...deps, db }, actorOf(request), policyId(request), request.body),
      ),
  )

  app.delete(
    '/v1/escalation-policies/:id',
    {
      schema: {
        operationId: 'deleteEscalationPolicy',
        summary: 'Delete an escalation policy',
        description: 'Not while an alert rule or an SLO names it, or a next step is due for an open incident.',
        tags,
        params: EscalationPolicyParams,
        response: { 204: Type.Null({ description: 'Done' }) },
      },
      config: {
        hasEtag: true,
        access: 'monitors:update',
        refuses: { 409: 'An alert rule or an SLO names it, or an open incident waits for its next step' },
      },
    },
    async (request, reply) => {
      const remove = (db: Db) => deletePolicy({ ...deps, db }, actorOf(request), policyId(request))
      await changing(request, reply, policyOf(request), remove)
      return reply.code(204).send(null)
    },
  )
}
