import type { AlertSource } from '@vedette/shared'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { AddLink } from '../../components/add-link.tsx'
import { DeleteButton } from '../../components/delete-button.tsx'
import { Deleted } from '../../components/deleted.tsx'
import { ListPanel } from '../../components/list-panel.tsx'
import { useListPage } from '../../components/pager.tsx'
import { toast } from '../../components/toast.tsx'
import { useRestore } from '../../components/use-restore.ts'
import { useCache, useViewer } from '../../lib/api.ts'
import { alertSources as text } from '../../messages/alert-sources.ts'
import { messages } from '../../messages/index.ts'
import { Received } from './received.tsx'

const PAGE_LIMIT = 100
const REFRESH_MS = 60_000

export function SourceList() {
  const { client, organizationId } = useViewer()
  const page = useListPage()
  const query = useQuery({
    queryKey: [organizationId, 'alert-sources', 'list', page],
    queryFn: ({ signal }) => client.alertSources.list({ page, limit: PAGE_LIMIT }, { signal }),
    placeholderData: keepPreviousData,
    refetchInterval: REFRESH_MS,
  })
  return (
    <>
      <ListPanel
        title={text.title}
        lead={text.lead}
        empty={text.empty}
        add={<AddLink small to="/alerts/sources/add" label={text.add} />}
        query={query}
        rowsOf={(answer) => answer.alert_sources}
        row={(source) => <SourceRow key={source.id} source={source} />}
        limit={PAGE_LIMIT}
      />
      <Deleted of="alertSources" may="integrations:manage" />
    </>
  )
}

function SourceRow({ source }: { source: AlertSource }) {
  const { client } = useViewer()
  const cache = useCache()
  const restore = useRestore('alertSources')
  const { id, name, type, enabled, muted } = source
  const remove = async () => {
    await client.alertSources.remove(id)
    toast(messages.done.deleted(name), () => restore(id, name))
    cache.remove('alert-sources', id)
    await cache.invalidate('alert-sources')
  }
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-2.5">
      <div className="min-w-0 flex-1 basis-52">
        <Link
          to="/alerts/sources/$sourceId"
          params={{ sourceId: id }}
          className={`block cut font-medium hover:text-accent hover:underline ${enabled ? '' : 'text-muted'}`}
        >
          {name}
        </Link>
        <p className="cut text-[0.92rem] text-muted">
          {text.types[type]}
          {!enabled && <> · {text.disabled}</>}
          {muted && <> · {text.muted}</>}
        </p>
        <Received source={source} />
      </div>
      <DeleteButton name={name} lead={text.deleteLead} onDelete={remove} />
    </li>
  )
}
