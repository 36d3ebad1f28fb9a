import { getRouteApi, Link } from '@tanstack/react-router'
import { lazy, type ReactNode, Suspense } from 'react'
import { buttonClass } from '../components/button.tsx'
import { Page } from '../components/page.tsx'
import { tabClass, TABS_CLASS } from '../components/tab-class.ts'
import { type Permission, useViewer } from '../lib/api.ts'
import { alerts } from '../messages/alerts.ts'
import { messages } from '../messages/index.ts'
import { replays } from '../messages/replays.ts'
import { ChannelList } from '../features/channels/list.tsx'
import { RuleList } from '../features/alert-rules/list.tsx'
import { WindowList } from '../features/maintenance-windows/list.tsx'
import { PolicyList } from '../features/on-call/policy-list.tsx'
import { ScheduleList } from '../features/on-call/schedule-list.tsx'
import { NotFoundPage } from './not-found-page.tsx'

const SourceList = lazy(async () => ({ default: (await import('../features/alert-sources/list.tsx')).SourceList }))
const text = alerts
const route = getRouteApi('/alerts/{-$section}')

const SECTIONS: readonly { id: keyof typeof text.sections; view: () => ReactNode; needs?: Permission }[] = [
  { id: 'rules', view: () => <RuleList /> },
  { id: 'channels', view: () => <ChannelList /> },
  {
    id: 'sources',
    needs: 'integrations:manage',
    view: () => (
      <Suspense>
        <SourceList />
      </Suspense>
    ),
  },
  { id: 'policies', view: () => <PolicyList /> },
  { id: 'on-call', view: () => <ScheduleList /> },
  { id: 'maintenance', view: () => <WindowList /> },
]

export function AlertsPage() {
  const { section = 'rules' } = route.useParams()
  const { can } = useViewer()
  const mayOpen = ({ needs }: (typeof SECTIONS)[number]) => needs === undefined || can(needs)
  const shown = SECTIONS.find(({ id }) => id === section)
  if (!shown) return <NotFoundPage />
  return (
    <Page
      title={messages.nav.alerts}
      aside={
        can('monitors:update') && (
          <Link to="/replay" className={buttonClass()}>
            {replays.title}
          </Link>
        )
      }
    >
      <nav aria-label={messages.nav.alerts} className={TABS_CLASS}>
        {SECTIONS.filter(mayOpen).map(({ id }) => (
          <Link
            key={id}
            to="/alerts/{-$section}"
            params={{ section: id }}
            aria-current={id === shown.id ? 'page' : undefined}
            className={tabClass(id === shown.id)}
          >
            {text.sections[id]}
          </Link>
        ))}
      </nav>
      {mayOpen(shown) ? shown.view() : <p className="panel p-4">{messages.settings.forbidden}</p>}
    </Page>
  )
}
