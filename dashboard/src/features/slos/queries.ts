import type { Slo } from '@vedette/shared'
import { DAY_MS } from '@vedette/shared/tables'
import { queryOptions } from '@tanstack/react-query'
import { type Api, pollEvery } from '../../lib/api.ts'
import { ROW_MS } from '../../lib/slo-queries.ts'
import { type CountedMonitor, toCounted } from './burn-down.ts'

const MOST_MONITORS = 100
const DAYS = 90

/** The monitors that an SLO counts, with their uptime by day, in one request; null where they are more than a request has. */
export const countedQuery = ({ organizationId, client }: Api, { id, tag }: Slo['target']) =>
  queryOptions({
    queryKey: [organizationId, 'slos', 'counted', id, tag],
    queryFn: async ({ signal }): Promise<readonly CountedMonitor[] | null> => {
      if (tag !== null) {
        const { monitors, total } = await client.monitors.list(
          { tag: [tag], include: 'uptime', limit: MOST_MONITORS },
          { signal },
        )
        return total > monitors.length ? null : toCounted(monitors)
      }
      const to = (Math.floor(Date.now() / DAY_MS) + 1) * DAY_MS
      const times = { from: new Date(to - DAYS * DAY_MS).toISOString(), to: new Date(to).toISOString() }
      const { series } = await client.monitors.stats(id ?? '', { ...times, points: DAYS }, { signal })
      return series ? [{ id: id ?? '', name: '', weight: 1, fromMs: Date.parse(series.from), days: series.uptime_percent }] : null
    },
    staleTime: ROW_MS,
    refetchInterval: pollEvery(ROW_MS),
  })
