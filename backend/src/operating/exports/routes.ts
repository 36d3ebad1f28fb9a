import { CreateExportBody, Export, ExportList, ExportListQuery, ExportParams, PatchExportBody } from '@vedette/shared'
import { defineResource, ORGANIZATION_DELETED, resourceRoutes } from '../../access/auth/index.ts'
import { createExport, deleteExport, getExport, listExports, patchExport } from './service.ts'
import { lockExport } from './store.ts'

const OF_SETTING = { 409: 'The export is made from VEDETTE_OTLP_URL' }

const exportResource = defineResource({
  kind: 'export',
  path: '/v1/exports',
  operation: ['Export', 'Exports'],
  noun: ['an export', 'exports'],
  tags: ['servers'],
  access: { read: 'integrations:manage', change: 'integrations:manage' },
  schemas: {
    params: ExportParams,
    query: ExportListQuery,
    list: ExportList,
    details: Export,
    create: CreateExportBody,
    patch: PatchExportBody,
  },
  texts: {
    list: 'Newest first. The values of headers are never returned.',
    create: 'Samples that are received from now on are sent there, at least once and in order for each series.',
    get: 'As in the list.',
    update:
      'Changes only the fields that are given. It goes on where it stopped; samples that are added are sent from now on. A URL of another origin needs the headers again.',
    delete: 'What was not sent yet is not sent.',
  },
  measured: ['state'],
  moving: ['state.lag_seconds'],
  refuses: { create: ORGANIZATION_DELETED, update: OF_SETTING, delete: OF_SETTING },
  lock: lockExport,
  list: listExports,
  get: getExport,
  create: createExport,
  patch: patchExport,
  delete: deleteExport,
})

export const exportRoutes = resourceRoutes(exportResource)
