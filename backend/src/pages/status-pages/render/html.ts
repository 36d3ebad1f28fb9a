import { createHash } from 'node:crypto'
import { DAY_MS } from '@vedette/shared'
import { isOpen, type Overall, type PageModel, type PagePost } from '../reading/model.ts'
import type { Rendered } from './rendered.ts'
import { sectionsHtml } from './components.ts'
import { escape, paragraphs } from './escape.ts'
import { type Formats, formatsOf } from './formats.ts'
import { historyOf, type LinkContext, namesOf } from './links.ts'
import { LIVE_SCRIPT } from './live.ts'
import { SUBSCRIBE_SCRIPT } from './push-scripts.ts'
import { LIGHT_COLOURS, styleOf } from './style.ts'
import type { PageTexts } from './texts.ts'

/** Posts that are over are on the page for a week, and in the history for a year. */
const RECENT_MS = 7 * DAY_MS

export interface HtmlContext extends LinkContext {
  /** The path of the page without a slash at its end; empty on its own domain. */
  base: string
  /** The model could not be read again: it is older than it should be. */
  isBehind: boolean
  /** For a document without references. */
  isAlone?: boolean
  /** Whether visitors may subscribe. */
  takesSubscribers: boolean
}

const OVERALL_CLASS: Record<Overall, keyof typeof LIGHT_COLOURS> = {
  operational: 'u',
  unknown: 's',
  maintenance: 'm',
  degraded: 'g',
  partial_outage: 'd',
  major_outage: 'd',
}

/** Below the address of a page. */
export const LOGO_PATH = '/logo'

/** The page with the present status. */
export function renderPage(model: PageModel, context: HtmlContext): Rendered {
  const formats = formatsOf(model)
  const { texts } = formats
  const names = namesOf(model)
  const open = model.posts.filter(isOpen)
  const recent = model.posts.filter((post) => !isOpen(post) && (post.resolvedAtMs ?? 0) >= model.readAtMs - RECENT_MS)
  const list = (posts: readonly PagePost[]) => posts.map((post) => postHtml(post, names, formats)).join('')
  const incidents = open.filter(({ type }) => type === 'incident')
  const maintenance = open.filter(({ type }) => type === 'maintenance')
  const main = [
    `<div data-none="${escape(texts.noChecks)}" data-quiet="${escape(texts.quietDay)}" data-day="${escape(texts.chooseDay)}"></div>`,
    behindHtml(model, context, formats),
    `<p class="o ${OVERALL_CLASS[model.overall]}" role="status">${escape(texts.overall[model.overall])}</p>`,
    incidents.length > 0 && `<h2>${escape(texts.current)}</h2>${list(incidents)}`,
    ...sectionsHtml(model, formats, ({ id, startsAtMs }) => `${href(context, `/history/${formats.monthOf(startsAtMs)}`)}#${id}`),
    maintenance.length > 0 && `<h2>${escape(texts.planned)}</h2>${list(maintenance.toReversed())}`,
    `<h2>${escape(texts.recent)}</h2>${recent.length === 0 ? `<p class="s">${escape(texts.nothingRecent)}</p>` : list(recent)}`,
    `<p class="s">${escape(texts.readAt(formats.time(model.readAtMs)))}</p>`,
  ]
  return htmlOf(
    model,
    context,
    `${texts.overall[model.overall]} · ${model.title}`,
    main,
    [anchor(context, `/history/${formats.monthOf(model.readAtMs)}`, texts.history)],
    true,
    menuHtml(context, texts),
  )
}

/** Whether the page has a history of this month: of the last year, in the time zone of the page. */
export function hasMonth(model: PageModel, month: string): boolean {
  const { first, last } = historyOf(model, formatsOf(model))
  return month >= first && month <= last
}

/** Posts that began in a month. */
export function renderMonth(model: PageModel, context: HtmlContext, month: string): Rendered {
  const formats = formatsOf(model)
  const { texts } = formats
  const names = namesOf(model)
  const posts = model.posts.filter(({ startsAtMs }) => formats.monthOf(startsAtMs) === month)
  const name = formats.month(month)
  const main = [
    behindHtml(model, context, formats),
    `<h2>${escape(`${texts.history}: ${name}`)}</h2>`,
    posts.length === 0
      ? `<p class="s">${escape(texts.nothingIn(name))}</p>`
      : posts.map((post) => postHtml(post, names, formats)).join(''),
  ]
  const link = (key: string, text: string) => hasMonth(model, key) && anchor(context, `/history/${key}`, text)
  const nav = [
    anchor(context, '', texts.back),
    link(monthAfter(month, -1), texts.previous),
    link(monthAfter(month, 1), texts.next),
  ]
  return htmlOf(model, context, `${name} · ${model.title}`, main, nav, false)
}

/** The status alone, for a frame in another page. */
export function renderEmbed(model: PageModel, context: HtmlContext): Rendered {
  const formats = formatsOf(model)
  const main = [
    behindHtml(model, context, formats),
    `<p class="o ${OVERALL_CLASS[model.overall]}" role="status">${escape(formats.texts.overall[model.overall])}</p>`,
  ]
  const body = `<main>${main.filter(Boolean).join('')}<h1 class="s"><a href="${href(context, '')}" target="_blank" rel="noopener">${escape(model.title)}</a></h1></main>`
  return documentOf(model, model.title, body, false, 'e')
}

/** What visitors see in place of a page with a password. It shows nothing of the page but its title. */
export function renderLocked(model: PageModel, context: HtmlContext, fault: 'wrongPassword' | 'tooMany' | undefined): Rendered {
  const { texts } = formatsOf(model)
  const error = fault === undefined ? '' : `<p class="d" role="alert">${escape(texts[fault])}</p>`
  const body = `<header><h1>${escape(model.title)}</h1></header><main><p>${escape(texts.locked)}</p>${error}
<form method="post" action="${href(context, '/unlock')}"><label for="p">${escape(texts.password)}</label>
<input id="p" name="password" type="password" autocomplete="current-password" required maxlength="128"><br><button>${escape(texts.unlock)}</button></form></main>`
  return documentOf({ ...model, indexed: false }, model.title, body, false, '')
}

/** What visitors see where there is no page, with its policy. */
export function renderNotFound(): Rendered & { policy: string } {
  const body = '<main><h1>Not found</h1><p>There is no status page at this address.</p></main>'
  return { ...documentOf(NO_PAGE, 'Not found', body, false, ''), policy: policyOf(NO_PAGE, "'none'") }
}

function behindHtml({ readAtMs }: PageModel, { isBehind }: HtmlContext, { texts, time }: Formats): string | false {
  return isBehind && `<p class="w" role="alert">${escape(texts.behind(time(readAtMs)))}</p>`
}

function postHtml(post: PagePost, names: ReadonlyMap<string, string>, { texts, time }: Formats): string {
  const { type, endsAtMs, resolvedAtMs, startsAtMs } = post
  const affected = post.components.flatMap((id) => names.get(id) ?? []).join(', ')
  const times =
    type === 'maintenance' && endsAtMs !== null
      ? texts.from(time(startsAtMs), time(endsAtMs))
      : [texts.started(time(startsAtMs)), resolvedAtMs !== null && texts.ended(time(resolvedAtMs))].filter(Boolean).join(' · ')
  const impact = type === 'incident' ? ` · ${texts.impact[post.impact]}` : ''
  const updates = post.updates.map(
    ({ atMs, status, text }) =>
      `<li><strong>${escape(texts.postStatus[status])}</strong> <span class="s">${escape(time(atMs))}</span>${paragraphs(text)}</li>`,
  )
  return `<article id="${post.id}"><h3 dir="auto">${escape(post.title)}</h3><p class="s">${escape(texts.postStatus[post.status] + impact)} · ${escape(times)}</p>${
    affected === '' ? '' : `<p class="s">${escape(`${texts.affects}: ${affected}`)}</p>`
  }<ol>${updates.join('')}</ol></article>`
}

/** All ways to hear of what happens, in one menu. */
function menuHtml(context: HtmlContext, texts: PageTexts): string {
  const links = [
    context.takesSubscribers && anchor(context, '/subscribe', texts.notifications),
    anchor(context, '/feed.atom', 'Atom'),
    anchor(context, '/feed.rss', 'RSS'),
    anchor(context, '/maintenance.ics', texts.calendar),
  ]
  const items = links.flatMap((link) => (link === false ? [] : `<li>${link}</li>`))
  return `<details class="menu" id="subscribe"><summary>${escape(texts.subscribe)}</summary><ul>${items.join('')}</ul></details>`
}

export const href = ({ base, query }: HtmlContext, path: string): string => escape(`${base}${path}${query}` || '/')
export const anchor = (context: HtmlContext, path: string, text: string): string =>
  `<a href="${href(context, path)}">${escape(text)}</a>`

function monthAfter(month: string, by: number): string {
  const at = new Date(`${month}-15T00:00:00Z`)
  at.setUTCMonth(at.getUTCMonth() + by)
  return at.toISOString().slice(0, 7)
}

type Parts = readonly (string | false)[]

export function htmlOf(
  model: PageModel,
  context: HtmlContext,
  title: string,
  main: Parts,
  nav: Parts,
  isLive: boolean,
  menu = '',
): Rendered {
  const { title: heading, description, logo } = model
  // With an address of its own it is loaded once, and not with each reading of the page.
  const source = logo !== null && (context.isAlone === true ? escape(logo) : href(context, LOGO_PATH))
  const image = source === false ? '' : `<img class="logo" alt="" src="${source}">`
  const intro = description === '' ? '' : paragraphs(description)
  const body = `<header><div class="r t"><div>${image}<h1 dir="auto"><a href="${href(context, '')}">${escape(heading)}</a></h1></div>${menu}</div>${intro}</header><main>${main
    .filter(Boolean)
    .join('')}</main><footer><nav>${nav.filter(Boolean).join('')}</nav></footer>`
  // Search engines show it below the title.
  const summary = `<meta name="description" content="${escape(description.replaceAll(/\s+/g, ' ') || title)}">`
  const feed = `<link rel="alternate" type="application/atom+xml" href="${href(context, '/feed.atom')}">`
  return documentOf(model, title, body, isLive, '', summary + feed, OVERALL_CLASS[isLive ? model.overall : 'unknown'])
}

type Appearance = Pick<PageModel, 'language' | 'theme' | 'accent' | 'indexed' | 'visibility'>
const NO_PAGE: Appearance = { language: 'en', theme: 'auto', accent: null, indexed: false, visibility: 'public' }

/** A dot in the colour of the status. Without an icon browsers request one of the whole host. */
const iconOf = (className: keyof typeof LIGHT_COLOURS): string =>
  `<link rel="icon" href="data:image/svg+xml,${encodeURIComponent(
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 4 4"><circle cx="2" cy="2" r="2" fill="${LIGHT_COLOURS[className]}"/></svg>`,
  )}">`

function documentOf(
  model: Appearance,
  title: string,
  body: string,
  isLive: boolean,
  className: string,
  head = '',
  status = OVERALL_CLASS.unknown,
): Rendered {
  const robots = model.indexed && model.visibility === 'public' ? '' : '<meta name="robots" content="noindex">'
  return {
    type: 'text/html; charset=utf-8',
    body: `<!doctype html><html lang="${model.language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>${escape(title)}</title>${robots}${iconOf(status)}${head}<style>${styleOf(model.theme, model.accent)}</style></head><body class="${className}">${body}${isLive ? `<script>${LIVE_SCRIPT}</script>` : ''}</body></html>`,
  }
}

const sourceOf = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`
const LIVE_SOURCE = [`script-src ${sourceOf(LIVE_SCRIPT)}`]
/** Of the pages on which people subscribe. */
export const SUBSCRIBE_SOURCES = [`script-src ${sourceOf(SUBSCRIBE_SCRIPT)}`, "worker-src 'self'"]

/** Allows the style and the script of this page and nothing else. `frames`: who may show it in a frame. */
export function policyOf(
  { theme, accent }: Pick<PageModel, 'theme' | 'accent'>,
  frames: "'none'" | '*',
  scripts: readonly string[] = LIVE_SOURCE,
): string {
  return [
    "default-src 'none'",
    `style-src ${sourceOf(styleOf(theme, accent))}`,
    ...scripts,
    "img-src 'self' data:",
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    `frame-ancestors ${frames}`,
  ].join(';')
}
