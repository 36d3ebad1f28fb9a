import { Ref, RegionList } from '@vedette/shared'
import type { Clock } from '../../platform/time/clock.ts'
import type { Db } from '../../platform/db/index.ts'
import type { App } from '../../platform/http/index.ts'
import { listRegions } from './service.ts'

export interface RegionRouteDeps {
  db: Db
  clock: Clock
}

export function regionRoutes(app: App, deps: RegionRouteDeps): void {
  app.get(
    '/v1/regions',
    {
      schema: {
        operationId: 'listRegions',
        summary: 'List regions',
        description:
          'Locations that run checks, ordered by id. A region is online when one of its workers was seen in the last 90 s. A check that fails while its region reaches none of `control_targets` is inconclusive.',
        tags: ['monitors'],
        response: { 200: Ref(RegionList) },
      },
      config: { access: 'read' },
    },
    async () => ({ regions: await listRegions(deps) }),
  )
}
