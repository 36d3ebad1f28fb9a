import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { EmptyState, ErrorPanel, Panel, SkeletonRows } from './page.tsx'
import { Pager } from './pager.tsx'

interface Props<Answer, Row> {
  title: string
  lead?: string
  /** Shown where the list is empty. */
  none?: string
  /** At the right of the title. */
  aside?: ReactNode
  query: UseQueryResult<Answer, unknown>
  rowsOf: (answer: Answer) => readonly Row[]
  row: (row: Row) => ReactNode
  /** Rows of a page; left out where the list has no pages. */
  limit?: number
}

/** A panel with the rows of one list. */
export function ListPanel<Answer extends object, Row>(props: Props<Answer, Row>) {
  const { title, lead, none, aside, query, rowsOf, row, limit } = props
  const rows = query.data && rowsOf(query.data)
  return (
    <Panel title={title} flush aside={aside}>
      {lead !== undefined && <p className="px-4 pb-3 text-muted">{lead}</p>}
      {query.isError && !rows && <ErrorPanel error={query.error} onRetry={() => void query.refetch()} />}
      {query.isPending && <SkeletonRows rows={4} />}
      {rows?.length === 0 && none !== undefined && <EmptyState title={none} />}
      {rows && rows.length > 0 && <ul className="divide-y divide-line border-line border-t">{rows.map(row)}</ul>}
      {limit !== undefined && query.data && <Pager limit={limit} total={totalOf(query.data)} />}
    </Panel>
  )
}

const totalOf = (answer: object): number => ('total' in answer && typeof answer.total === 'number' ? answer.total : 0)
