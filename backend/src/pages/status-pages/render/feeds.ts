import { DAY_MS } from '@vedette/shared'
import { parseId } from '../../../platform/ids.ts'
import type { PageModel, PagePost } from '../reading/model.ts'
import type { Rendered } from './rendered.ts'
import { escape, paragraphs } from './escape.ts'
import { type Formats, formatsOf } from './formats.ts'
import { absolute, type LinkContext, namesOf, postLinks } from './links.ts'

const MAX_ENTRIES = 50

interface Entry {
  /** It stays the same while the post exists. */
  id: string
  title: string
  link: string
  publishedAtMs: number
  updatedAtMs: number
  html: string
}

/** The posts that changed last, newest change first. */
function entriesOf(model: PageModel, context: LinkContext, formats: Formats): Entry[] {
  const [linkOf, names] = [postLinks(model, context, formats), namesOf(model)]
  return model.posts
    .toSorted((one, other) => other.updatedAtMs - one.updatedAtMs)
    .slice(0, MAX_ENTRIES)
    .map((post) => ({
      id: `urn:uuid:${parseId('post', post.id)}`,
      title: post.title,
      link: linkOf(post),
      publishedAtMs: post.createdAtMs,
      updatedAtMs: post.updatedAtMs,
      html: contentOf(post, names, formats),
    }))
}

function contentOf(post: PagePost, names: ReadonlyMap<string, string>, { texts, time }: Formats): string {
  const { type, startsAtMs, endsAtMs } = post
  const affected = post.components.flatMap((id) => names.get(id) ?? []).join(', ')
  const about = [
    type === 'maintenance' && endsAtMs !== null && texts.from(time(startsAtMs), time(endsAtMs)),
    type === 'incident' && texts.impact[post.impact],
    affected !== '' && `${texts.affects}: ${affected}`,
  ]
  const updates = post.updates.map(
    ({ atMs, status, text }) =>
      `<p><strong>${escape(texts.postStatus[status])}</strong> ${escape(time(atMs))}</p>${paragraphs(text)}`,
  )
  return about.map((text) => (text ? `<p>${escape(text)}</p>` : '')).join('') + updates.join('')
}

/** When the newest entry changed. A feed without entries changes once a day. */
const changedAtMs = ({ readAtMs }: PageModel, entries: readonly Entry[]): number =>
  entries[0]?.updatedAtMs ?? Math.floor(readAtMs / DAY_MS) * DAY_MS

const iso = (ms: number): string => new Date(ms).toISOString()

/** RFC 4287. */
export function renderAtom(model: PageModel, context: LinkContext): Rendered {
  const entries = entriesOf(model, context, formatsOf(model))
  const items = entries.map(
    ({ id, title, link, publishedAtMs, updatedAtMs, html }) =>
      `<entry><id>${id}</id><title>${escape(title)}</title><link rel="alternate" type="text/html" href="${escape(link)}"/>` +
      `<published>${iso(publishedAtMs)}</published><updated>${iso(updatedAtMs)}</updated><content type="html">${escape(html)}</content></entry>`,
  )
  const { title, description, language } = model
  const body =
    `<?xml version="1.0" encoding="utf-8"?>\n<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="${language}">` +
    `<id>urn:uuid:${parseId('statusPage', model.id)}</id><title>${escape(title)}</title>` +
    `${description === '' ? '' : `<subtitle>${escape(description)}</subtitle>`}<author><name>${escape(title)}</name></author>` +
    `<link rel="self" type="application/atom+xml" href="${escape(absolute(context, '/feed.atom'))}"/>` +
    `<link rel="alternate" type="text/html" href="${escape(absolute(context, ''))}"/>` +
    `<updated>${iso(changedAtMs(model, entries))}</updated>${items.join('')}</feed>\n`
  return { type: 'application/atom+xml; charset=utf-8', body }
}

/** As RFC 822 wants it. */
const rfc822 = (ms: number): string => new Date(ms).toUTCString()

/** RSS 2.0. An item has one date: that of its last update. */
export function renderRss(model: PageModel, context: LinkContext): Rendered {
  const entries = entriesOf(model, context, formatsOf(model))
  const items = entries.map(
    ({ id, title, link, updatedAtMs, html }) =>
      `<item><guid isPermaLink="false">${id}</guid><title>${escape(title)}</title><link>${escape(link)}</link>` +
      `<pubDate>${rfc822(updatedAtMs)}</pubDate><description>${escape(html)}</description></item>`,
  )
  const { title, description, language } = model
  const body =
    `<?xml version="1.0" encoding="utf-8"?>\n<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom"><channel>` +
    `<title>${escape(title)}</title><link>${escape(absolute(context, ''))}</link><description>${escape(description || title)}</description>` +
    `<language>${language}</language><atom:link rel="self" type="application/rss+xml" href="${escape(absolute(context, '/feed.rss'))}"/>` +
    `<lastBuildDate>${rfc822(changedAtMs(model, entries))}</lastBuildDate>${items.join('')}</channel></rss>\n`
  return { type: 'application/rss+xml; charset=utf-8', body }
}
