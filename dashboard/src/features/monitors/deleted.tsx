import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { ArchiveRestore } from '../../components/icons.tsx'
import { Button } from '../../components/button.tsx'
import { ListPanel } from '../../components/list-panel.tsx'
import { Page } from '../../components/page.tsx'
import { Tags } from '../../components/tags.tsx'
import { Instant } from '../../components/time.tsx'
import { toast, toastError } from '../../components/toast.tsx'
import { useCache, useViewer } from '../../lib/api.ts'
import { dayAndClock } from '../../lib/time.ts'
import { messages } from '../../messages/index.ts'
import { PAGE_LIMIT } from './queries.ts'

const text = messages.monitors.deleted
const route = getRouteApi('/monitors/deleted')

/** The monitors that can be restored. */
export function DeletedMonitorsPage() {
  const { client, organizationId, can } = useViewer()
  const cache = useCache()
  const { page = 1 } = route.useSearch()
  const list = useQuery({
    queryKey: [organizationId, 'monitors', 'deleted', page],
    queryFn: ({ signal }) => client.deletedMonitors.list({ page, limit: PAGE_LIMIT }, { signal }),
  })
  const restore = async (id: string, name: string) => {
    await client.monitors.restore(id)
    toast(messages.done.restored(name))
    await cache.invalidate('monitors')
  }
  return (
    <Page title={text.title} lead={text.lead}>
      <ListPanel
        title={text.title}
        empty={text.empty}
        query={list}
        limit={PAGE_LIMIT}
        rowsOf={({ monitors }) => monitors}
        row={({ id, name, url, tags, removed_at }) => (
          <li key={id} className="flex flex-wrap items-center gap-x-4 gap-y-1 px-4 py-2.5">
            <div className="min-w-0 flex-1 basis-60">
              <p className="truncate font-medium">{name}</p>
              <p className="truncate text-[0.9rem] text-muted">{url}</p>
            </div>
            <Tags tags={tags} most={3} />
            <p className="text-[0.9rem] text-muted">
              {text.removed} <Instant at={removed_at} format={dayAndClock} />
            </p>
            {can('monitors:delete') && (
              <Button small onClick={() => void restore(id, name).catch(toastError)}>
                <ArchiveRestore size={14} aria-hidden="true" />
                {text.restore}
              </Button>
            )}
          </li>
        )}
      />
    </Page>
  )
}
