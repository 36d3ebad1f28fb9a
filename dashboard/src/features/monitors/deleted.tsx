import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { DeletedRow } from '../../components/deleted-row.tsx'
import { ListPanel } from '../../components/list-panel.tsx'
import { Page } from '../../components/page.tsx'
import { Tags } from '../../components/tags.tsx'
import { toast } from '../../components/toast.tsx'
import { useCache, useViewer } from '../../lib/api.ts'
import { deleted } from '../../messages/deleted.ts'
import { kindLabel } from '../../lib/kind-texts.ts'
import { messages } from '../../messages/index.ts'
import { PAGE_LIMIT } from './queries.ts'

const text = deleted.monitors
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
          <DeletedRow
            key={id}
            name={name}
            removedAt={removed_at}
            detail={url === 'composite:' ? kindLabel('composite') : url}
            onRestore={can('monitors:delete') ? () => restore(id, name) : undefined}
          >
            <Tags tags={tags} most={3} />
          </DeletedRow>
        )}
      />
    </Page>
  )
}
