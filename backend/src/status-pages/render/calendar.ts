import type { PageModel, PagePost } from '../reading/model.ts'
import type { Rendered } from './rendered.ts'
import { type Formats, formatsOf } from './formats.ts'
import { type LinkContext, namesOf, postLinks } from './links.ts'

const MAX_LINE_BYTES = 75

/** Planned, current and past maintenance by RFC 5545. Times are UTC. */
export function renderCalendar(model: PageModel, context: LinkContext): Rendered {
  const formats = formatsOf(model)
  const [linkOf, names] = [postLinks(model, context, formats), namesOf(model)]
  const events = model.posts
    .filter(({ type }) => type === 'maintenance')
    .flatMap((post) => eventOf(post, linkOf(post), names, formats))
  const lines = [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//Vedette//Status page//EN',
    'CALSCALE:GREGORIAN',
    `X-WR-CALNAME:${text(model.title)}`,
    'REFRESH-INTERVAL;VALUE=DURATION:PT1H',
    ...events,
    'END:VCALENDAR',
  ]
  return { type: 'text/calendar; charset=utf-8', body: lines.map((line) => `${fold(line)}\r\n`).join('') }
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
    `DTSTAMP:${instant(updatedAtMs)}`,
    `CREATED:${instant(createdAtMs)}`,
    `LAST-MODIFIED:${instant(updatedAtMs)}`,
    // It must grow with each change; its steps may have any size.
    `SEQUENCE:${Math.max(0, Math.floor((updatedAtMs - createdAtMs) / 1000))}`,
    `DTSTART:${instant(startsAtMs)}`,
    ...(endMs === null ? [] : [`DTEND:${instant(endMs)}`]),
    `STATUS:${isCancelled ? 'CANCELLED' : 'CONFIRMED'}`,
    `SUMMARY:${text(post.title)}`,
    ...(description.length === 0 ? [] : [`DESCRIPTION:${text(description.join('\n\n'))}`]),
    `URL:${link}`,
    'TRANSP:TRANSPARENT',
    'END:VEVENT',
  ]
}

/** `20261124T193000Z`. */
const instant = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z`

// oxlint-disable-next-line no-control-regex -- TEXT allows no control characters but tabs
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f]/g

const text = (value: string): string =>
  value
    .replaceAll(/\r\n?/g, '\n')
    .replaceAll(CONTROL, '')
    .replaceAll(/[\\;,]/g, String.raw`\$&`)
    .replaceAll('\n', String.raw`\n`)

/** Lines of at most 75 octets, without a cut within a character; the further ones begin with a space. */
function fold(line: string): string {
  let [folded, bytes] = ['', 0]
  for (const character of line) {
    const size = Buffer.byteLength(character)
    if (bytes + size > MAX_LINE_BYTES) {
      folded += '\r\n '
      bytes = 1
    }
    folded += character
    bytes += size
  }
  return folded
}
