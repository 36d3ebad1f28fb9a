import type { UseQueryResult } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Empty, Panel, SkeletonRows, Trouble } from '../../components/page.tsx'
import { Pager } from '../../components/pager.tsx'
import { LIMIT } from './queries.ts'

const route = getRouteApi('/alerts/{-$section}')

/** Which page of the section's list is shown, by the URL. */
export const useListPage = (): number => route.useSearch().page ?? 1

interface Props<Answer extends { total: number }, Row> {
  title: string
  lead: string
  none: string
  add: ReactNode
  list: UseQueryResult<Answer>
  rowsOf: (answer: Answer) => readonly Row[]
  row: (row: Row) => ReactNode
}

/** A section: what it is for, a way to add to it, and its rows. */
export function ListPanel<Answer extends { total: number }, Row>(props: Props<Answer, Row>) {
  const { title, lead, none, add, list, rowsOf, row } = props
  const page = useListPage()
  const navigate = useNavigate({ from: '/alerts/{-$section}' })
  const rows = list.data && rowsOf(list.data)
  return (
    <Panel title={title} flush aside={add}>
      <p className="px-4 pb-3 text-muted">{lead}</p>
      {list.isError && !rows && <Trouble error={list.error} onRetry={() => void list.refetch()} />}
      {list.isPending && <SkeletonRows rows={4} />}
      {rows?.length === 0 && <Empty title={none} />}
      {rows && rows.length > 0 && <ul className="divide-y divide-line border-line border-t">{rows.map(row)}</ul>}
      {list.data && (
        <Pager page={page} limit={LIMIT} total={list.data.total} onPage={(next) => void navigate({ search: { page: next } })} />
      )}
    </Panel>
  )
}
