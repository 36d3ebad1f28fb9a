import type { PageModel } from '../reading/model.ts'
import type { Rendered } from '../render/rendered.ts'
import { renderMaintenanceFeed } from '../render/maintenance-feed.ts'
import { renderAtom, renderRss } from '../render/feeds.ts'
import { type HtmlContext, hasMonth, LOGO_PATH, renderEmbed, renderMonth, renderPage } from '../render/html.ts'
import { PUSH_WORKER } from '../render/push-scripts.ts'
import { WORKER_PATH } from '../render/subscribe.ts'
import { decodeLogo } from '../pages/logo.ts'
import { STATUSPAGE_VIEWS } from '../render/statuspage.ts'

export type PageView = (model: PageModel, context: HtmlContext) => Rendered

/** What a page answers below its address, by path. */
const VIEWS: Readonly<Record<string, PageView>> = {
  '': renderPage,
  '/embed': renderEmbed,
  '/feed.atom': renderAtom,
  '/feed.rss': renderRss,
  '/maintenance.ics': renderMaintenanceFeed,
  [WORKER_PATH]: () => ({ type: 'text/javascript; charset=utf-8', body: PUSH_WORKER }),
  ...STATUSPAGE_VIEWS,
}

/** The view at a path below the page; undefined where there is none. There are few for each page: all are kept. */
export function findView(model: PageModel, path: string): PageView | undefined {
  if (path === LOGO_PATH) {
    const logo = model.logo === null ? undefined : decodeLogo(model.logo)
    return logo && (() => ({ type: logo.type, body: '', bytes: logo.bytes }))
  }
  if (Object.hasOwn(VIEWS, path)) return VIEWS[path]
  const month = /^\/history\/(\d{4}-(?:0[1-9]|1[0-2]))$/.exec(path)?.[1]
  if (month === undefined || !hasMonth(model, month)) return undefined
  return (shown, context) => renderMonth(shown, context, month)
}
