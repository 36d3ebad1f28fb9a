import type { StatusPage } from '@vedette/shared'
import { TABS_CLASS } from '../../components/tab-class.ts'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Page } from '../../components/page.tsx'
import { StatusBadge } from '../../components/status.tsx'
import { statusPages } from '../../messages/status-pages.ts'
import { PageAddress } from './list.tsx'

const text = statusPages

const TABS = [
  { to: '/status-pages/$pageId', label: text.overview },
  { to: '/status-pages/$pageId/subscribers', label: text.subscribers.title },
] as const

interface Props {
  page: StatusPage
  aside?: ReactNode
  children: ReactNode
}

/** The head of a status page, and the links to its parts. */
export function PageFrame({ page, aside, children }: Props) {
  return (
    <Page
      title={page.title}
      lead={
        <span className="flex flex-wrap items-center gap-2 [overflow-wrap:anywhere]">
          <StatusBadge status={page.published ? 'published' : 'unpublished'} />
          <PageAddress page={page} />
          <span>
            {text.access.visibility}: {text.access.kinds[page.visibility]}
          </span>
        </span>
      }
      aside={aside}
    >
      <nav aria-label={page.title} className={TABS_CLASS}>
        {TABS.map(({ to, label }) => (
          <Link
            key={to}
            to={to}
            params={{ pageId: page.id }}
            activeOptions={{ exact: true, includeSearch: false }}
            className="control inline-flex items-center whitespace-nowrap rounded-lg px-3 py-2 text-soft hover:bg-hover data-[status=active]:bg-accent-ground data-[status=active]:font-semibold data-[status=active]:text-accent"
          >
            {label}
          </Link>
        ))}
      </nav>
      {children}
    </Page>
  )
}
