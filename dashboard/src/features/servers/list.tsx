import type { ServerItem } from '@vedette/shared'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import type { ReactNode } from 'react'
import { buttonClass } from '../../components/button.tsx'
import { ListHead } from '../../components/list-head.tsx'
import { ListTools } from '../../components/list-tools.tsx'
import { Empty, Page, SkeletonRows, Trouble } from '../../components/page.tsx'
import { Pager } from '../../components/pager.tsx'
import { useScope, useViewer } from '../../lib/api.ts'
import { useGradually } from '../../lib/gradually.ts'
import { isFiltered, type ListSearch, withChange } from '../../lib/list-search.ts'
import { text } from '../../messages/index.ts'
import { PAGE_LIMIT, serverListQuery } from './queries.ts'
import { COLUMNS, ServerRow } from './row.tsx'

const words = text.servers
const route = getRouteApi('/servers')

export function ServerListPage() {
  const { client, can } = useViewer()
  const search = route.useSearch()
  const navigate = useNavigate({ from: '/servers' })
  const change = (next: ListSearch, replace = false) => void navigate({ search: next, replace })
  const list = useQuery(serverListQuery(useScope(), client, search))
  const addTag = (tag: string) => change(withChange(search, { tag: [...new Set([...(search.tag ?? []), tag])] }))
  // A host joins with a key, and not everybody may make one.
  const add = can('integrations:manage') && (
    <Link to="/servers/add" className={buttonClass('primary')}>
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
        statuses={['online', 'offline']}
        sorts={words.sorts}
        sortLabel={words.sort}
        allLabel={words.all}
      />
      {list.isError && !list.data ? (
        <Trouble error={list.error} onRetry={() => void list.refetch()} />
      ) : (
        <section className="panel overflow-hidden">
          <Heads sort={search.sort} onSort={(sort) => change(withChange(search, { sort }))} />
          {list.data ? <Rows servers={list.data.servers} search={search} add={add} onTag={addTag} /> : <SkeletonRows rows={10} />}
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

function Heads({ sort, onSort }: { sort: string | undefined; onSort: (sort: string | undefined) => void }) {
  const { columns } = words
  const common = { sort, onSort }
  return (
    <div className={`${COLUMNS} min-h-9 border-line border-b bg-sunken px-4 text-[0.88rem] text-muted max-md:hidden`}>
      <ListHead label={columns.name} name="name" {...common} />
      <ListHead label={columns.cpu} name="cpu" descendingFirst {...common} />
      <ListHead label={columns.memory} name="memory" descendingFirst {...common} />
      <ListHead label={columns.disk} name="disk" descendingFirst {...common} />
      <ListHead label={columns.network} {...common} className="text-right max-xl:hidden" />
      <ListHead label={columns.seen} name="last_seen_at" descendingFirst {...common} className="text-right" />
    </div>
  )
}

interface RowsProps {
  servers: readonly ServerItem[]
  search: ListSearch
  add: ReactNode
  onTag: (tag: string) => void
}

function Rows({ servers, search, add, onTag }: RowsProps) {
  const shown = useGradually(servers)
  if (servers.length === 0 && (isFiltered(search) || (search.page ?? 1) > 1)) return <Empty title={text.list.none} />
  if (servers.length === 0) {
    return (
      <Empty title={words.empty}>
        <p className="max-w-lg text-soft">{words.emptyLead}</p>
        {add}
      </Empty>
    )
  }
  return (
    <ul className="divide-y divide-line">
      {shown.map((server) => (
        <ServerRow key={server.id} server={server} onTag={onTag} />
      ))}
    </ul>
  )
}
