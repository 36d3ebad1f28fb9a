import { MONITOR_SORTS, MONITOR_STATUSES, SERVER_SORTS, SERVER_STATUSES } from '@vedette/shared/tables'
import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router'
import {
  Activity,
  BellRing,
  ChartColumn,
  Globe,
  LayoutDashboard,
  Server,
  Settings,
  Target,
  TriangleAlert,
} from '../components/icons.tsx'
import { incidentSearch } from '../features/incidents/search.ts'
import type { RuleSearch } from '../features/alert-rules/input.ts'
import type { ReportSearch } from '../features/reports/search.ts'
import type { ServerSearch } from '../features/servers/entities/search.ts'
import { Overview } from '../features/overview/overview.tsx'
import { type ListSearch, listSearch, pageSearch } from '../lib/list-search.ts'
import { rangeSearch } from '../lib/range.ts'
import { ErrorPage } from './error-boundary.tsx'
import { NotFoundPage } from './not-found-page.tsx'
import { messages } from '../messages/index.ts'
import { OpenIncidentCount } from './open-incident-count.tsx'
import { parseSearch, stringifySearch } from '../lib/search.ts'
import { Shell } from './shell.tsx'

/** The incident that is announced on a status page. */
const announcedSearch = ({ incident }: Record<string, unknown>): { incident?: string } =>
  typeof incident === 'string' ? { incident } : {}

/** For pages that validate the rest themselves: it is not needed before. */
const withPage = (search: Record<string, unknown>) => ({ ...search, page: pageSearch(search).page })

const root = createRootRoute({ component: Shell, notFoundComponent: NotFoundPage, errorComponent: ErrorPage })

const overview = createRoute({
  getParentRoute: () => root,
  path: '/',
  component: Overview,
  staticData: { navigation: { label: messages.overview.title, Icon: LayoutDashboard, shortcut: 'o' } },
})

const servers = createRoute({
  getParentRoute: () => root,
  path: '/servers',
  staticData: { navigation: { label: messages.servers.title, Icon: Server, shortcut: 's' } },
  validateSearch: (search: Record<string, unknown>) => listSearch(search, SERVER_STATUSES, SERVER_SORTS),
  component: lazyRouteComponent(() => import('../features/servers/list.tsx'), 'ServerListPage'),
})
const addServer = createRoute({
  getParentRoute: () => root,
  path: '/servers/add',
  component: lazyRouteComponent(() => import('../features/servers/add.tsx'), 'AddServerPage'),
})
const server = createRoute({
  getParentRoute: () => root,
  path: '/servers/$serverId',
  validateSearch: (search: Record<string, unknown>) => withPage(search) as ServerSearch,
  component: lazyRouteComponent(() => import('../features/servers/details.tsx'), 'ServerPage'),
})
/** The page of the server draws its tabs itself: this way the heading and the tabs stay where they are. */
const serverTab = createRoute({ getParentRoute: () => server, path: '$tab' })
const containers = createRoute({
  getParentRoute: () => root,
  path: '/servers/containers',
  validateSearch: (search: Record<string, unknown>) => withPage(search) as ListSearch,
  component: lazyRouteComponent(() => import('../features/servers/entities/all-containers.tsx'), 'AllContainersPage'),
})

const monitors = createRoute({
  getParentRoute: () => root,
  path: '/monitors',
  staticData: { navigation: { label: messages.monitors.title, Icon: Activity, shortcut: 'm' } },
  validateSearch: (search: Record<string, unknown>) => listSearch(search, MONITOR_STATUSES, MONITOR_SORTS),
  component: lazyRouteComponent(() => import('../features/monitors/list.tsx'), 'MonitorListPage'),
})
const addMonitor = createRoute({
  getParentRoute: () => root,
  path: '/monitors/add',
  // Of the monitor that is copied.
  validateSearch: ({ from }: Record<string, unknown>): { from?: string } => (typeof from === 'string' ? { from } : {}),
  component: lazyRouteComponent(() => import('../features/monitors/editor-page.tsx'), 'AddMonitorPage'),
})
const deletedMonitors = createRoute({
  getParentRoute: () => root,
  path: '/monitors/deleted',
  validateSearch: pageSearch,
  component: lazyRouteComponent(() => import('../features/monitors/deleted.tsx'), 'DeletedMonitorsPage'),
})
const monitor = createRoute({
  getParentRoute: () => root,
  path: '/monitors/$monitorId',
  validateSearch: (search: Record<string, unknown>): ReturnType<typeof rangeSearch> & { region?: string } => ({
    ...rangeSearch(search),
    ...(typeof search['region'] === 'string' ? { region: search['region'] } : {}),
  }),
  component: lazyRouteComponent(() => import('../features/monitors/details.tsx'), 'MonitorPage'),
})
const editMonitor = createRoute({
  getParentRoute: () => root,
  path: '/monitors/$monitorId/edit',
  component: lazyRouteComponent(() => import('../features/monitors/editor-page.tsx'), 'EditMonitorPage'),
})

const incidents = createRoute({
  getParentRoute: () => root,
  path: '/incidents',
  staticData: { navigation: { label: messages.incidents.title, Icon: TriangleAlert, shortcut: 'i', Badge: OpenIncidentCount } },
  validateSearch: incidentSearch,
  component: lazyRouteComponent(() => import('../features/incidents/list.tsx'), 'IncidentListPage'),
})
const incident = createRoute({
  getParentRoute: () => root,
  path: '/incidents/$incidentId',
  component: lazyRouteComponent(() => import('../features/incidents/details.tsx'), 'IncidentPage'),
})

const alerts = createRoute({
  getParentRoute: () => root,
  path: '/alerts/{-$section}',
  staticData: { navigation: { label: messages.alerts.title, Icon: BellRing, shortcut: 'a' } },
  validateSearch: pageSearch,
  component: lazyRouteComponent(() => import('./alerts-page.tsx'), 'AlertsPage'),
})
const addRule = createRoute({
  getParentRoute: () => root,
  path: '/alerts/rules/add',
  // The page validates it.
  validateSearch: (search: Record<string, unknown>) => search as RuleSearch,
  component: lazyRouteComponent(() => import('../features/alert-rules/editor-page.tsx'), 'AddRulePage'),
})
const rule = createRoute({
  getParentRoute: () => root,
  path: '/alerts/rules/$ruleId',
  component: lazyRouteComponent(() => import('../features/alert-rules/editor-page.tsx'), 'RulePage'),
})
const addChannel = createRoute({
  getParentRoute: () => root,
  path: '/alerts/channels/add',
  component: lazyRouteComponent(() => import('../features/channels/editor-page.tsx'), 'AddChannelPage'),
})
const channel = createRoute({
  getParentRoute: () => root,
  path: '/alerts/channels/$channelId',
  component: lazyRouteComponent(() => import('../features/channels/editor-page.tsx'), 'ChannelPage'),
})
const addPolicy = createRoute({
  getParentRoute: () => root,
  path: '/alerts/policies/add',
  component: lazyRouteComponent(() => import('../features/on-call/pages.ts'), 'AddPolicyPage'),
})
const policy = createRoute({
  getParentRoute: () => root,
  path: '/alerts/policies/$policyId',
  component: lazyRouteComponent(() => import('../features/on-call/pages.ts'), 'PolicyPage'),
})
const addSchedule = createRoute({
  getParentRoute: () => root,
  path: '/alerts/on-call/add',
  component: lazyRouteComponent(() => import('../features/on-call/pages.ts'), 'AddSchedulePage'),
})
const schedule = createRoute({
  getParentRoute: () => root,
  path: '/alerts/on-call/$scheduleId',
  component: lazyRouteComponent(() => import('../features/on-call/pages.ts'), 'SchedulePage'),
})
const editSchedule = createRoute({
  getParentRoute: () => root,
  path: '/alerts/on-call/$scheduleId/edit',
  component: lazyRouteComponent(() => import('../features/on-call/pages.ts'), 'EditSchedulePage'),
})
const addWindow = createRoute({
  getParentRoute: () => root,
  path: '/alerts/maintenance/add',
  component: lazyRouteComponent(() => import('../features/maintenance-windows/editor-page.tsx'), 'AddWindowPage'),
})
const maintenanceWindow = createRoute({
  getParentRoute: () => root,
  path: '/alerts/maintenance/$windowId',
  component: lazyRouteComponent(() => import('../features/maintenance-windows/editor-page.tsx'), 'WindowPage'),
})

const replay = createRoute({
  getParentRoute: () => root,
  path: '/replay',
  // Of what is changed.
  validateSearch: (search: Record<string, unknown>) => search as { rule?: string; policy?: string },
  component: lazyRouteComponent(() => import('../features/replays/replay-page.tsx'), 'ReplayPage'),
})

const statusPages = createRoute({
  getParentRoute: () => root,
  path: '/status-pages',
  staticData: {
    navigation: { label: messages.nav.statusPages, shortLabel: messages.nav.pages, Icon: Globe, shortcut: 'p' },
  },
  validateSearch: pageSearch,
  component: lazyRouteComponent(() => import('../features/status-pages/pages.ts'), 'StatusPageList'),
})
const addStatusPage = createRoute({
  getParentRoute: () => root,
  path: '/status-pages/add',
  component: lazyRouteComponent(() => import('../features/status-pages/editor-page.tsx'), 'AddStatusPage'),
})
const announce = createRoute({
  getParentRoute: () => root,
  path: '/status-pages/announce',
  validateSearch: announcedSearch,
  component: lazyRouteComponent(() => import('../features/status-pages/pages.ts'), 'AnnouncePage'),
})
const statusPage = createRoute({
  getParentRoute: () => root,
  path: '/status-pages/$pageId',
  validateSearch: pageSearch,
  component: lazyRouteComponent(() => import('../features/status-pages/pages.ts'), 'StatusPagePage'),
})
const editStatusPage = createRoute({
  getParentRoute: () => root,
  path: '/status-pages/$pageId/edit',
  component: lazyRouteComponent(() => import('../features/status-pages/editor-page.tsx'), 'EditStatusPage'),
})
const addPost = createRoute({
  getParentRoute: () => root,
  path: '/status-pages/$pageId/posts/add',
  validateSearch: announcedSearch,
  component: lazyRouteComponent(() => import('../features/status-pages/pages.ts'), 'AddPostPage'),
})
const post = createRoute({
  getParentRoute: () => root,
  path: '/status-pages/$pageId/posts/$postId',
  component: lazyRouteComponent(() => import('../features/status-pages/pages.ts'), 'PostPage'),
})
const subscribers = createRoute({
  getParentRoute: () => root,
  path: '/status-pages/$pageId/subscribers',
  validateSearch: pageSearch,
  component: lazyRouteComponent(() => import('../features/status-pages/pages.ts'), 'SubscribersPage'),
})

const slos = createRoute({
  getParentRoute: () => root,
  path: '/slos',
  staticData: { navigation: { label: messages.nav.slos, Icon: Target, shortcut: 'l' } },
  validateSearch: pageSearch,
  component: lazyRouteComponent(() => import('../features/slos/pages.ts'), 'SloListPage'),
})
const addSlo = createRoute({
  getParentRoute: () => root,
  path: '/slos/add',
  component: lazyRouteComponent(() => import('../features/slos/editor-page.tsx'), 'AddSloPage'),
})
const slo = createRoute({
  getParentRoute: () => root,
  path: '/slos/$sloId',
  component: lazyRouteComponent(() => import('../features/slos/pages.ts'), 'SloPage'),
})
const editSlo = createRoute({
  getParentRoute: () => root,
  path: '/slos/$sloId/edit',
  component: lazyRouteComponent(() => import('../features/slos/editor-page.tsx'), 'EditSloPage'),
})

const reports = createRoute({
  getParentRoute: () => root,
  path: '/reports',
  staticData: { navigation: { label: messages.nav.reports, Icon: ChartColumn, shortcut: 'r', isWide: true } },
  // The page validates it: it is not needed before.
  validateSearch: (search: Record<string, unknown>) => search as ReportSearch,
  component: lazyRouteComponent(() => import('../features/reports/reports-page.tsx'), 'ReportsPage'),
})

const settings = createRoute({
  getParentRoute: () => root,
  path: '/settings/{-$section}',
  staticData: { navigation: { label: messages.settings.title, Icon: Settings, shortcut: ',' } },
  validateSearch: (search: Record<string, unknown>): { page?: number; action?: string } => ({
    ...pageSearch(search),
    ...(typeof search['action'] === 'string' ? { action: search['action'] } : {}),
  }),
  component: lazyRouteComponent(() => import('./settings-page.tsx'), 'SettingsPage'),
})

const routeTree = root.addChildren([
  overview,
  servers,
  addServer,
  server.addChildren([serverTab]),
  containers,
  monitors,
  addMonitor,
  deletedMonitors,
  monitor,
  editMonitor,
  incidents,
  incident,
  alerts,
  addRule,
  rule,
  addChannel,
  channel,
  addPolicy,
  policy,
  addSchedule,
  schedule,
  editSchedule,
  addWindow,
  maintenanceWindow,
  replay,
  statusPages,
  addStatusPage,
  announce,
  statusPage,
  editStatusPage,
  addPost,
  post,
  slos,
  addSlo,
  slo,
  editSlo,
  subscribers,
  reports,
  settings,
])

export function createAppRouter() {
  return createRouter({
    routeTree,
    parseSearch,
    stringifySearch,
    defaultPreload: 'intent',
    scrollRestoration: true,
    defaultErrorComponent: ErrorPage,
  })
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createAppRouter>
  }
}
