import type { MonitorItem } from '@vedette/shared'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { buttonClass } from '../../components/button.tsx'
import { ListHead } from '../../components/list-head.tsx'
import { ListTools } from '../../components/list-tools.tsx'
import { Empty, Page, SkeletonRows, Trouble } from '../../components/page.tsx'
import { Pager } from '../../components/pager.tsx'
import { useScope, useViewer } from '../../lib/api.ts'
import { useGradually } from '../../lib/gradually.ts'
import { isFiltered, type ListSearch, withChange } from '../../lib/list-search.ts'
import { text } from '../../messages/index.ts'
import { BulkBar } from './bulk.tsx'
import { monitorListQuery, PAGE_LIMIT } from './queries.ts'
import { COLUMNS, MonitorRow } from './row.tsx'

const words = text.monitors
const route = getRouteApi('/monitors')
const NONE: ReadonlySet<string> = new Set()

export function MonitorListPage() {
  const { client, can } = useViewer()
  const search = route.useSearch()
  const navigate = useNavigate({ from: '/monitors' })
  const change = (next: ListSearch) => void navigate({ search: next })
  const list = useQuery(monitorListQuery(useScope(), client, search))
  const [selected, setSelected] = useState(NONE)
  const monitors = list.data?.monitors ?? []
  const chosen = monitors.filter(({ id }) => selected.has(id))
  const addTag = (tag: string) => change(withChange(search, { tag: [...new Set([...(search.tag ?? []), tag])] }))
  const add = can('monitors:create') && (
    <Link to="/monitors/add" className={buttonClass('primary')}>
      <Plus size={16} aria-hidden="true" />
      {words.add}
    </Link>
  )
  return (
    <Page title={words.title} aside={add}>
      <ListTools
        search={search}
        onChange={change}
        label={words.search}
        statuses={['up', 'degraded', 'down', 'paused']}
        sorts={words.sorts}
        sortLabel={words.sort}
        allLabel={words.all}
      />
      {list.isError && !list.data ? (
        <Trouble error={list.error} onRetry={() => void list.refetch()} />
      ) : (
        <section className="panel overflow-hidden">
          {chosen.length > 0 ? (
            <BulkBar monitors={chosen} onDone={() => setSelected(NONE)} />
          ) : (
            <Heads
              sort={search.sort}
              onSort={(sort) => change(withChange(search, { sort }))}
              onAll={can('monitors:update') ? () => setSelected(new Set(monitors.map(({ id }) => id))) : undefined}
            />
          )}
          {list.data ? (
            <Rows
              monitors={monitors}
              search={search}
              add={add}
              onTag={addTag}
              selected={selected}
              onSelect={can('monitors:update') ? (id, isChosen) => setSelected(toggled(selected, id, isChosen)) : undefined}
            />
          ) : (
            <SkeletonRows rows={10} />
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

function toggled(all: ReadonlySet<string>, id: string, isChosen: boolean): ReadonlySet<string> {
  const next = new Set(all)
  if (isChosen) next.add(id)
  else next.delete(id)
  return next
}

interface HeadsProps {
  sort: string | undefined
  onSort: (sort: string | undefined) => void
  onAll: (() => void) | undefined
}

function Heads({ sort, onSort, onAll }: HeadsProps) {
  const { columns } = words
  const common = { sort, onSort }
  return (
    <div className={`${COLUMNS} min-h-10 border-line border-b bg-sunken px-4 text-[0.88rem] text-muted`}>
      <span className="flex items-center gap-3">
        {onAll && (
          <input
            type="checkbox"
            aria-label={words.selectAll}
            checked={false}
            onChange={onAll}
            className="size-4 accent-(--accent)"
          />
        )}
        <ListHead label={columns.name} name="name" {...common} />
      </span>
      <ListHead label={columns.response} {...common} className="max-md:hidden" />
      <ListHead label={columns.uptime} {...common} className="max-md:hidden" />
      <ListHead label={columns.regions} {...common} className="max-xl:hidden" />
      <ListHead label={columns.checked} {...common} className="text-right max-xl:hidden" />
    </div>
  )
}

interface RowsProps {
  monitors: readonly MonitorItem[]
  search: ListSearch
  add: ReactNode
  onTag: (tag: string) => void
  selected: ReadonlySet<string>
  onSelect: ((id: string, isChosen: boolean) => void) | undefined
}

function Rows({ monitors, search, add, onTag, selected, onSelect }: RowsProps) {
  const shown = useGradually(monitors)
  if (monitors.length === 0 && (isFiltered(search) || (search.page ?? 1) > 1)) return <Empty title={text.list.none} />
  if (monitors.length === 0) {
    return (
      <Empty title={words.empty}>
        <p className="max-w-lg text-soft">{words.emptyLead}</p>
        {add}
      </Empty>
    )
  }
  return (
    <ul className="divide-y divide-line">
      {shown.map((monitor) => (
        <MonitorRow key={monitor.id} monitor={monitor} isChosen={selected.has(monitor.id)} onSelect={onSelect} onTag={onTag} />
      ))}
    </ul>
  )
}
