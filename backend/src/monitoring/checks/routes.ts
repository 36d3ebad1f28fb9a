import { MonitorParams, MonitorStats, MonitorStatsQuery, Ref } from '@vedette/shared'
import { type Principal, tenantOf } from '../../access/auth/index.ts'
import type { Reader } from '../../platform/db/index.ts'
import type { App } from '../../platform/http/index.ts'
import { decodeId } from '../../platform/ids.ts'
import { readMonitorStats, type StatsDeps } from './stats/read.ts'

export interface CheckRouteDeps extends Omit<StatsDeps, 'db'> {
  reader: Reader
  principalOf(request: object): Principal
}

export function checkRoutes(app: App, { principalOf, reader, clock }: CheckRouteDeps): void {
  app.get(
    '/v1/monitors/:id/stats',
    {
      schema: {
        operationId: 'getMonitorStats',
        summary: "Get stats of a monitor's checks",
        description:
          'Covers `period`, or `from` to `to`. Percentiles are exact up to 7 days and within 1 % above. Single checks are kept for 35 days: a window that begins earlier is widened to whole UTC days.',
        tags: ['monitors'],
        params: MonitorParams,
        querystring: MonitorStatsQuery,
        response: { 200: Ref(MonitorStats) },
      },
      config: { access: 'read' },
    },
    async (request) => {
      const [tenant, id] = [tenantOf(principalOf(request)), decodeId('monitor', request.params.id)]
      return reader(({ db }) => readMonitorStats({ db, clock }, tenant, id, request.query))
    },
  )
}
