import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { EmptyState, ErrorPanel, Page, SkeletonRows } from '../../components/page.tsx'
import { useViewer } from '../../lib/api.ts'
import { reports } from '../../messages/reports.ts'
import { ReportActions } from './actions.tsx'
import { ReportFilters } from './filters.tsx'
import { reportQuery } from './queries.ts'
import { Report } from './report.tsx'
import { reportSearch, shownSearch } from './search.ts'

const text = reports
const route = getRouteApi('/reports')

/** The uptime of monitors over a time of the calendar. What is chosen is in the URL. */
export function ReportsPage() {
  const given = reportSearch({ ...route.useSearch() })
  const viewer = useViewer()
  const { data: usual } = useQuery(reportQuery(viewer, given))
  const search = shownSearch(given, usual)
  const { data, error, isError, isFetching, refetch } = useQuery(reportQuery(viewer, search))
  const isChosen = search.of === undefined || search.what !== undefined
  return (
    <Page title={text.title} aside={isError && !data ? undefined : <ReportActions search={search} report={data} />}>
      <ReportFilters search={search} />
      {isChosen ? (
        <>
          {isError && !isFetching && <ErrorPanel error={error} onRetry={() => void refetch()} />}
          {isFetching && !data && (
            // As high as the screen until there is an answer, so that what follows does not move.
            <div className="panel min-h-dvh">
              <SkeletonRows rows={10} />
            </div>
          )}
          {data && <Report report={data} />}
        </>
      ) : (
        <section className="panel">
          <EmptyState title={text.choose[search.of ?? 'tag']} />
        </section>
      )}
    </Page>
  )
}
