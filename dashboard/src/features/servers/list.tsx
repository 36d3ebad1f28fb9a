import type { ServerItem } from '@vedette/shared'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { useCallback } from 'react'
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
import { messages } from '../../messages/index.ts'
import { PAGE_LIMIT, serverListQuery } from './queries.ts'
import { COLUMNS, ServerRow } from './row.tsx'
import { SectionLinks } from './section-links.tsx'

/** Loaded with the first row that is opened. */
const { Part: ServerDetail } = createPart(() => import('./details-aside.tsx'))

const text = messages.servers
const route = getRouteApi('/servers')

export function ServerListPage() {
  const viewer = useViewer()
  const search = route.useSearch()
  const navigate = useNavigate({ from: '/servers' })
  const change = (next: ListSearch, replace = false) => void navigate({ search: next, replace })
  const list = useQuery(serverListQuery(viewer, search))
  const addTag = useCallback((tag: string) => void navigate({ search: (before) => withTag(before, tag) }), [navigate])
  // A server registers with an API key, which not every role may create.
  const add = viewer.can('integrations:manage') && <AddLink to="/servers/add" label={text.add} />
  return (
    <Page title={text.title} aside={add}>
      <SectionLinks current="servers" />
      <ListToolbar
        list="servers"
        search={search}
        onChange={change}
        label={text.search}
        statuses={['offline', 'online']}
        counts={list.data?.counts}
        sorts={text.sorts}
      />
      {search.group !== undefined && search.q === undefined ? (
        <TagGroups
          list="servers"
          search={search}
          rows={(of) => <ServersOf search={of} onTag={addTag} onAll={() => change(of)} />}
        />
      ) : (
        <SideBySide
          title={text.title}
          detail={(id) => <ServerDetail serverId={id} />}
          onOpen={(id) => void navigate({ to: '/servers/$serverId', params: { serverId: id } })}
        >
          <ListSection
            query={list}
            search={search}
            limit={PAGE_LIMIT}
            rowsOf={({ servers }) => servers}
            header={<ColumnHeaders sort={search.sort} onSort={(sort) => change(withChange(search, { sort }))} />}
            empty={{ title: text.empty, lead: text.emptyLead, add }}
            row={(server) => <ServerRow key={server.id} server={server} onTag={addTag} />}
          />
        </SideBySide>
      )}
    </Page>
  )
}

function ServersOf({ search, onTag, onAll }: { search: ListSearch; onTag: (tag: string) => void; onAll: () => void }) {
  const list = useQuery(serverListQuery(useViewer(), search))
  const row = (server: ServerItem) => <ServerRow key={server.id} server={server} onTag={onTag} />
  return <GroupRows query={list} rowsOf={({ servers }) => servers} row={row} onAll={onAll} />
}

function ColumnHeaders({ sort, onSort }: { sort: string | undefined; onSort: (sort: string | undefined) => void }) {
  const { columns } = text
  const common = { sort, onSort }
  return (
    <div
      data-columns
      className={`${COLUMNS} min-h-9 border-line border-b bg-sunken px-4 text-[0.88rem] text-muted max-md:hidden`}
    >
      <ColumnHeader label={columns.name} name="name" {...common} />
      <ColumnHeader label={columns.cpu} name="cpu" descendingFirst {...common} />
      <ColumnHeader label={columns.memory} name="memory" descendingFirst {...common} />
      <ColumnHeader label={columns.disk} name="disk" descendingFirst {...common} />
      <ColumnHeader label={columns.network} {...common} className="text-right max-xl:hidden" />
      <ColumnHeader label={columns.seen} name="last_seen_at" descendingFirst {...common} className="text-right" />
    </div>
  )
}
