import { getRouteApi } from '@tanstack/react-router'
import { lazy, type ReactNode, Suspense } from 'react'
import { useViewer } from '../lib/api.ts'
import { messages } from '../messages/index.ts'
import { SettingsFrame } from './settings-frame.tsx'
import { NotFoundPage } from './not-found-page.tsx'
import { allowedSections, SETTINGS_SECTIONS } from './settings-sections.ts'
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

const Exports = lazy(async () => ({ default: (await import('../features/exports/list.tsx')).Exports }))
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
  keys: () => (
    <>
      <ApiKeys />
      <Suspense>
        <Exports />
      </Suspense>
    </>
  ),
  audit: () => <AuditLog />,
  'security-log': () => <SecurityLog />,
}

/** The sections that the role may open. A link to another one shows that it is forbidden. */
export function SettingsPage() {
  const { section = 'profile' } = route.useParams()
  const { can } = useViewer()
  if (!SETTINGS_SECTIONS.some(({ id }) => id === section)) return <NotFoundPage />
  const shown = allowedSections(can).find(({ id }) => id === section)
  return (
    <SettingsFrame section={section}>{shown ? VIEWS[shown.id]() : <p className="panel p-4">{text.forbidden}</p>}</SettingsFrame>
  )
}
