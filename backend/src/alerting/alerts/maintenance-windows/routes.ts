import {
  CreateMaintenanceWindowBody,
  MaintenanceWindow,
  MaintenanceWindowList,
  MaintenanceWindowListQuery,
  MaintenanceWindowParams,
  PatchMaintenanceWindowBody,
} from '@vedette/shared'
import { ORGANIZATION_DELETED, defineResource, resourceRoutes } from '../../../access/auth/index.ts'
import { createWindow, deleteWindow, getWindow, listWindows, patchWindow, restoreWindow } from './service.ts'
import { ownWindowFaults } from './faults.ts'
import { deletedWindows, lockWindow } from './store.ts'
import { windowConfiguration } from './configuration.ts'

export const windowResource = defineResource({
  kind: 'maintenanceWindow',
  path: '/v1/maintenance-windows',
  operation: ['MaintenanceWindow', 'MaintenanceWindows'],
  noun: ['a maintenance window', 'maintenance windows'],
  tags: ['alerts'],
  access: { read: 'read', change: 'monitors:update' },
  schemas: {
    params: MaintenanceWindowParams,
    query: MaintenanceWindowListQuery,
    list: MaintenanceWindowList,
    details: MaintenanceWindow,
    create: CreateMaintenanceWindowBody,
    patch: PatchMaintenanceWindowBody,
  },
  texts: {
    list: 'Newest first, including past ones.',
    create:
      'Notifications of incidents that open during the window are suppressed, and sent when it ends if the incident is still open.',
    get: 'As in the list.',
    update: 'Changes only the fields that are given; `target` is replaced as a whole.',
    delete: 'Sends the suppressed notifications of incidents that are still open. It can be restored for 30 days.',
  },
  ownFaults: ownWindowFaults,
  refuses: { create: ORGANIZATION_DELETED },
  lock: lockWindow,
  list: listWindows,
  get: getWindow,
  create: createWindow,
  patch: patchWindow,
  delete: deleteWindow,
  configuration: windowConfiguration,
  restore: {
    restore: restoreWindow,
    text: 'It is under way again where its time has not ended.',
    refuses: { 409: 'Its monitor or server was deleted, or the organization has too many maintenance windows' },
    deleted: deletedWindows,
  },
})

export const maintenanceWindowRoutes = resourceRoutes(windowResource)
