import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { messages } from '../messages/index.ts'
import { EmptyList, type EmptyListTexts, EmptyState, ErrorPanel, Panel, SkeletonRows } from './page.tsx'
import { Pager, useListPage } from './pager.tsx'

interface Props<Answer, Row> {
  title: string
  lead?: string
  /** Shown where the list is empty; left out for lists that never are. */
  empty?: EmptyListTexts
  /**
   * The button that makes an entry, false for those who may not: at the right of the title, in an empty list below its text. Not
   * before it is known which of the two: a click on a button that moves is lost.
   */
  add?: ReactNode
  /** The filter, at the right of the title. */
  filter?: ReactNode
  isFiltered?: boolean
  query: UseQueryResult<Answer, unknown>
  rowsOf: (answer: Answer) => readonly Row[]
  row: (row: Row) => ReactNode
  /** Rows of a page; left out where the list has no pages. */
  limit?: number
}

/** A panel with the rows of one list. */
export function ListPanel<Answer extends object, Row>(props: Props<Answer, Row>) {
  const { title, lead, empty, add, filter, isFiltered = false, query, rowsOf, row, limit } = props
  const rows = query.data && rowsOf(query.data)
  const isPart = useListPage() > 1 || isFiltered
  const isEmpty = rows?.length === 0 && empty !== undefined && !isPart
  return (
    <Panel title={title} flush aside={filter ?? (query.isPending || isEmpty ? undefined : add)}>
      {lead !== undefined && <p className="px-4 pb-3 text-muted">{lead}</p>}
      {query.isError && !rows && <ErrorPanel error={query.error} onRetry={() => void query.refetch()} />}
      {query.isPending && <SkeletonRows rows={4} />}
      {rows?.length === 0 && isPart && <EmptyState title={messages.list.noResults} />}
      {isEmpty && <EmptyList {...empty} add={add} />}
      {rows && rows.length > 0 && (
        <ul data-rows className="divide-y divide-line border-line border-t">
          {rows.map(row)}
        </ul>
      )}
      {limit !== undefined && query.data && <Pager limit={limit} total={totalOf(query.data)} />}
    </Panel>
  )
}

const totalOf = (answer: object): number => ('total' in answer && typeof answer.total === 'number' ? answer.total : 0)
