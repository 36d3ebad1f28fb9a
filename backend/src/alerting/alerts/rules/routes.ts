import {
  AlertRule,
  AlertRuleList,
  AlertRuleListQuery,
  AlertRuleParams,
  CreateAlertRuleBody,
  PatchAlertRuleBody,
} from '@vedette/shared'
import { ORGANIZATION_DELETED, resourceRoutes } from '../../../access/auth/index.ts'
import { ownRuleFaults } from './rule.ts'
import { createRule, deleteRule, getRule, listRules, patchRule } from './service.ts'
import { lockRule } from './store.ts'

export const alertRuleRoutes = resourceRoutes({
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
    delete: 'Resolves its open incidents.',
  },
  ownFaults: ownRuleFaults,
  refuses: { create: ORGANIZATION_DELETED },
  lock: lockRule,
  list: listRules,
  get: getRule,
  create: createRule,
  patch: patchRule,
  delete: deleteRule,
})
