import {
  CreateStatusPageBody,
  PatchStatusPageBody,
  StatusPage,
  StatusPageList,
  StatusPageListQuery,
  StatusPageParams,
} from '@vedette/shared'
import { ORGANIZATION_DELETED, defineResource, resourceRoutes } from '../../../access/auth/index.ts'
import { createPage, deletePage, getPage, listPages, ownPageFaults, patchPage, restorePage } from './service.ts'
import { deletedPages, lockPage } from './store.ts'
import { pageConfiguration } from './configuration.ts'

export const pageResource = defineResource({
  kind: 'statusPage',
  path: '/v1/status-pages',
  operation: ['StatusPage', 'StatusPages'],
  noun: ['a status page', 'status pages'],
  tags: ['status pages'],
  access: { read: 'read', change: 'monitors:update' },
  schemas: {
    params: StatusPageParams,
    query: StatusPageListQuery,
    list: StatusPageList,
    details: StatusPage,
    create: CreateStatusPageBody,
    patch: PatchStatusPageBody,
  },
  ownFaults: ownPageFaults,
  texts: {
    list: 'Newest first.',
    create: 'Visitors see it once `published` is true.',
    get: 'As in the list.',
    update: 'Changes only the fields that are given. Visitors see the change within seconds.',
    delete: 'With its posts and subscribers. It can be restored for 30 days.',
  },
  refuses: { create: ORGANIZATION_DELETED, update: { 409: 'Another status page has this slug' } },
  lock: lockPage,
  list: listPages,
  get: getPage,
  create: createPage,
  patch: patchPage,
  delete: deletePage,
  configuration: pageConfiguration,
  restore: {
    restore: restorePage,
    text: 'At its addresses, with its posts and subscribers.',
    refuses: { 409: 'Another status page has its slug or domain by now, or the organization has too many status pages' },
    deleted: deletedPages,
  },
})

export const statusPageRoutes = resourceRoutes(pageResource)
