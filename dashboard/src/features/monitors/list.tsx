import type { MonitorItem } from '@vedette/shared'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { useCallback, useState } from 'react'
import { AddLink } from '../../components/add-link.tsx'
import { ColumnHeader } from '../../components/column-header.tsx'
import { ListToolbar } from '../../components/list-toolbar.tsx'
import { ListSection } from '../../components/list-section.tsx'
import { Page } from '../../components/page.tsx'
import { GroupRows, TagGroups } from '../../components/tag-groups.tsx'
import { SideBySide } from '../../components/side-by-side.tsx'
import { createPart } from '../../lib/create-part.tsx'
import { useViewer } from '../../lib/api.ts'
import { type ListSearch, withChange, withTag } from '../../lib/list-search.ts'
import { deleted } from '../../messages/deleted.ts'
import { messages } from '../../messages/index.ts'
import { BulkActions } from './bulk-actions.tsx'
import { monitorListQuery, PAGE_LIMIT } from './queries.ts'
import { COLUMNS, MonitorRow } from './row.tsx'

/** Loaded with the first row that is opened. */
const { Part: MonitorDetail } = createPart(() => import('./details-aside.tsx'))

const text = messages.monitors
const route = getRouteApi('/monitors')
const NONE: ReadonlySet<string> = new Set()

export function MonitorListPage() {
  const viewer = useViewer()
  const search = route.useSearch()
  const navigate = useNavigate({ from: '/monitors' })
  const change = (next: ListSearch) => void navigate({ search: next })
  const list = useQuery(monitorListQuery(viewer, search))
  const [selected, setSelected] = useState(NONE)
  const monitors = list.data?.monitors ?? []
  const chosen = monitors.filter(({ id }) => selected.has(id))
  const addTag = useCallback((tag: string) => void navigate({ search: (before) => withTag(before, tag) }), [navigate])
  const select = useCallback((id: string, isChosen: boolean) => setSelected((before) => toggled(before, id, isChosen)), [])
  const add = viewer.can('monitors:create') && <AddLink to="/monitors/add" label={text.add} />
  const mayUpdate = viewer.can('monitors:update')
  return (
    <Page title={text.title} aside={add}>
      <ListToolbar
        list="monitors"
        search={search}
        onChange={change}
        label={text.search}
        statuses={['down', 'degraded', 'up', 'paused', 'idle']}
        counts={list.data?.counts}
        sorts={text.sorts}
      />
      {search.group !== undefined && search.q === undefined ? (
        <TagGroups
          list="monitors"
          search={search}
          rows={(of) => <MonitorsOf search={of} onTag={addTag} onAll={() => change(of)} />}
        />
      ) : (
        <SideBySide
          title={text.title}
          detail={(id) => <MonitorDetail monitorId={id} />}
          onOpen={(id) => void navigate({ to: '/monitors/$monitorId', params: { monitorId: id } })}
        >
          <ListSection
            query={list}
            search={search}
            limit={PAGE_LIMIT}
            rowsOf={(answer) => answer.monitors}
            header={
              chosen.length > 0 ? (
                <BulkActions monitors={chosen} onDone={() => setSelected(NONE)} />
              ) : (
                <ColumnHeaders
                  sort={search.sort}
                  onSort={(sort) => change(withChange(search, { sort }))}
                  onAll={mayUpdate ? () => setSelected(new Set(monitors.map(({ id }) => id))) : undefined}
                />
              )
            }
            empty={{ title: text.empty, lead: text.emptyLead, add }}
            row={(monitor) => (
              <MonitorRow
                key={monitor.id}
                monitor={monitor}
                isChosen={selected.has(monitor.id)}
                onSelect={mayUpdate ? select : undefined}
                onTag={addTag}
              />
            )}
          />
        </SideBySide>
      )}
      <p className="mt-3 text-[0.93rem]">
        <Link to="/monitors/deleted" className="text-muted underline hover:text-text">
          {deleted.monitors.title}
        </Link>
      </p>
    </Page>
  )
}

function MonitorsOf({ search, onTag, onAll }: { search: ListSearch; onTag: (tag: string) => void; onAll: () => void }) {
  const list = useQuery(monitorListQuery(useViewer(), search))
  const row = (monitor: MonitorItem) => (
    <MonitorRow key={monitor.id} monitor={monitor} isChosen={false} onSelect={undefined} onTag={onTag} />
  )
  return <GroupRows query={list} rowsOf={({ monitors }) => monitors} row={row} onAll={onAll} />
}

function toggled(all: ReadonlySet<string>, id: string, isChosen: boolean): ReadonlySet<string> {
  const next = new Set(all)
  if (isChosen) next.add(id)
  else next.delete(id)
  return next
}

interface ColumnHeadersProps {
  sort: string | undefined
  onSort: (sort: string | undefined) => void
  onAll: (() => void) | undefined
}

function ColumnHeaders({ sort, onSort, onAll }: ColumnHeadersProps) {
  const { columns } = text
  const common = { sort, onSort }
  return (
    <div data-columns className={`${COLUMNS} min-h-10 border-line border-b bg-sunken px-4 text-[0.88rem] text-muted`}>
      <span className="flex items-center gap-3">
        {onAll && (
          <label className="tiny-control flex">
            <input
              type="checkbox"
              aria-label={text.selectAll}
              checked={false}
              onChange={onAll}
              className="size-4 accent-(--accent)"
            />
          </label>
        )}
        <ColumnHeader label={columns.name} name="name" {...common} />
      </span>
      <ColumnHeader label={columns.response} name="response_ms" descendingFirst {...common} className="max-md:hidden" />
      <ColumnHeader label={columns.uptime} name="uptime" {...common} className="max-md:hidden" />
      <ColumnHeader label={columns.regions} {...common} className="max-[88rem]:hidden" />
      <ColumnHeader label={columns.checked} {...common} className="text-right max-[88rem]:hidden" />
    </div>
  )
}
