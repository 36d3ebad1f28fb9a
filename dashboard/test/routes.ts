import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { SETTINGS_SECTIONS } from '../src/app/settings-sections.ts'
import { TAB_KINDS } from '../src/lib/entity-tabs.ts'
import { alerts } from '../src/messages/alerts.ts'

export const ROUTES = readFileSync(join(import.meta.dirname, '../src/app/router.tsx'), 'utf8')
/** The parts of a page that its address names. */
const SECTIONS: Readonly<Record<string, readonly string[]>> = {
  '/alerts/{-$section}': Object.keys(alerts.sections),
  '/settings/{-$section}': SETTINGS_SECTIONS.map(({ id }) => id),
  // Of each form of an address one.
  '/monitors/add/$kind': ['http', 'dns', 'postgres', 'steps', 'heartbeat', 'composite'],
  '/monitors/$monitorId': ['$monitorId', '$compositeId'],
  '/monitors/$monitorId/edit': ['$monitorId', '$compositeId'],
  '/servers/$serverId/$tab': ['processes', ...Object.keys(TAB_KINDS)],
}
const PARENTS: Readonly<Record<string, string>> = { root: '', server: '/servers/$serverId/', addMonitor: '/monitors/add/' }
/** The routes as they are written. A new one is found here by itself; a new kind of id needs a line in `fillOrganization`. */
export const FOUND = [...ROUTES.matchAll(/createRoute\(\{\s*getParentRoute: \(\) => (\w+),\s*path: '([^']+)'/g)]
export const PATHS = FOUND.map(([, parent = '', path = '']) => `${PARENTS[parent]}${path}`).flatMap(
  (path) => SECTIONS[path]?.map((section) => path.replace(/\{-\$section\}|\$tab|\$kind|\$monitorId/, section)) ?? [path],
)

/** The path with the ids of `fillOrganization`. */
export const withIds = (path: string, ids: Readonly<Record<string, string>>): string =>
  path.replaceAll(/\$(\w+)/g, (_, name: string) => ids[name] ?? `no ${name} in fillOrganization`)

/** As a link does. Loading the dashboard again would take most of the time of a test. Resolves when the page is rendered. */
export const followLink = (page: Page, path: string) =>
  page.evaluate(`new Promise((resolve) => {
      const stop = __TSR_ROUTER__.subscribe('onRendered', () => { stop(); resolve() })
      __TSR_ROUTER__.history.push(${JSON.stringify(path)})
    })`)
