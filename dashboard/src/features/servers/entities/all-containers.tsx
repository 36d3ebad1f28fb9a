import type { Entity } from '@vedette/shared'
import { ENTITY_KINDS } from '@vedette/shared/tables'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { useCallback } from 'react'
import { EmptyList, Page } from '../../../components/page.tsx'
import { SearchBox } from '../../../components/search-box.tsx'
import type { Column } from '../../../components/table.tsx'
import { useViewer } from '../../../lib/api.ts'
import { isFiltered, listSearch, withChange } from '../../../lib/list-search.ts'
import { statesQuery } from '../../../lib/states.ts'
import { entities as text } from '../../../messages/entities.ts'
import { messages } from '../../../messages/index.ts'
import { SectionLinks } from '../section-links.tsx'
import { KindList } from './kind-list.tsx'
import { allEntitiesQuery, PAGE_LIMIT } from './queries.ts'

const route = getRouteApi('/servers/containers')
const { attributes, fields } = ENTITY_KINDS.container
const SORTS = ['name', ...attributes, ...Object.keys(fields)]

const name = ({ id, server_id: serverId, name: shown }: Entity) => (
  <Link
    to="/servers/$serverId/$tab"
    params={{ serverId, tab: 'containers' }}
    search={{ entity: id }}
    className="inline-block min-w-36 font-medium [overflow-wrap:anywhere] hover:text-accent hover:underline"
  >
    {shown}
  </Link>
)

const SERVER: readonly Column<Entity>[] = [
  {
    head: text.columns.server,
    cell: ({ server_id: serverId, server_name: server }) => (
      <Link to="/servers/$serverId/$tab" params={{ serverId, tab: 'containers' }} className="hover:text-accent hover:underline">
        {server}
      </Link>
    ),
  },
]

/** The containers of all servers. */
export function AllContainersPage() {
  const viewer = useViewer()
  const search = listSearch({ ...route.useSearch() }, [], SORTS)
  const { q, tag, page = 1, sort } = search
  const navigate = useNavigate({ from: '/servers/containers' })
  const change = useCallback(
    (next: Parameters<typeof withChange>[1]) => void navigate({ search: (before) => withChange(before, next), replace: true }),
    [navigate],
  )
  const onSearch = useCallback((typed: string) => change({ q: typed === '' ? undefined : typed }), [change])
  const query = useQuery(allEntitiesQuery(viewer, { kind: 'container', q, tag: tag?.[0], sort, page, limit: PAGE_LIMIT }))
  const { data: states } = useQuery(statesQuery(viewer))
  const tags = [...new Set([...(states?.servers.flatMap((each) => each.tags) ?? []), ...(tag ?? [])])]
  const isEmpty = query.data?.total === 0 && !isFiltered(search)
  return (
    <Page title={text.all.title} lead={text.all.lead}>
      <SectionLinks current="containers" />
      {isEmpty ? (
        <div className="panel">
          <EmptyList title={text.all.empty} lead={text.lead} />
        </div>
      ) : (
        <div className="grid grid-cols-1 gap-4">
          <div className="flex flex-wrap items-center gap-2">
            <SearchBox value={q ?? ''} label={text.search} onSearch={onSearch} />
            <label className="flex min-w-0 items-center gap-2">
              <span className="sr-only">{text.all.tag}</span>
              <select
                value={tag?.[0] ?? ''}
                onChange={({ target: { value } }) => change({ tag: value === '' ? undefined : [value] })}
                className="field min-h-9 w-auto min-w-0 max-w-full py-1"
              >
                <option value="">{text.all.anyTag}</option>
                {tags.map((each) => (
                  <option key={each} value={each}>
                    {each}
                  </option>
                ))}
              </select>
            </label>
          </div>
          <KindList
            kind="container"
            query={query}
            sort={sort}
            onSort={(next) => change({ sort: next })}
            limit={PAGE_LIMIT}
            empty={messages.list.noResults}
            name={name}
            more={SERVER}
          />
        </div>
      )}
    </Page>
  )
}
