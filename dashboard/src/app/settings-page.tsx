import { getRouteApi, Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Page } from '../components/page.tsx'
import { tabClass } from '../components/tab-class.ts'
import { useViewer } from '../lib/api.ts'
import { messages } from '../messages/index.ts'
import { allowedSections, type SETTINGS_SECTIONS } from './settings-sections.ts'
import { ApiKeys } from '../features/api-keys/list.tsx'
import { AuditLog } from '../features/audit-log/audit-log.tsx'
import { IdentityProviders } from '../features/identity-providers/list.tsx'
import { Members } from '../features/members/members.tsx'
import { SecurityLog } from '../features/security-log/security-log.tsx'
import { OrganizationSettings } from '../features/organizations/organization.tsx'
import { ChatAccounts } from '../features/account/chat-accounts.tsx'
import { ContactMethods } from '../features/account/contact-methods.tsx'
import { Notifications } from '../features/account/notifications.tsx'
import { QuietTime } from '../features/account/quiet-time.tsx'
import { Profile } from '../features/account/profile.tsx'
import { WeeklySummary } from '../features/account/weekly-summary.tsx'
import { Security } from '../features/account/security.tsx'

const text = messages.settings
const route = getRouteApi('/settings/{-$section}')

const VIEWS: Readonly<Record<(typeof SETTINGS_SECTIONS)[number]['id'], () => ReactNode>> = {
  profile: () => (
    <>
      <Profile />
      <WeeklySummary />
      <Notifications />
      <ContactMethods />
      <ChatAccounts />
      <QuietTime />
    </>
  ),
  security: () => <Security />,
  organization: () => (
    <>
      <OrganizationSettings />
      <IdentityProviders />
    </>
  ),
  members: () => <Members />,
  keys: () => <ApiKeys />,
  audit: () => <AuditLog />,
  'security-log': () => <SecurityLog />,
}

/** The sections that the role may open. A link to another one shows that it is forbidden. */
export function SettingsPage() {
  const { section = 'profile' } = route.useParams()
  const { can } = useViewer()
  const allowed = allowedSections(can)
  const shown = allowed.find(({ id }) => id === section)
  return (
    <Page title={text.title}>
      <div className="grid items-start gap-4 lg:grid-cols-[12rem_minmax(0,1fr)] lg:gap-8">
        <nav aria-label={text.title} className="flex flex-wrap gap-1 lg:flex-col">
          {allowed.map(({ id, name }) => (
            <Link
              key={id}
              to="/settings/{-$section}"
              params={{ section: id }}
              aria-current={id === section ? 'page' : undefined}
              className={tabClass(id === section)}
            >
              {name}
            </Link>
          ))}
        </nav>
        <div className="grid min-w-0 max-w-5xl gap-4">
          {shown ? VIEWS[shown.id]() : <p className="panel p-4">{text.forbidden}</p>}
        </div>
      </div>
    </Page>
  )
}
