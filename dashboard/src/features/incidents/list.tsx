import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { buttonClass } from '../../components/button.tsx'
import { Empty, Page, SkeletonRows, Trouble } from '../../components/page.tsx'
import { Pager } from '../../components/pager.tsx'
import { Segmented } from '../../components/segmented.tsx'
import { useScope, useViewer } from '../../lib/api.ts'
import type { ListSearch } from '../../lib/list-search.ts'
import { text } from '../../messages/index.ts'
import { incidentListQuery, PAGE_LIMIT, STATUSES } from './queries.ts'
import { IncidentRow } from './row.tsx'

const words = text.incidents
const route = getRouteApi('/incidents')

/** Newest first; what is shown stands in the URL. */
export function IncidentListPage() {
  const { client } = useViewer()
  const search = route.useSearch()
  const navigate = useNavigate({ from: '/incidents' })
  const change = (next: ListSearch) => void navigate({ search: next })
  const list = useQuery(incidentListQuery(useScope(), client, search))
  return (
    <Page
      title={words.title}
      aside={
        <Link to="/alerts/{-$section}" className={buttonClass()}>
          {words.rules}
        </Link>
      }
    >
      <div className="mb-3 flex">
        <Segmented
          label={words.status}
          value={search.status ?? ''}
          options={[
            { value: '', label: words.all },
            ...STATUSES.map((value) => ({ value: value as string, label: text.status[value] ?? value })),
          ]}
          onChoose={(status) => change(status === '' ? {} : { status })}
        />
      </div>
      {list.isError && !list.data ? (
        <Trouble error={list.error} onRetry={() => void list.refetch()} />
      ) : (
        <section className="panel overflow-hidden">
          {!list.data && <SkeletonRows rows={10} />}
          {list.data?.incidents.length === 0 && <None isFiltered={search.status !== undefined || search.page !== undefined} />}
          {list.data && list.data.incidents.length > 0 && (
            <ul className="divide-y divide-line">
              {list.data.incidents.map((incident) => (
                <IncidentRow key={incident.id} incident={incident} />
              ))}
            </ul>
          )}
          {list.data && (
            <Pager
              page={search.page ?? 1}
              limit={PAGE_LIMIT}
              total={list.data.total}
              onPage={(page) => change({ ...search, page })}
            />
          )}
        </section>
      )}
    </Page>
  )
}

function None({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered) return <Empty title={text.list.none} />
  return (
    <Empty title={words.none}>
      <p className="max-w-lg text-soft">{words.noneLead}</p>
    </Empty>
  )
}
