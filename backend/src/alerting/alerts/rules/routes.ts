import {
  AddedAlertRules,
  AlertRule,
  AlertRuleList,
  AlertRuleListQuery,
  AlertRuleParams,
  CreateAlertRuleBody,
  PatchAlertRuleBody,
  Ref,
} from '@vedette/shared'
import {
  type ChangingRouteDeps,
  defineResource,
  ORGANIZATION_DELETED,
  recordedMany,
  resourceRoutes,
} from '../../../access/auth/index.ts'
import { inTransaction } from '../../../platform/db/index.ts'
import { decodeId } from '../../../platform/ids.ts'
import type { App } from '../../../platform/http/index.ts'
import { ownRuleFaults } from './rule.ts'
import { addDefaultRules, createRule, deleteRule, getRule, listRules, patchRule, restoreRule, type RuleDeps } from './service.ts'
import { deletedRules, lockRule } from './store.ts'
import { ruleConfiguration } from './configuration.ts'

export const ruleResource = defineResource({
  kind: 'alertRule',
  path: '/v1/alert-rules',
  operation: ['AlertRule', 'AlertRules'],
  noun: ['an alert rule', 'alert rules'],
  tags: ['alerts'],
  access: { read: 'read', change: 'monitors:update' },
  schemas: {
    params: AlertRuleParams,
    query: AlertRuleListQuery,
    list: AlertRuleList,
    details: AlertRule,
    create: CreateAlertRuleBody,
    patch: PatchAlertRuleBody,
  },
  texts: {
    list: 'Newest first, including disabled ones.',
    create: 'A rule applies to one monitor or server, to all with a tag, or to all of the type, including those created later.',
    get: 'As in the list.',
    update: 'Changes only the fields that are given; `target` and `condition` are replaced as a whole.',
    delete: 'Resolves its open incidents. It can be restored for 30 days.',
  },
  ownFaults: ownRuleFaults,
  refuses: { create: ORGANIZATION_DELETED },
  lock: lockRule,
  list: listRules,
  get: getRule,
  create: createRule,
  patch: patchRule,
  delete: deleteRule,
  configuration: ruleConfiguration,
  restore: {
    restore: restoreRule,
    text: 'With the channels and the escalation policy that are still there. Its condition counts from now on.',
    refuses: { 409: 'Its monitor or server was deleted, or the organization has too many alert rules' },
    deleted: deletedRules,
  },
})

export const alertRuleRoutes = resourceRoutes(ruleResource)

export function defaultRuleRoutes(
  app: App,
  { principalOf, ...deps }: RuleDeps & Pick<ChangingRouteDeps, 'principalOf' | 'recordHandChange'>,
): void {
  app.post(
    '/v1/alert-rules/defaults',
    {
      schema: {
        operationId: 'addDefaultAlertRules',
        summary: 'Create the default rules that are missing',
        description:
          'A new organization has them. Creates those whose metric no rule of the organization has; a rule that was changed or turned off stays as it is.',
        tags: ['alerts'],
        response: { 200: Ref(AddedAlertRules) },
      },
      config: { access: 'monitors:update', idempotent: false, refuses: { 409: 'The organization has too many alert rules' } },
    },
    async (request) => {
      const caller = { principal: principalOf(request), ip: request.ip }
      return inTransaction(deps.db, (db) =>
        recordedMany(ruleResource, { ...deps, db }, caller, {
          ids: [],
          work: (within) => addDefaultRules(within, caller),
          idsOf: ({ alert_rules: rules }) => rules.map(({ id }) => decodeId('alertRule', id)),
        }),
      )
    },
  )
}
