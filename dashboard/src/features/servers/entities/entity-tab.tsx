import type { Entity, ServerDetails } from '@vedette/shared'
import type { EntityKindName } from '@vedette/shared/tables'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useCallback } from 'react'
import { CodeLines } from '../../../components/copy.tsx'
import { EmptyState } from '../../../components/page.tsx'
import { SearchBox } from '../../../components/search-box.tsx'
import { Segmented } from '../../../components/segmented.tsx'
import { useViewer } from '../../../lib/api.ts'
import { kindTitle } from '../../../lib/entity-texts.ts'
import { entities as text } from '../../../messages/entities.ts'
import { messages } from '../../../messages/index.ts'
import { AtPicker } from './at-picker.tsx'
import { KindList } from './kind-list.tsx'
import { FEW, serverEntitiesQuery } from './queries.ts'
import { type ServerSearch, wholeList } from './search.ts'
import { type EntityTab as TabName, kindsOf } from '../../../lib/entity-tabs.ts'

const switches: Partial<Readonly<Record<TabName, string>>> = text.switches

interface Props {
  server: ServerDetails
  tab: TabName
  /** Of each kind that it has. */
  counts: Readonly<Record<string, number>> | undefined
  search: ServerSearch
}

/** The lists of a tab with entities, with search, instant and those that are gone. */
export default function EntityTab({ server, tab, counts, search }: Props) {
  const { q, at, gone = false } = search
  const navigate = useNavigate()
  const change = useCallback(
    (next: Partial<Record<keyof ServerSearch, unknown>>, replace = true) =>
      void navigate({
        to: '.',
        search: ({ page: _page, ...before }: object & { page?: number }) => ({ ...before, ...next }) as object,
        replace,
      }),
    [navigate],
  )
  const onSearch = useCallback((typed: string) => change({ q: typed === '' ? undefined : typed }), [change])
  const kinds = kindsOf(tab).filter((kind) => counts?.[kind] !== undefined)
  const chosen = kinds.find((kind) => kind === search.kind)
  if (counts && kinds.length === 0) {
    return (
      <div className="panel">
        <EmptyState title={text.noneAtAll[tab]}>
          <SwitchOn tab={tab} />
        </EmptyState>
      </div>
    )
  }
  return (
    <div className="grid grid-cols-1 gap-4">
      <div className="flex flex-wrap items-center gap-2">
        <SearchBox value={q ?? ''} label={text.search} onSearch={onSearch} />
        {kinds.length > 1 && (
          <Segmented
            label={text.kind}
            value={chosen ?? 'all'}
            options={[
              { value: 'all', label: messages.list.all },
              ...kinds.map((kind) => ({ value: kind, label: kindTitle(kind) })),
            ]}
            onChoose={(kind) => change({ kind: kind === 'all' ? undefined : kind, sort: undefined }, false)}
          />
        )}
        {at === undefined && (
          <Segmented
            label={text.present.label}
            value={gone ? 'gone' : 'there'}
            options={[
              { value: 'there', label: text.present.there },
              { value: 'gone', label: text.present.gone },
            ]}
            onChoose={(which) => change({ gone: which === 'gone' ? true : undefined }, false)}
          />
        )}
        <AtPicker at={at} onChange={(next) => change({ at: next, gone: undefined })} />
      </div>
      {(chosen ? [chosen] : kinds).map((kind) => (
        <OneKind
          key={kind}
          server={server}
          tab={tab}
          kind={kind}
          search={search}
          isWhole={chosen !== undefined || kinds.length === 1}
          onChange={change}
        />
      ))}
    </div>
  )
}

function SwitchOn({ tab }: { tab: TabName }) {
  const line = switches[tab]
  if (line === undefined) return <p className="max-w-lg text-soft">{text.leadWithout}</p>
  return (
    <div className="grid max-w-lg gap-2 text-soft">
      <p>{text.lead}</p>
      <CodeLines label={text.lead} lines={[line]} />
    </div>
  )
}

interface OneKindProps extends Pick<Props, 'server' | 'tab' | 'search'> {
  kind: EntityKindName
  /** The only list, which has pages. */
  isWhole: boolean
  onChange: (next: Partial<Record<keyof ServerSearch, unknown>>, replace?: boolean) => void
}

function OneKind({ server: { id: serverId }, tab, kind, search, isWhole, onChange }: OneKindProps) {
  const { q, at, gone } = search
  const choice = isWhole ? wholeList(kind, search) : { kind, q, sort: undefined, at, gone, limit: FEW }
  const { sort, limit } = choice
  const query = useQuery(serverEntitiesQuery(useViewer(), serverId, choice))
  const name = useCallback(
    ({ id, name: shown }: Entity) => (
      <Link
        to="/servers/$serverId/$tab"
        params={{ serverId, tab }}
        search={(before: object): ServerSearch => ({ ...before, entity: id })}
        className="inline-block min-w-36 font-medium [overflow-wrap:anywhere] hover:text-accent hover:underline"
      >
        {shown}
      </Link>
    ),
    [serverId, tab],
  )
  return (
    <KindList
      kind={kind}
      query={query}
      sort={sort}
      onSort={(next) => onChange({ sort: next, ...(!isWhole && { kind }) })}
      limit={limit}
      onAll={isWhole ? undefined : () => onChange({ kind }, false)}
      empty={q === undefined ? (gone ? text.noneGone : text.none) : messages.list.noResults}
      name={name}
    />
  )
}
