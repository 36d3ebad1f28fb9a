import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link, Navigate } from '@tanstack/react-router'
import { AddLink } from '../../components/add-link.tsx'
import { ListPanel } from '../../components/list-panel.tsx'
import { Page } from '../../components/page.tsx'
import { useListPage } from '../../components/pager.tsx'
import { StatusBadge } from '../../components/status.tsx'
import { useViewer } from '../../lib/api.ts'
import { statusPages } from '../../messages/status-pages.ts'
import { PAGE_LIMIT, pagesQuery } from './queries.ts'

const text = statusPages
const route = getRouteApi('/status-pages/announce')

/** The choice of the status page on which an incident is announced; of a single one there is none. */
export function AnnouncePage() {
  const viewer = useViewer()
  const search = route.useSearch()
  const pages = useQuery(pagesQuery(viewer, useListPage()))
  const [only, ...others] = pages.data?.status_pages ?? []
  if (only && others.length === 0 && pages.data?.total === 1)
    return <Navigate to="/status-pages/$pageId/posts/add" params={{ pageId: only.id }} search={search} replace />
  return (
    <Page title={text.posts.announceTitle}>
      <ListPanel
        title={text.title}
        lead={text.posts.announceLead}
        empty={text.empty}
        add={viewer.can('monitors:update') && <AddLink small to="/status-pages/add" label={text.add} />}
        query={pages}
        rowsOf={({ status_pages }) => status_pages}
        row={({ id, title, published }) => (
          <li key={id} className="flex flex-wrap items-center gap-x-4 gap-y-1 px-4 py-2.5">
            <span className="w-38">
              <StatusBadge status={published ? 'published' : 'unpublished'} />
            </span>
            <Link
              to="/status-pages/$pageId/posts/add"
              params={{ pageId: id }}
              search={search}
              className="min-w-0 font-medium [overflow-wrap:anywhere] hover:text-accent hover:underline"
            >
              {title}
            </Link>
          </li>
        )}
        limit={PAGE_LIMIT}
      />
    </Page>
  )
}
