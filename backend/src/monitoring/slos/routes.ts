import { CreateSloBody, PatchSloBody, SloDetails, SloList, SloListQuery, SloParams } from '@vedette/shared'
import { ORGANIZATION_DELETED, defineResource, resourceRoutes } from '../../access/auth/index.ts'
import { ownSloFaults } from './faults.ts'
import { createSlo, deleteSlo, getSlo, listSlos, patchSlo, restoreSlo } from './service.ts'
import { deletedSlos, lockSlo } from './store.ts'
import { sloConfiguration } from './configuration.ts'

export const sloResource = defineResource({
  kind: 'slo',
  path: '/v1/slos',
  operation: ['Slo', 'Slos'],
  noun: ['an SLO', 'SLOs'],
  tags: ['alerts'],
  access: { read: 'read', change: 'monitors:update' },
  schemas: {
    params: SloParams,
    query: SloListQuery,
    list: SloList,
    details: SloDetails,
    create: CreateSloBody,
    patch: PatchSloBody,
  },
  ownFaults: ownSloFaults,
  texts: {
    list: 'Newest first, without their error budgets.',
    create:
      'The share of good checks of a monitor, or of all monitors with a tag, including those created later. Its burn-rate alerts open incidents.',
    get: 'With its error budget: good and bad checks of the window, what is left, and how fast it burns.',
    update:
      'Changes only the fields that are given; `target` is replaced as a whole. A change of more than name, window, time zone, channels and escalation policy resolves its open incidents.',
    delete: 'Resolves its open incidents. It can be restored for 30 days.',
  },
  measured: ['status'],
  moving: ['status.from', 'status.to', 'status.exact_from', 'status.exact_until'],
  refuses: { create: ORGANIZATION_DELETED },
  lock: lockSlo,
  list: listSlos,
  get: getSlo,
  create: createSlo,
  patch: patchSlo,
  delete: deleteSlo,
  configuration: sloConfiguration,
  restore: {
    restore: restoreSlo,
    text: 'With its alerts, and the channels and the escalation policy that are still there.',
    refuses: { 409: 'The organization has too many SLOs' },
    deleted: deletedSlos,
  },
})

export const sloRoutes = resourceRoutes(sloResource)
