import { Type } from 'typebox'
import { Value } from 'typebox/value'
import { describe, expect, it } from 'vitest'
import { areParsersMissing, parseByPython } from '../../../../test/peer-parser.ts'
import type { PageModel } from '../reading/model.ts'
import { findView } from '../public/views.ts'
import { AT, CONTEXT, MAIL, maintenanceOf, modelOf, NASTY, POST_UUID, postOf, SHOP } from './model-fixture.ts'

function render(path: string, model: PageModel = modelOf(), context = CONTEXT): string {
  const view = findView(model, path)
  if (!view) throw new Error(`no view at ${path}`)
  return view(model, context).body
}

const READABLE = NASTY.replace('\u0007', '')
const iso = (ms: number) => new Date(ms).toISOString()

interface Feed {
  bozo: boolean
  version: string
  feed: { id?: string; title: string; link: string; updated: string; subtitle: string; links: { rel: string; href: string }[] }
  entries: { id: string; title: string; link: string; updated: string; published?: string; summary: string }[]
}
const FEED = `import feedparser
parsed = feedparser.parse(data)
result = {"bozo": bool(parsed.bozo), "version": parsed.version, "feed": parsed.feed, "entries": parsed.entries}`
const parseFeed = (text: string) => parseByPython(FEED, text) as Feed

describe.skipIf(areParsersMissing())('read by feedparser and icalendar of Debian, a page', () => {
  it.each([
    ['/feed.atom', 'atom10'],
    ['/feed.rss', 'rss20'],
  ])('%s is a feed of its posts, newest change first, with stable ids and absolute links', (path, version) => {
    const old = postOf({ title: 'Over', status: 'resolved', updatedAtMs: AT - 900_000, resolvedAtMs: AT - 900_000 })
    const feed = parseFeed(render(path, modelOf({ posts: [postOf({ title: NASTY }), old, maintenanceOf()] })))
    expect([feed.bozo, feed.version, feed.feed.title]).toEqual([false, version, 'Acme & Söhne'])
    expect(feed.feed.link).toBe('https://status.example.com')
    expect(feed.feed.links.find(({ rel }) => rel === 'self')?.href).toBe(`https://status.example.com${path}`)
    expect(feed.entries.map(({ title }) => title.slice(0, 6))).toEqual(['Ümlaut', 'Ümlaut', 'Over'])
    const [entry] = feed.entries
    expect(entry?.id).toBe(`urn:uuid:${POST_UUID}`)
    expect(entry?.title.replaceAll(/\s+/g, ' ')).toBe(READABLE.replaceAll(/\s+/g, ' '))
    expect(entry?.link).toBe(`https://status.example.com/history/2026-11#${postOf().id}`)
    expect(Date.parse(entry?.updated ?? entry?.published ?? '')).toBe(AT - 600_000)
    expect(entry?.summary).toContain('We look into it.')
    // The script of the text is text.
    expect(entry?.summary).toMatch(/&lt;script&gt;/)
  })

  it('without posts is a valid feed that changes once a day [STATUS-28]', () => {
    const of = (readAtMs: number) => render('/feed.atom', modelOf({ posts: [], readAtMs }))
    expect(parseFeed(of(AT))).toMatchObject({
      bozo: false,
      entries: [],
      feed: { updated: '2026-11-24T00:00:00.000Z' },
    })
    expect(of(AT + 60_000)).toBe(of(AT))
  })

  it('/maintenance.ics is a calendar of its maintenance, in UTC [STATUS-29]', () => {
    const text = render('/maintenance.ics')
    const script = `import icalendar
result = [{name: part[name].dt if hasattr(part[name], "dt") else part[name] for name in part} for part in icalendar.Calendar.from_ical(data).walk("VEVENT")]`
    const later = maintenanceOf({ updatedAtMs: AT, status: 'completed', resolvedAtMs: AT })
    const parse = (body: string) => parseByPython(script, body)
    expect(parse(text)).toEqual([
      {
        UID: maintenanceOf().id,
        DTSTAMP: '2026-11-24T19:20:00+00:00',
        CREATED: '2026-11-24T18:30:00+00:00',
        'LAST-MODIFIED': '2026-11-24T19:20:00+00:00',
        SEQUENCE: 3_000,
        DTSTART: '2026-11-25T19:30:00+00:00',
        DTEND: '2026-11-25T20:30:00+00:00',
        STATUS: 'CONFIRMED',
        SUMMARY: READABLE,
        DESCRIPTION: 'Affects: Shop\n\nNew disks,\n\nthen a restart; 10 minutes',
        URL: `https://status.example.com/history/2026-11#${maintenanceOf().id}`,
        TRANSP: 'TRANSPARENT',
      },
    ])
    // Ended before it began.
    expect(parse(render('/maintenance.ics', modelOf({ posts: [later] })))).toMatchObject([
      { UID: later.id, SEQUENCE: 3_600, STATUS: 'CANCELLED', DTEND: '2026-11-25T20:30:00+00:00' },
    ])
    const early = maintenanceOf({ startsAtMs: AT - 60_000, resolvedAtMs: AT, status: 'completed' })
    expect(parse(render('/maintenance.ics', modelOf({ posts: [early] })))).toMatchObject([{ DTEND: '2026-11-24T19:30:00+00:00' }])
  })
})

describe('the calendar', () => {
  it('ends its lines with CRLF and folds them at 75 octets, never within a character [STATUS-30]', () => {
    const lines = render('/maintenance.ics').split('\r\n')
    expect(lines.join('')).not.toMatch(/[\r\n]/)
    for (const line of lines) expect(Buffer.byteLength(line)).toBeLessThanOrEqual(75)
    expect(lines.some((line) => line.startsWith(' '))).toBe(true)
    expect(lines.join('\r\n')).not.toContain('\ufffd')
  })
})

describe('a page with a key', () => {
  it('has it in the links of its feeds, its calendar and its documents [STATUS-31]', () => {
    const context = { ...CONTEXT, url: 'https://vedette.example.com/status/acme', query: '?key=abc' }
    for (const path of ['/feed.atom', '/feed.rss', '/api/v2/incidents.json'])
      expect(render(path, modelOf(), context)).toContain(
        `https://vedette.example.com/status/acme/history/2026-11?key=abc#${postOf().id}`,
      )
    // A month that has not begun has no history.
    const model = modelOf({ posts: [maintenanceOf({ startsAtMs: AT + 20 * 86_400_000 })] })
    expect(render('/maintenance.ics', model, context).replaceAll('\r\n ', '')).toContain('/status/acme?key=abc#')
  })
})

// The fields of https://metastatuspage.com/api, which is Atlassian's own page and documentation of the public API.
const instant = Type.String({ pattern: String.raw`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$` })
const instantOrNull = Type.Union([instant, Type.Null()])
const Page = Type.Object({
  id: Type.String(),
  name: Type.String(),
  url: Type.String(),
  time_zone: Type.String(),
  updated_at: instant,
})
const Status = Type.Object({
  indicator: Type.Enum(['none', 'minor', 'major', 'critical', 'maintenance']),
  description: Type.String(),
})
const Component = Type.Object({
  id: Type.String(),
  name: Type.String(),
  status: Type.Enum(['operational', 'degraded_performance', 'partial_outage', 'major_outage', 'under_maintenance']),
  created_at: instant,
  updated_at: instant,
  position: Type.Integer({ minimum: 1 }),
  description: Type.Union([Type.String(), Type.Null()]),
  showcase: Type.Boolean(),
  start_date: Type.Null(),
  group_id: Type.Union([Type.String(), Type.Null()]),
  page_id: Type.String(),
  group: Type.Boolean(),
  only_show_if_degraded: Type.Boolean(),
  components: Type.Optional(Type.Array(Type.String())),
})
const post = (statuses: string[], impacts: string[], more: object) =>
  Type.Object({
    id: Type.String(),
    name: Type.String(),
    status: Type.Enum(statuses),
    created_at: instant,
    updated_at: instant,
    monitoring_at: instantOrNull,
    resolved_at: instantOrNull,
    impact: Type.Enum(impacts),
    shortlink: Type.String({ pattern: '^https://' }),
    started_at: instant,
    page_id: Type.String(),
    incident_updates: Type.Array(
      Type.Object({
        id: Type.String(),
        status: Type.Enum(statuses),
        body: Type.String(),
        incident_id: Type.String(),
        created_at: instant,
        updated_at: instant,
        display_at: instant,
        affected_components: Type.Null(),
        custom_tweet: Type.Null(),
        tweet_id: Type.Null(),
      }),
    ),
    components: Type.Array(Component),
    ...more,
  })
const Incident = post(['investigating', 'identified', 'monitoring', 'resolved'], ['none', 'minor', 'major', 'critical'], {})
const Maintenance = post(['scheduled', 'in_progress', 'completed'], ['maintenance'], {
  scheduled_for: instant,
  scheduled_until: instantOrNull,
})
const [components, incidents, maintenances] = [Type.Array(Component), Type.Array(Incident), Type.Array(Maintenance)]
const DOCUMENTS = {
  '/api/v2/summary.json': { status: Status, components, incidents, scheduled_maintenances: maintenances },
  '/api/v2/status.json': { status: Status },
  '/api/v2/components.json': { components },
  '/api/v2/incidents.json': { incidents },
  '/api/v2/incidents/unresolved.json': { incidents },
  '/api/v2/scheduled-maintenances.json': { scheduled_maintenances: maintenances },
  '/api/v2/scheduled-maintenances/upcoming.json': { scheduled_maintenances: maintenances },
  '/api/v2/scheduled-maintenances/active.json': { scheduled_maintenances: maintenances },
}

describe("the documents in Statuspage's shape", () => {
  it.each(Object.entries(DOCUMENTS))('%s has the documented fields', (path, fields) => {
    const body: unknown = JSON.parse(render(path))
    const schema = Type.Object({ page: Page, ...fields }, { additionalProperties: false })
    expect([...Value.Errors(schema, body)]).toEqual([])
  })

  it('say the status of the page, of sections as groups, and of components [STATUS-32]', () => {
    const summary = JSON.parse(render('/api/v2/summary.json'))
    expect(summary.page).toEqual({
      id: modelOf().id,
      name: 'Acme & Söhne',
      url: 'https://status.example.com',
      time_zone: 'Europe/Berlin',
      updated_at: iso(AT),
    })
    expect(summary.status).toEqual({ indicator: 'major', description: 'Partial outage' })
    expect(summary.components).toMatchObject([
      { id: 'group-1', name: 'Services', group: true, status: 'partial_outage', components: [SHOP, MAIL] },
      { id: SHOP, name: 'Shop', group_id: 'group-1', status: 'major_outage', description: null },
      { id: MAIL, name: 'Mail', group_id: 'group-1', status: 'operational', description: 'Not monitored' },
    ])
    expect(summary.incidents).toMatchObject([{ name: 'Orders fail', impact: 'major', components: [{ id: SHOP }] }])
    expect(summary.scheduled_maintenances).toMatchObject([{ status: 'scheduled', scheduled_for: iso(AT + 86_400_000) }])
  })

  it('leave what is over out of the summary, and keep it in the lists [STATUS-33]', () => {
    const posts = [postOf({ status: 'resolved', resolvedAtMs: AT }), maintenanceOf({ status: 'completed', resolvedAtMs: AT })]
    const of = (path: string) => JSON.parse(render(path, modelOf({ posts })))
    expect(of('/api/v2/summary.json')).toMatchObject({ incidents: [], scheduled_maintenances: [] })
    expect(of('/api/v2/incidents/unresolved.json').incidents).toEqual([])
    expect(of('/api/v2/incidents.json').incidents).toHaveLength(1)
    expect(of('/api/v2/scheduled-maintenances.json').scheduled_maintenances).toHaveLength(1)
    expect(of('/api/v2/scheduled-maintenances/upcoming.json').scheduled_maintenances).toEqual([])
  })
})
