import type { StatusPage } from '@vedette/shared'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { AddLink } from '../../components/add-link.tsx'
import { buttonClass } from '../../components/button.tsx'
import { ChartColumn } from '../../components/icons.tsx'
import { Deleted } from '../../components/deleted.tsx'
import { ListPanel } from '../../components/list-panel.tsx'
import { Page } from '../../components/page.tsx'
import { useListPage } from '../../components/pager.tsx'
import { StatusBadge } from '../../components/status.tsx'
import { useViewer } from '../../lib/api.ts'
import { statesQuery } from '../../lib/states.ts'
import { messages } from '../../messages/index.ts'
import { statusPages } from '../../messages/status-pages.ts'
import { componentsOf, PAGE_LIMIT, pagesQuery } from './queries.ts'

const text = statusPages

export function StatusPageList() {
  const viewer = useViewer()
  return (
    <Page
      title={text.title}
      aside={
        // Wide screens have it in the navigation.
        <Link to="/reports" className={`${buttonClass()} lg:hidden`}>
          <ChartColumn size={15} aria-hidden="true" />
          {messages.nav.reports}
        </Link>
      }
    >
      <ListPanel
        title={text.title}
        empty={text.empty}
        add={viewer.can('monitors:update') && <AddLink small to="/status-pages/add" label={text.add} />}
        query={useQuery(pagesQuery(viewer, useListPage()))}
        rowsOf={({ status_pages }) => status_pages}
        row={(page) => <PageRow key={page.id} page={page} />}
        limit={PAGE_LIMIT}
      />
      <Deleted of="statusPages" may="monitors:update" />
    </Page>
  )
}

function PageRow({ page }: { page: StatusPage }) {
  const { data: states } = useQuery(statesQuery(useViewer()))
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-2.5">
      <span className="w-38">
        <StatusBadge status={page.published ? 'published' : 'unpublished'} />
      </span>
      <div className="min-w-0 flex-1 basis-64">
        <Link
          to="/status-pages/$pageId"
          params={{ pageId: page.id }}
          className="block cut font-medium hover:text-accent hover:underline"
        >
          {page.title}
        </Link>
        <p className="text-[0.92rem] text-muted">
          <PageAddress page={page} /> · {text.access.kinds[page.visibility]} ·{' '}
          {text.monitors(componentsOf(page.sections, states).length)}
        </p>
      </div>
    </li>
  )
}

/** A link where visitors see the page. */
export function PageAddress({ page: { url, published } }: { page: StatusPage }) {
  // The key is on the page of the status page alone.
  const shown = url.replace(/^https?:\/\//, '').replace(/\?.*/, '')
  if (!published) return shown
  return (
    <a href={url} target="_blank" rel="noreferrer" className="text-accent hover:underline">
      {shown}
    </a>
  )
}
