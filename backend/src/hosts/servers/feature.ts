import { defineFeature } from '../../platform/feature/feature.ts'
import { PROCESS_LISTS } from './processes.ts'
import { deleteProcessLists } from './process-store.ts'
import { serverRoutes } from './routes.ts'

export const serverFeature = defineFeature({
  routes: [serverRoutes],
  partitions: [PROCESS_LISTS],
  deleteOrganization: deleteProcessLists,
})
