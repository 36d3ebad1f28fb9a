import type { StatusPage } from '@vedette/shared'
import { queryOptions } from '@tanstack/react-query'
import type { Api } from '../../lib/api.ts'
import { viewerZone } from '../../lib/time.ts'
import { daysOf, shiftedDay } from './days.ts'
import type { ReportSearch } from './search.ts'

/** A report may count a year of checks, and changes slowly. */
const STALE_MS = 5 * 60_000
/** Of a page of the API. */
const MOST = 100

/** The query of the API; undefined until it is chosen what the report is of. */
export function reportQueryOf(search: ReportSearch) {
  const { of, what } = search
  if (of !== undefined && what === undefined) return undefined
  const zone = viewerZone()
  const { from, to } = daysOf(search, Date.now(), zone)
  // The end of the API is exclusive.
  return { from, to: shiftedDay(to, 1), time_zone: zone, ...(of && { [of]: what }) }
}

export const reportQuery = ({ organizationId, client }: Api, search: ReportSearch) => {
  const query = reportQueryOf(search)
  return queryOptions({
    queryKey: [organizationId, 'reports', query],
    queryFn: ({ signal }) => client.reports.uptime(query, { signal }),
    enabled: query !== undefined,
    staleTime: STALE_MS,
    refetchOnWindowFocus: false,
  })
}

export const allPagesQuery = ({ organizationId, client }: Api) =>
  queryOptions({
    queryKey: [organizationId, 'status-pages', 'list', 'all'],
    queryFn: async ({ signal }): Promise<StatusPage[]> => {
      const pages: StatusPage[] = []
      for await (const page of client.statusPages.all({ limit: MOST }, { signal })) pages.push(page)
      return pages
    },
  })
