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
import { defineResource, resourceRoutes, type RouteDeps, tenantOf } from '../../access/auth/index.ts'
import type { App } from '../../platform/http/index.ts'
import { decodeId } from '../../platform/ids.ts'
import {
  createPolicy,
  deletePolicy,
  type EscalationDeps,
  getPolicy,
  getRecipients,
  listPolicies,
  patchPolicy,
  restorePolicy,
  ownPolicyFaults,
} from './service.ts'
import { deletedPolicies, lockPolicy } from './store.ts'
import { policyConfiguration } from './configuration.ts'

const tags = ['alerts']

export const policyResource = defineResource({
  kind: 'escalationPolicy',
  path: '/v1/escalation-policies',
  operation: ['EscalationPolicy', 'EscalationPolicies'],
  noun: ['an escalation policy', 'escalation policies'],
  tags,
  access: { read: 'read', change: 'monitors:update' },
  schemas: {
    params: EscalationPolicyParams,
    query: EscalationPolicyListQuery,
    list: EscalationPolicyList,
    details: EscalationPolicy,
    create: CreateEscalationPolicyBody,
    patch: PatchEscalationPolicyBody,
  },
  ownFaults: ownPolicyFaults,
  texts: {
    list: 'Newest first.',
    create:
      'An incident of it goes to the first step at once, and to each next one while nobody has acknowledged it. Alert rules, SLOs and tags name policies.',
    get: 'Its definition. Deleted channels and schedules are no longer in its steps.',
    update:
      'Changes only the fields that are given; `steps` are replaced as a whole. Open incidents go on with the step of the same number.',
    delete:
      'Not while an alert rule or an SLO names it, or a next step is due for an open incident. It can be restored for 30 days.',
  },
  refuses: { delete: { 409: 'An alert rule or an SLO names it, or an open incident waits for its next step' } },
  lock: lockPolicy,
  list: listPolicies,
  get: getPolicy,
  create: createPolicy,
  patch: patchPolicy,
  delete: deletePolicy,
  configuration: policyConfiguration,
  restore: {
    restore: restorePolicy,
    text: 'With the channels and schedules of its steps that are still there.',
    refuses: { 409: 'The organization has too many escalation policies' },
    deleted: deletedPolicies,
  },
})

export const escalationPolicyRoutes = resourceRoutes(policyResource)

export function recipientRoutes(app: App, { principalOf, ...deps }: EscalationDeps & RouteDeps): void {
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
    async (request) =>
      getRecipients(deps, tenantOf(principalOf(request)), decodeId('escalationPolicy', request.params.id), request.query.at),
  )
}
