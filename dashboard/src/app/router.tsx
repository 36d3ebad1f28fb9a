import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router'
import { Overview } from '../features/overview/overview.tsx'
import { listSearch } from '../lib/list-search.ts'
import { MONITOR_PERIODS, rangeSearch, SERVER_PERIODS } from '../lib/range.ts'
import { BrokenPage } from './boundary.tsx'
import { NoSuchPage } from './no-such-page.tsx'
import { parseSearch, stringifySearch } from '../lib/search.ts'
import { Shell } from './shell.tsx'

const SERVER_SORTS = ['name', 'created_at', 'cpu', 'memory', 'disk', 'last_seen_at']

const root = createRootRoute({ component: Shell, notFoundComponent: NoSuchPage, errorComponent: BrokenPage })

const overview = createRoute({ getParentRoute: () => root, path: '/', component: Overview })

const servers = createRoute({
  getParentRoute: () => root,
  path: '/servers',
  validateSearch: (search: Record<string, unknown>) => listSearch(search, ['online', 'offline'], SERVER_SORTS),
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
  validateSearch: (search: Record<string, unknown>) => rangeSearch(search, SERVER_PERIODS),
  component: lazyRouteComponent(() => import('../features/servers/details.tsx'), 'ServerPage'),
})

const monitors = createRoute({
  getParentRoute: () => root,
  path: '/monitors',
  validateSearch: (search: Record<string, unknown>) =>
    listSearch(search, ['up', 'down', 'degraded', 'paused'], ['name', 'created_at']),
  component: lazyRouteComponent(() => import('../features/monitors/list.tsx'), 'MonitorListPage'),
})
const addMonitor = createRoute({
  getParentRoute: () => root,
  path: '/monitors/add',
  component: lazyRouteComponent(() => import('../features/monitors/editor-page.tsx'), 'AddMonitorPage'),
})
const monitor = createRoute({
  getParentRoute: () => root,
  path: '/monitors/$monitorId',
  validateSearch: (search: Record<string, unknown>): ReturnType<typeof rangeSearch> & { region?: string } => ({
    ...rangeSearch(search, MONITOR_PERIODS),
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
  validateSearch: (search: Record<string, unknown>) => listSearch(search, ['open', 'acknowledged', 'resolved'], []),
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
  validateSearch: (search: Record<string, unknown>): { page?: number } => {
    const page = Number(search['page'])
    return Number.isSafeInteger(page) && page > 1 ? { page } : {}
  },
  component: lazyRouteComponent(() => import('../features/alerts/alerts-page.tsx'), 'AlertsPage'),
})
const addRule = createRoute({
  getParentRoute: () => root,
  path: '/alerts/rules/add',
  component: lazyRouteComponent(() => import('../features/alerts/rules/editor-page.tsx'), 'AddRulePage'),
})
const rule = createRoute({
  getParentRoute: () => root,
  path: '/alerts/rules/$ruleId',
  component: lazyRouteComponent(() => import('../features/alerts/rules/editor-page.tsx'), 'RulePage'),
})
const addChannel = createRoute({
  getParentRoute: () => root,
  path: '/alerts/channels/add',
  component: lazyRouteComponent(() => import('../features/alerts/channels/editor-page.tsx'), 'AddChannelPage'),
})
const channel = createRoute({
  getParentRoute: () => root,
  path: '/alerts/channels/$channelId',
  component: lazyRouteComponent(() => import('../features/alerts/channels/editor-page.tsx'), 'ChannelPage'),
})
const addWindow = createRoute({
  getParentRoute: () => root,
  path: '/alerts/maintenance/add',
  component: lazyRouteComponent(() => import('../features/alerts/windows/editor-page.tsx'), 'AddWindowPage'),
})
const maintenanceWindow = createRoute({
  getParentRoute: () => root,
  path: '/alerts/maintenance/$windowId',
  component: lazyRouteComponent(() => import('../features/alerts/windows/editor-page.tsx'), 'WindowPage'),
})

const settings = createRoute({
  getParentRoute: () => root,
  path: '/settings/{-$section}',
  validateSearch: (search: Record<string, unknown>): { page?: number; action?: string } => {
    const page = Number(search['page'])
    return {
      ...(Number.isSafeInteger(page) && page > 1 ? { page } : {}),
      ...(typeof search['action'] === 'string' ? { action: search['action'] } : {}),
    }
  },
  component: lazyRouteComponent(() => import('../features/settings/settings.tsx'), 'SettingsPage'),
})

const routeTree = root.addChildren([
  overview,
  servers,
  addServer,
  server,
  monitors,
  addMonitor,
  monitor,
  editMonitor,
  incidents,
  incident,
  alerts,
  addRule,
  rule,
  addChannel,
  channel,
  addWindow,
  maintenanceWindow,
  settings,
])

export function createAppRouter() {
  return createRouter({
    routeTree,
    parseSearch,
    stringifySearch,
    defaultPreload: 'intent',
    scrollRestoration: true,
    defaultErrorComponent: BrokenPage,
  })
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createAppRouter>
  }
}
