/** iCalendar (RFC 5545), as subscriptions of calendar programs read it. */
export const CALENDAR_TYPE = 'text/calendar; charset=utf-8'

const MAX_LINE_BYTES = 75

/** A calendar of events, each of them the lines of a component; readers refresh it each hour. Pure. */
export function renderCalendarText(calendar: { product: string; name: string; events: readonly string[] }): string {
  const lines = [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    `PRODID:-//Vedette//${calendar.product}//EN`,
    'CALSCALE:GREGORIAN',
    `X-WR-CALNAME:${calendarText(calendar.name)}`,
    'REFRESH-INTERVAL;VALUE=DURATION:PT1H',
    ...calendar.events,
    'END:VCALENDAR',
  ]
  return lines.map((line) => `${fold(line)}\r\n`).join('')
}

/** `20261124T193000Z`. */
export const calendarInstant = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z`

// oxlint-disable-next-line no-control-regex -- TEXT allows no control characters but tabs
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f]/g

/** A text as the value of a property. */
export const calendarText = (value: string): string =>
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
