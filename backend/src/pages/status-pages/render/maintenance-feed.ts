import { CALENDAR_TYPE, calendarInstant, calendarText, renderCalendarText } from '../../../platform/icalendar.ts'
import type { PageModel, PagePost } from '../reading/model.ts'
import type { Rendered } from './rendered.ts'
import { type Formats, formatsOf } from './formats.ts'
import { type LinkContext, namesOf, postLinks } from './links.ts'

/** Planned, current and past maintenance by RFC 5545. Times are UTC. */
export function renderMaintenanceFeed(model: PageModel, context: LinkContext): Rendered {
  const formats = formatsOf(model)
  const [linkOf, names] = [postLinks(model, context, formats), namesOf(model)]
  const events = model.posts
    .filter(({ type }) => type === 'maintenance')
    .flatMap((post) => eventOf(post, linkOf(post), names, formats))
  return { type: CALENDAR_TYPE, body: renderCalendarText({ product: 'Status page', name: model.title, events }) }
}

function eventOf(post: PagePost, link: string, names: ReadonlyMap<string, string>, { texts }: Formats): string[] {
  const { startsAtMs, endsAtMs, resolvedAtMs, createdAtMs, updatedAtMs } = post
  const isCancelled = resolvedAtMs !== null && resolvedAtMs <= startsAtMs
  const endMs = isCancelled || resolvedAtMs === null ? endsAtMs : Math.min(resolvedAtMs, endsAtMs ?? resolvedAtMs)
  const affected = post.components.flatMap((id) => names.get(id) ?? []).join(', ')
  const description = [
    ...(affected === '' ? [] : [`${texts.affects}: ${affected}`]),
    ...post.updates.map((update) => update.text),
  ]
  return [
    'BEGIN:VEVENT',
    `UID:${post.id}`,
    `DTSTAMP:${calendarInstant(updatedAtMs)}`,
    `CREATED:${calendarInstant(createdAtMs)}`,
    `LAST-MODIFIED:${calendarInstant(updatedAtMs)}`,
    // It must grow with each change; its steps may have any size.
    `SEQUENCE:${Math.max(0, Math.floor((updatedAtMs - createdAtMs) / 1000))}`,
    `DTSTART:${calendarInstant(startsAtMs)}`,
    ...(endMs === null ? [] : [`DTEND:${calendarInstant(endMs)}`]),
    `STATUS:${isCancelled ? 'CANCELLED' : 'CONFIRMED'}`,
    `SUMMARY:${calendarText(post.title)}`,
    ...(description.length === 0 ? [] : [`DESCRIPTION:${calendarText(description.join('\n\n'))}`]),
    `URL:${link}`,
    'TRANSP:TRANSPARENT',
    'END:VEVENT',
  ]
}
