import { useQuery, type UseQueryResult } from '@tanstack/react-query'
import { ChevronRight } from './icons.tsx'
import type { ReactNode } from 'react'
import { useViewer } from '../lib/api.ts'
import { locale } from '../messages/language.ts'
import type { ListSearch } from '../lib/list-search.ts'
import { changePreferences, usePreferences } from '../lib/preferences.ts'
import { groupByTag, type TagGroup } from '../lib/group-by-tag.ts'
import { statesQuery } from '../lib/states.ts'
import { statusName } from '../lib/status.ts'
import { messages } from '../messages/index.ts'
import { Button } from './button.tsx'
import { ErrorPanel, SkeletonRows } from './page.tsx'
import { StatusMark } from './status.tsx'
import { TagDot } from './tags.tsx'

interface Props {
  list: 'monitors' | 'servers'
  search: ListSearch
  /** The rows of a group. */
  rows: (search: ListSearch) => ReactNode
}

/** A list in groups by tag, each with its statuses in one line. Which are open is remembered. */
export function TagGroups({ list, search: { group: _group, page: _page, ...search }, rows }: Props) {
  const { data } = useQuery(statesQuery(useViewer()))
  const { openGroups } = usePreferences()
  if (!data) return <SkeletonRows rows={6} />
  const { status, tag: tags = [] } = search
  const states = data[list].filter(
    (state) => (status === undefined || state.status === status) && tags.every((tag) => state.tags.includes(tag)),
  )
  const groups = groupByTag(states).filter(({ tag }) => tag === undefined || !tags.includes(tag))
  return (
    <div className="grid gap-2">
      {groups.length === 0 && <p className="panel p-4 text-muted">{messages.list.noResults}</p>}
      {groups.map((group) => {
        const { tag } = group
        const key = `${list} ${tag ?? ''}`
        const isOpen = openGroups.includes(key)
        const toggle = () =>
          changePreferences({ openGroups: isOpen ? openGroups.filter((one) => one !== key) : [...openGroups, key] })
        return (
          <section key={key} className="panel min-w-0 overflow-hidden">
            <h2>
              <button
                type="button"
                aria-expanded={isOpen}
                onClick={toggle}
                className="flex min-h-11 w-full flex-wrap items-center gap-x-4 gap-y-1 px-4 py-2 text-left hover:bg-hover"
              >
                <span className="flex items-center gap-2">
                  <ChevronRight size={15} aria-hidden="true" className={isOpen ? 'rotate-90' : ''} />
                  {tag !== undefined && <TagDot tag={tag} />}
                  {tag ?? messages.tags.none}
                  <span className="font-normal text-muted">{group.total.toLocaleString(locale)}</span>
                </span>
                <Summary group={group} />
              </button>
            </h2>
            {isOpen && (
              <div className="border-line border-t">
                {rows({ ...search, ...(tag === undefined ? { untagged: true } : { tag: [...tags, tag] }) })}
              </div>
            )}
          </section>
        )
      })}
    </div>
  )
}

const Summary = ({ group: { counts } }: { group: TagGroup }) => (
  <span className="flex flex-wrap gap-x-3 font-normal text-[0.92rem] text-soft">
    {counts.map(([status, count]) => (
      <span key={status} className="flex items-center gap-1.5">
        <StatusMark status={status} className="size-2.5" />
        {count.toLocaleString(locale)} {statusName(status).toLowerCase()}
      </span>
    ))}
  </span>
)

interface RowsProps<Answer, Row> {
  query: UseQueryResult<Answer, unknown>
  rowsOf: (answer: Answer) => readonly Row[]
  row: (row: Row) => ReactNode
  /** Shows the list of this group alone. */
  onAll: () => void
}

/** The first rows of a group. */
export function GroupRows<Answer extends { total: number }, Row>({ query, rowsOf, row, onAll }: RowsProps<Answer, Row>) {
  const { data } = query
  if (query.isError && !data) return <ErrorPanel error={query.error} onRetry={() => void query.refetch()} />
  if (!data) return <SkeletonRows rows={3} />
  const rows = rowsOf(data)
  return (
    <>
      <ul className="divide-y divide-line">{rows.map(row)}</ul>
      {data.total > rows.length && (
        <Button small variant="quiet" className="m-2" onClick={onAll}>
          {messages.list.showAll(data.total)}
        </Button>
      )}
    </>
  )
}
