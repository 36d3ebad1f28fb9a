import type { UseQueryResult } from '@tanstack/react-query'
import { type ReactNode, useDeferredValue } from 'react'
import { isFiltered, type ListSearch } from '../lib/list-search.ts'
import { useDeferredRows } from '../lib/use-deferred-rows.ts'
import { messages } from '../messages/index.ts'
import { EmptyList, type EmptyListTexts, EmptyState, ErrorPanel, SkeletonRows } from './page.tsx'
import { Pager } from './pager.tsx'

interface Props<Answer, Row> {
  query: UseQueryResult<Answer, unknown>
  search: ListSearch
  /** For lists with further filters than those of all. */
  isFiltered?: boolean
  /** Rows of a page. */
  limit: number
  rowsOf: (answer: Answer) => readonly Row[]
  /** Above the rows. */
  header?: ReactNode
  /** Shown where the list is empty without filters. */
  empty: EmptyListTexts & { add?: ReactNode }
  row: (row: Row) => ReactNode
}

/** The rows of a list that is a page of its own, with its filters in the URL. */
export function ListSection<Answer extends { total: number }, Row>(props: Props<Answer, Row>) {
  const { query, search, limit, rowsOf, header, empty, row } = props
  // The first rows are rendered in pieces, too.
  const data = useDeferredValue(query.data)
  if (query.isError && !data) return <ErrorPanel error={query.error} onRetry={() => void query.refetch()} />
  const rows = data && rowsOf(data)
  const isPart = (props.isFiltered ?? isFiltered(search)) || (search.page ?? 1) > 1
  return (
    // As high as the screen until the rows are there, so that what follows does not move.
    <section className={`panel overflow-hidden ${rows ? '' : 'min-h-dvh'}`}>
      {rows?.length !== 0 && header}
      {!rows && <SkeletonRows rows={10} />}
      {rows?.length === 0 && isPart && <EmptyState title={messages.list.noResults} />}
      {rows?.length === 0 && !isPart && <EmptyList {...empty} />}
      {rows && rows.length > 0 && <Rows rows={rows} row={row} />}
      {data && <Pager limit={limit} total={data.total} />}
    </section>
  )
}

function Rows<Row>({ rows, row }: { rows: readonly Row[]; row: (row: Row) => ReactNode }) {
  return (
    <ul data-rows className="divide-y divide-line">
      {useDeferredRows(rows).map(row)}
    </ul>
  )
}
