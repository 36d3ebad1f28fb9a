import { MONITOR_SORTS, MONITOR_STATUSES, SERVER_SORTS, SERVER_STATUSES } from '@vedette/shared/tables'
import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router'
import {
  Activity,
  BellRing,
  ChartColumn,
  ChartLine,
  Globe,
  LayoutDashboard,
  Server,
  Settings,
  ShieldCheck,
  Target,
  TriangleAlert,
} from '../components/icons.tsx'
import { incidentSearch } from '../features/incidents/search.ts'
import type { ExploreSearch } from '../features/explore/search.ts'
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
import { whenReachable } from '../lib/when-reachable.ts'
import { Shell } from './shell.tsx'

/** The module of a page, and which of its exports the page is. */
const lazyPage = <Module extends Record<string, unknown>, Name extends keyof Module & string>(
  load: () => Promise<Module>,
  name: Name,
) => lazyRouteComponent(() => whenReachable(load), name)

/** The incident that is announced on a status page. */
const announcedSearch = ({ incident }: Record<string, unknown>): { incident?: string } =>
  typeof incident === 'string' ? { incident } : {}

/** For pages that validate the rest themselves: it is not needed before. */
const withPage = (search: Record<string, unknown>) => ({ ...search, page: pageSearch(search).page })

/** The page and some texts. A text of digits alone is a number by now. */
const textSearch = <Name extends string>(search: Record<string, unknown>, names: readonly Name[]) =>
  ({
    ...pageSearch(search),
    ...Object.fromEntries(
      names.flatMap((name) =>
        typeof search[name] === 'string' || typeof search[name] === 'number' ? [[name, String(search[name])]] : [],
      ),
    ),
  }) as { page?: number } & Partial<Record<Name, string>>

const root = createRootRoute({ component: Shell, notFoundComponent: NotFoundPage, errorComponent: ErrorPage })

const overview = createRoute({
  getParentRoute: () => root,
  path: '/',
  component: Overview,
  staticData: { navigation: { label: messages.overview.title, Icon: LayoutDashboard, shortcut: 'o' } },
})

const wall = createRoute({
  getParentRoute: () => root,
  path: '/wall',
  component: lazyPage(() => import('../features/overview/wall-page.tsx'), 'WallPage'),
})

const servers = createRoute({
  getParentRoute: () => root,
  path: '/servers',
  staticData: { navigation: { label: messages.servers.title, Icon: Server, shortcut: 's' } },
  validateSearch: (search: Record<string, unknown>) => listSearch(search, SERVER_STATUSES, SERVER_SORTS),
  component: lazyPage(() => import('../features/servers/list.tsx'), 'ServerListPage'),
})
const addServer = createRoute({
  getParentRoute: () => root,
  path: '/servers/add',
  component: lazyPage(() => import('../features/servers/add.tsx'), 'AddServerPage'),
})
const server = createRoute({
  getParentRoute: () => root,
  path: '/servers/$serverId',
  validateSearch: (search: Record<string, unknown>) => withPage(search) as ServerSearch,
  component: lazyPage(() => import('../features/servers/details.tsx'), 'ServerPage'),
})
/** The page of the server draws its tabs itself: this way the heading and the tabs stay where they are. */
const serverTab = createRoute({ getParentRoute: () => server, path: '$tab' })
const containers = createRoute({
  getParentRoute: () => root,
  path: '/servers/containers',
  validateSearch: (search: Record<string, unknown>) => withPage(search) as ListSearch,
  component: lazyPage(() => import('../features/servers/entities/all-containers.tsx'), 'AllContainersPage'),
})

const monitors = createRoute({
  getParentRoute: () => root,
  path: '/monitors',
  staticData: { navigation: { label: messages.monitors.title, Icon: Activity, shortcut: 'm' } },
  validateSearch: (search: Record<string, unknown>) => listSearch(search, MONITOR_STATUSES, MONITOR_SORTS),
  component: lazyPage(() => import('../features/monitors/list.tsx'), 'MonitorListPage'),
})
const addMonitor = createRoute({
  getParentRoute: () => root,
  path: '/monitors/add',
  // Of the monitor that is copied.
  validateSearch: ({ from }: Record<string, unknown>): { from?: string } => (typeof from === 'string' ? { from } : {}),
  component: lazyPage(() => import('../features/monitors/editor-page.tsx'), 'AddMonitorPage'),
})
const addMonitorOfKind = createRoute({ getParentRoute: () => addMonitor, path: '$kind' })
const deletedMonitors = createRoute({
  getParentRoute: () => root,
  path: '/monitors/deleted',
  validateSearch: pageSearch,
  component: lazyPage(() => import('../features/monitors/deleted.tsx'), 'DeletedMonitorsPage'),
})
const monitor = createRoute({
  getParentRoute: () => root,
  path: '/monitors/$monitorId',
  validateSearch: (search: Record<string, unknown>): ReturnType<typeof rangeSearch> & { region?: string } => ({
    ...rangeSearch(search),
    ...(typeof search['region'] === 'string' ? { region: search['region'] } : {}),
  }),
  component: lazyPage(() => import('../features/monitors/details.tsx'), 'MonitorPage'),
})
const editMonitor = createRoute({
  getParentRoute: () => root,
  path: '/monitors/$monitorId/edit',
  component: lazyPage(() => import('../features/monitors/editor-page.tsx'), 'EditMonitorPage'),
})

const explore = createRoute({
  getParentRoute: () => root,
  path: '/explore',
  staticData: { navigation: { label: messages.nav.explore, Icon: ChartLine, shortcut: 'e', isWide: true } },
  // The page validates it.
  validateSearch: (search: Record<string, unknown>) => search as ExploreSearch,
  component: lazyPage(() => import('../features/explore/explore-page.tsx'), 'ExplorePage'),
})

const incidents = createRoute({
  getParentRoute: () => root,
  path: '/incidents',
  staticData: { navigation: { label: messages.incidents.title, Icon: TriangleAlert, shortcut: 'i', Badge: OpenIncidentCount } },
  validateSearch: incidentSearch,
  component: lazyPage(() => import('../features/incidents/list.tsx'), 'IncidentListPage'),
})
const incident = createRoute({
  getParentRoute: () => root,
  path: '/incidents/$incidentId',
  component: lazyPage(() => import('../features/incidents/details.tsx'), 'IncidentPage'),
})

const alerts = createRoute({
  getParentRoute: () => root,
  path: '/alerts/{-$section}',
  staticData: { navigation: { label: messages.nav.alerts, Icon: BellRing, shortcut: 'a' } },
  validateSearch: pageSearch,
  component: lazyPage(() => import('./alerts-page.tsx'), 'AlertsPage'),
})
const addRule = createRoute({
  getParentRoute: () => root,
  path: '/alerts/rules/add',
  // The page validates it.
  validateSearch: (search: Record<string, unknown>) => search as RuleSearch,
  component: lazyPage(() => import('../features/alert-rules/editor-page.tsx'), 'AddRulePage'),
})
const rule = createRoute({
  getParentRoute: () => root,
  path: '/alerts/rules/$ruleId',
  component: lazyPage(() => import('../features/alert-rules/editor-page.tsx'), 'RulePage'),
})
const addChannel = createRoute({
  getParentRoute: () => root,
  path: '/alerts/channels/add',
  component: lazyPage(() => import('../features/channels/editor-page.tsx'), 'AddChannelPage'),
})
const channel = createRoute({
  getParentRoute: () => root,
  path: '/alerts/channels/$channelId',
  component: lazyPage(() => import('../features/channels/editor-page.tsx'), 'ChannelPage'),
})
const addSource = createRoute({
  getParentRoute: () => root,
  path: '/alerts/sources/add',
  component: lazyPage(() => import('../features/alert-sources/editor-page.tsx'), 'AddSourcePage'),
})
const source = createRoute({
  getParentRoute: () => root,
  path: '/alerts/sources/$sourceId',
  component: lazyPage(() => import('../features/alert-sources/editor-page.tsx'), 'SourcePage'),
})
const addPolicy = createRoute({
  getParentRoute: () => root,
  path: '/alerts/policies/add',
  component: lazyPage(() => import('../features/on-call/pages.ts'), 'AddPolicyPage'),
})
const policy = createRoute({
  getParentRoute: () => root,
  path: '/alerts/policies/$policyId',
  component: lazyPage(() => import('../features/on-call/pages.ts'), 'PolicyPage'),
})
const addSchedule = createRoute({
  getParentRoute: () => root,
  path: '/alerts/on-call/add',
  component: lazyPage(() => import('../features/on-call/pages.ts'), 'AddSchedulePage'),
})
const schedule = createRoute({
  getParentRoute: () => root,
  path: '/alerts/on-call/$scheduleId',
  component: lazyPage(() => import('../features/on-call/pages.ts'), 'SchedulePage'),
})
const editSchedule = createRoute({
  getParentRoute: () => root,
  path: '/alerts/on-call/$scheduleId/edit',
  component: lazyPage(() => import('../features/on-call/pages.ts'), 'EditSchedulePage'),
})
const addWindow = createRoute({
  getParentRoute: () => root,
  path: '/alerts/maintenance/add',
  component: lazyPage(() => import('../features/maintenance-windows/editor-page.tsx'), 'AddWindowPage'),
})
const maintenanceWindow = createRoute({
  getParentRoute: () => root,
  path: '/alerts/maintenance/$windowId',
  component: lazyPage(() => import('../features/maintenance-windows/editor-page.tsx'), 'WindowPage'),
})

const replay = createRoute({
  getParentRoute: () => root,
  path: '/replay',
  // Of what is changed.
  validateSearch: (search: Record<string, unknown>) => search as { rule?: string; policy?: string },
  component: lazyPage(() => import('../features/replays/replay-page.tsx'), 'ReplayPage'),
})

const statusPages = createRoute({
  getParentRoute: () => root,
  path: '/status-pages',
  staticData: {
    navigation: { label: messages.nav.statusPages, shortLabel: messages.nav.pages, Icon: Globe, shortcut: 'p' },
  },
  validateSearch: pageSearch,
  component: lazyPage(() => import('../features/status-pages/pages.ts'), 'StatusPageList'),
})
const addStatusPage = createRoute({
  getParentRoute: () => root,
  path: '/status-pages/add',
  component: lazyPage(() => import('../features/status-pages/editor-page.tsx'), 'AddStatusPage'),
})
const announce = createRoute({
  getParentRoute: () => root,
  path: '/status-pages/announce',
  validateSearch: announcedSearch,
  component: lazyPage(() => import('../features/status-pages/pages.ts'), 'AnnouncePage'),
})
const statusPage = createRoute({
  getParentRoute: () => root,
  path: '/status-pages/$pageId',
  validateSearch: pageSearch,
  component: lazyPage(() => import('../features/status-pages/pages.ts'), 'StatusPagePage'),
})
const editStatusPage = createRoute({
  getParentRoute: () => root,
  path: '/status-pages/$pageId/edit',
  component: lazyPage(() => import('../features/status-pages/editor-page.tsx'), 'EditStatusPage'),
})
const addPost = createRoute({
  getParentRoute: () => root,
  path: '/status-pages/$pageId/posts/add',
  validateSearch: announcedSearch,
  component: lazyPage(() => import('../features/status-pages/pages.ts'), 'AddPostPage'),
})
const post = createRoute({
  getParentRoute: () => root,
  path: '/status-pages/$pageId/posts/$postId',
  component: lazyPage(() => import('../features/status-pages/pages.ts'), 'PostPage'),
})
const subscribers = createRoute({
  getParentRoute: () => root,
  path: '/status-pages/$pageId/subscribers',
  validateSearch: pageSearch,
  component: lazyPage(() => import('../features/status-pages/pages.ts'), 'SubscribersPage'),
})

const slos = createRoute({
  getParentRoute: () => root,
  path: '/slos',
  staticData: { navigation: { label: messages.nav.slos, Icon: Target, shortcut: 'l' } },
  validateSearch: pageSearch,
  component: lazyPage(() => import('../features/slos/pages.ts'), 'SloListPage'),
})
const addSlo = createRoute({
  getParentRoute: () => root,
  path: '/slos/add',
  component: lazyPage(() => import('../features/slos/editor-page.tsx'), 'AddSloPage'),
})
const slo = createRoute({
  getParentRoute: () => root,
  path: '/slos/$sloId',
  component: lazyPage(() => import('../features/slos/pages.ts'), 'SloPage'),
})
const editSlo = createRoute({
  getParentRoute: () => root,
  path: '/slos/$sloId/edit',
  component: lazyPage(() => import('../features/slos/editor-page.tsx'), 'EditSloPage'),
})

const certificates = createRoute({
  getParentRoute: () => root,
  path: '/certificates',
  staticData: { navigation: { label: messages.nav.certificates, Icon: ShieldCheck, shortcut: 'c', isWide: true } },
  validateSearch: (search: Record<string, unknown>): { q?: string; page?: number } => textSearch(search, ['q']),
  component: lazyPage(() => import('../features/certificates/pages.ts'), 'CertificateListPage'),
})
const certificate = createRoute({
  getParentRoute: () => root,
  path: '/certificates/$certificateId',
  component: lazyPage(() => import('../features/certificates/pages.ts'), 'CertificatePage'),
})

const reports = createRoute({
  getParentRoute: () => root,
  path: '/reports',
  staticData: { navigation: { label: messages.nav.reports, Icon: ChartColumn, shortcut: 'r', isWide: true } },
  // The page validates it: it is not needed before.
  validateSearch: (search: Record<string, unknown>) => search as ReportSearch,
  component: lazyPage(() => import('../features/reports/reports-page.tsx'), 'ReportsPage'),
})

const settings = createRoute({
  getParentRoute: () => root,
  path: '/settings/{-$section}',
  staticData: { navigation: { label: messages.settings.title, Icon: Settings, shortcut: ',' } },
  validateSearch: (search: Record<string, unknown>) =>
    textSearch<'action' | 'q' | 'from' | 'to'>(search, ['action', 'q', 'from', 'to']),
  component: lazyPage(() => import('./settings-page.tsx'), 'SettingsPage'),
})

const changeList = createRoute({
  getParentRoute: () => root,
  path: '/changes',
  validateSearch: (search: Record<string, unknown>) =>
    textSearch<'owner' | 'state' | 'from' | 'resource'>(search, ['owner', 'state', 'from', 'resource']),
  component: lazyPage(() => import('./changes-page.tsx'), 'ChangesPage'),
})
const change = createRoute({
  getParentRoute: () => root,
  path: '/changes/$changeId',
  component: lazyPage(() => import('../features/changes/change-page.tsx'), 'ChangePage'),
})

const routeTree = root.addChildren([
  overview,
  wall,
  servers,
  addServer,
  server.addChildren([serverTab]),
  containers,
  monitors,
  addMonitor.addChildren([addMonitorOfKind]),
  deletedMonitors,
  monitor,
  editMonitor,
  explore,
  incidents,
  incident,
  alerts,
  addRule,
  rule,
  addChannel,
  channel,
  addSource,
  source,
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
  certificates,
  certificate,
  subscribers,
  reports,
  settings,
  changeList,
  change,
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
