import { getRouteApi, Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Page } from '../../components/page.tsx'
import { type Permission, useViewer } from '../../lib/api.ts'
import { text } from '../../messages/index.ts'
import { ApiKeys } from './api-keys.tsx'
import { AuditLog } from './audit-log.tsx'
import { Members } from './members.tsx'
import { OrganizationSettings } from './organization.tsx'
import { Profile } from './profile.tsx'
import { Security } from './security.tsx'

const words = text.settings
const route = getRouteApi('/settings/{-$section}')

interface Section {
  id: string
  name: string
  needs?: Permission
  view: () => ReactNode
}

const SECTIONS: readonly Section[] = [
  { id: 'profile', name: words.sections.profile, view: () => <Profile /> },
  { id: 'security', name: words.sections.security, view: () => <Security /> },
  { id: 'organization', name: words.sections.organization, needs: 'org:read', view: () => <OrganizationSettings /> },
  { id: 'members', name: words.sections.members, needs: 'org:read', view: () => <Members /> },
  { id: 'keys', name: words.sections.keys, needs: 'integrations:manage', view: () => <ApiKeys /> },
  { id: 'audit', name: words.sections.audit, needs: 'audit:read', view: () => <AuditLog /> },
]

/** A section each; what a role may not see is not offered, and says so to who follows a link. */
export function SettingsPage() {
  const { section = 'profile' } = route.useParams()
  const { can } = useViewer()
  const seen = SECTIONS.filter(({ needs }) => needs === undefined || can(needs))
  const shown = seen.find(({ id }) => id === section)
  return (
    <Page title={words.title}>
      <div className="grid items-start gap-4 lg:grid-cols-[12rem_minmax(0,1fr)] lg:gap-8">
        <nav aria-label={words.title} className="flex flex-wrap gap-1 lg:flex-col">
          {seen.map(({ id, name }) => (
            <Link
              key={id}
              to="/settings/{-$section}"
              params={{ section: id }}
              aria-current={id === section ? 'page' : undefined}
              className={`whitespace-nowrap rounded-lg px-3 py-2 hover:bg-hover ${id === section ? 'bg-accent-ground font-semibold text-accent' : 'text-soft'}`}
            >
              {name}
            </Link>
          ))}
        </nav>
        <div className="grid min-w-0 max-w-5xl gap-4">
          {shown ? shown.view() : <p className="panel p-4">{words.forbidden}</p>}
        </div>
      </div>
    </Page>
  )
}
