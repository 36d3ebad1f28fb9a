import { DAY_MS } from '@vedette/shared'
import type { Level, PageIncident, Reading } from './reading.ts'

/** RSS 2.0 and Atom (RFC 4287), as far as status pages use them: the newest state of each incident. */

/** An incident without news for that time is over, though its feed does not say so. */
const OPEN_MS = 2 * DAY_MS
const MAX_ITEMS = 100
const MAX_TEXT_LENGTH = 4_000
const MAX_NAME_LENGTH = 300

const CLOSED = /\b(?:resolved|completed|closed|operating normally|recovered|restored|postmortem|mitigated)\b/i
const OPEN = /\b(?:investigating|identified|monitoring|update|in progress|verifying|ongoing|scheduled)\b/i
const STATE = '(?:investigating|identified|monitoring|verifying|in progress|ongoing|scheduled)'
/** How news of an incident begin: `Identified.`, `[Monitoring]`, `Nov 30, 09:40 UTC Investigating - We look into it.` */
const LABEL = new RegExp(
  `(?:^|[[(]|\\b(?:UTC|GMT|[AP]M|[A-Z][SD]T) )\\s*${STATE}\\b\\s*(?:$|[-–—:.\\])]|since\\b)|\\b${STATE} [-–—] `,
  'i',
)
const INVESTIGATED =
  /\b(?:are|is) (?:currently |actively |still )?investigating\b|\binvestigating (?:reports|increased|elevated|an issue|issues)\b/i
const MAINTENANCE = /\b(?:maintenance|scheduled)\b/i
/** Of AWS, before the title. */
const DISRUPTION = /^service disruption\b/i
const DEGRADATION = /^(?:service|performance) (?:degradation|issues?)\b/i
const INFORMATIONAL = /^informational message\b/i

/** Undefined for a document that is no feed, and for one without a word on incidents, as of a blog. Pure; the time grows as the length. */
export function readFeed(text: string, nowMs: number): Reading | undefined {
  const root = /<(rss|feed|rdf:RDF)[\s>]/i.exec(text.slice(0, 2_000))?.[1]?.toLowerCase()
  if (root === undefined) return undefined
  const tag = root === 'feed' ? 'entry' : 'item'
  const items = elementsOf(text, tag, MAX_ITEMS)
  const head = text.slice(0, items[0]?.at ?? text.length)
  const entries = items.map(({ inner }) => entryOf(inner))
  if (entries.length > 0 && !entries.some((entry) => isOnIncident(entry) || isClosed(entry))) return undefined
  const incidents = entries.flatMap((entry) => incidentOf(entry, nowMs))
  return {
    components: [],
    incidents,
    isComplete: false,
    updatedAt: incidents[0]?.updatedAt ?? timeIn(head),
  }
}

interface Entry {
  name: string
  said: string
  updatedAt: string | undefined
  components: string[]
}

const entryOf = (item: string): Entry => ({
  name: plain(valueOf(item, 'title')),
  said: plain(
    valueOf(item, 'content') || valueOf(item, 'content:encoded') || valueOf(item, 'description') || valueOf(item, 'summary'),
  ),
  updatedAt: timeIn(item),
  components: elementsOf(item, 'category', MAX_ITEMS).map(({ inner }) => plain(inner)),
})

/** Whether it says that something is wrong, or was: words that any text may have do not count. */
const isOnIncident = ({ name, said }: Entry): boolean =>
  DISRUPTION.test(name) || DEGRADATION.test(name) || [name, said].some((text) => LABEL.test(text) || INVESTIGATED.test(text))

const isClosed = ({ name, said }: Entry): boolean => CLOSED.test(name) || INFORMATIONAL.test(name) || isOver(said)

function incidentOf(entry: Entry, nowMs: number): PageIncident[] {
  const { name, said, updatedAt, components } = entry
  const isRecent = updatedAt !== undefined && Date.parse(updatedAt) > nowMs - OPEN_MS && Date.parse(updatedAt) < nowMs + DAY_MS
  if (name === '' || !isRecent || isClosed(entry) || !isOnIncident(entry)) return []
  return [
    {
      name: name.slice(0, MAX_NAME_LENGTH),
      level: levelOf(`${name} ${said.slice(0, 200)}`, name),
      updatedAt,
      ...(components.length > 0 && { components }),
    },
  ]
}

/** The newest word on an incident comes first. */
function isOver(said: string): boolean {
  const closed = said.search(CLOSED)
  const open = said.search(OPEN)
  return closed !== -1 && (open === -1 || closed < open)
}

const levelOf = (text: string, name: string): Level =>
  DISRUPTION.test(name) ? 'major_outage' : MAINTENANCE.test(text) ? 'maintenance' : 'degraded'

/** The contents of elements, without nesting of the same name. */
function elementsOf(text: string, name: string, most: number): { at: number; inner: string }[] {
  const found: { at: number; inner: string }[] = []
  const [open, close] = [`<${name}`, `</${name}>`]
  let from = 0
  while (found.length < most) {
    const at = text.indexOf(open, from)
    const start = at === -1 ? -1 : text.indexOf('>', at)
    if (start === -1) return found
    from = start + 1
    if (!/[\s>/]/.test(text[at + open.length] ?? '') || text[start - 1] === '/') continue
    const end = text.indexOf(close, from)
    if (end === -1) return found
    found.push({ at, inner: text.slice(from, end) })
    from = end + close.length
  }
  return found
}

const valueOf = (text: string, name: string): string => elementsOf(text, name, 1)[0]?.inner.slice(0, MAX_TEXT_LENGTH) ?? ''

function timeIn(item: string): string | undefined {
  const text = ['updated', 'pubDate', 'published', 'dc:date', 'lastBuildDate']
    .map((name) => valueOf(item, name).trim())
    .find((value) => value !== '')
  const ms = Date.parse((text ?? '').replace(/\bPDT$/, '-0700').replace(/\bPST$/, '-0800'))
  return Number.isFinite(ms) ? new Date(ms).toISOString() : undefined
}

const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'", nbsp: ' ' }

const decoded = (text: string): string =>
  text.replaceAll(/&(?:#(\d{1,6})|#x([0-9a-f]{1,5})|([a-z]+));/gi, (whole, decimal?: string, hex?: string, name?: string) => {
    if (name !== undefined) return Object.hasOwn(ENTITIES, name.toLowerCase()) ? (ENTITIES[name.toLowerCase()] ?? whole) : whole
    const code = decimal === undefined ? Number.parseInt(hex ?? '0', 16) : Number(decimal)
    return code <= 0x10ffff ? String.fromCodePoint(code) : ''
  })

/** Without CDATA, entities and the markup that they hide. */
function plain(text: string): string {
  const whole = text.replace(/^\s*<!\[CDATA\[([\s\S]*)\]\]>\s*$/, '$1')
  return decoded(decoded(whole).replaceAll(/<[^<>]{0,500}>/g, ' '))
    .replaceAll(/\s+/g, ' ')
    .trim()
}
