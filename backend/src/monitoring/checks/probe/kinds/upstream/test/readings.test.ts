import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readDocument } from '../formats.ts'
import { LEVELS, outcomeOf } from '../reading.ts'

/** Small documents in the forms of providers, written after their public documentation. */
const NOW = Date.parse('2026-11-30T10:30:00Z')
const page = (name: string) => readFileSync(join(import.meta.dirname, 'pages', name), 'utf8')
const read = (name: string) => readDocument(page(name), NOW)
const NAMES = [
  'statuspage.json',
  'vedette.json',
  'instatus-summary.json',
  'instatus-components.json',
  'cstate.json',
  'sorry.json',
  'google-cloud.json',
  'aws.rss',
  'azure.rss',
  'history.atom',
  'generic.rss',
  'slack.json',
]

test.each<[string, string[], object]>([
  ['statuspage.json', [], { level: 'partial_outage', affected: ['Actions', 'Pages', 'Packages'] }],
  ['statuspage.json', ['Git Operations'], { level: 'operational', affected: [], incident: undefined }],
  ['statuspage.json', ['git  operations ', 'ACTIONS'], { level: 'partial_outage', incident: { name: 'Delayed starts of jobs' } }],
  ['statuspage.json', ['Pages'], { level: 'maintenance', incident: { name: 'Move of Pages' } }],
  ['statuspage.json', ['Packages'], { level: 'major_outage', affected: ['Packages'], incident: undefined }],
  ['statuspage.json', ['Codespaces'], { missing: ['Codespaces'] }],
  ['vedette.json', [], { level: 'operational', affected: ['Search'] }],
  ['vedette.json', ['Search'], { level: 'degraded' }],
  [
    'instatus-summary.json',
    [],
    { level: 'degraded', incident: { name: 'Mails are late', updatedAt: '2026-11-30T09:30:00.000Z' } },
  ],
  ['instatus-components.json', ['Sending'], { level: 'major_outage' }],
  ['instatus-components.json', ['Inbox', 'Search'], { level: 'maintenance' }],
  ['cstate.json', [], { level: 'degraded', incident: { name: 'Slow pictures' } }],
  ['cstate.json', ['API'], { level: 'operational', incident: undefined }],
  ['cstate.json', ['Mail'], { level: 'major_outage' }],
  ['sorry.json', [], { level: 'degraded', affected: ['Help Center', 'Reports'] }],
  ['sorry.json', ['Reports'], { level: 'maintenance' }],
  ['google-cloud.json', [], { level: 'partial_outage', incident: { name: 'Elevated latency of queries' } }],
  ['google-cloud.json', ['BigQuery'], { level: 'partial_outage' }],
  ['google-cloud.json', ['Compute Engine'], { level: 'operational', incident: undefined }],
  [
    'aws.rss',
    [],
    {
      level: 'major_outage',
      incident: { name: 'Service disruption: Increased Error Rates', updatedAt: '2026-11-30T09:30:00.000Z' },
    },
  ],
  ['azure.rss', [], { level: 'operational', incident: undefined }],
  ['history.atom', [], { level: 'degraded', incident: { name: 'Logins fail & retry', updatedAt: '2026-11-30T09:40:00.000Z' } }],
  ['generic.rss', [], { level: 'degraded', incident: { name: 'Mail is slow' } }],
  ['generic.rss', ['Network'], { level: 'maintenance' }],
  ['slack.json', [], { level: 'major_outage', incident: { name: 'Cannot send messages' } }],
  ['slack.json', ['Huddles'], { level: 'major_outage' }],
  ['slack.json', ['Search'], { level: 'operational', incident: undefined }],
])('%s with the components %j', (name, components, outcome) => {
  const reading = read(name)
  expect(reading).toBeDefined()
  expect(reading && outcomeOf(reading, components)).toMatchObject(outcome)
})

/** A feed with these items of this morning. */
const feedOf = (...items: [title: string, text: string][]) =>
  `<rss>${items
    .map(
      ([title, text]) =>
        `<item><title>${title}</title><pubDate>${new Date(NOW).toUTCString()}</pubDate><description>${text}</description></item>`,
    )
    .join('')}</rss>`

test.each([
  ['Introducing monitoring 2.0', 'Our monitoring is in progress of getting better, and the update is ongoing.'],
  ['How we handle outages', 'A scheduled look at what our teams do while they are identified as on call.'],
  ['Product update', 'New: investigating incidents is easier.'],
])('a post of a blog is no incident, and a feed of posts no status: %s', (title, text) => {
  expect(readDocument(feedOf([title, text]), NOW)).toBeUndefined()
  expect(readDocument(feedOf([title, text], ['Old', 'Resolved - It is over.']), NOW)?.incidents).toEqual([])
})

test.each([
  ['Slow pages', 'Investigating - We look into it.'],
  ['Slow pages', 'Nov 30, 09:40 UTC Identified - It is the cache.'],
  ['[Investigating] Slow pages', ''],
  ['Slow pages', 'We are currently investigating slow pages.'],
  ['Service degradation: Slow pages', 'More follows.'],
])('an item that says so is an incident: %s: %s', (title, text) => {
  expect(readDocument(feedOf([title, text]), NOW)?.incidents).toMatchObject([{ level: 'degraded' }])
})

test('an incident without news for two days is over', () => {
  expect(readDocument(page('history.atom'), NOW + 2 * 86_400_000)?.incidents).toEqual([])
  // A page whose clock is far ahead, or ours behind.
  expect(readDocument(page('history.atom'), NOW - 5 * 86_400_000)?.incidents).toEqual([])
})

describe('what is no status page', () => {
  test.each([
    '',
    '<!doctype html><html><head><title>Status</title></head></html>',
    '{}',
    '[]x',
    '{"status":"ok"}',
    '{"status":{"indicator":"new word"},"components":[]}',
    '{"page":{"status":"NEW"}}',
    '{"components":[]}',
    '{"components":[{"name":"a","status":"new word"}]}',
    '{"systems":[],"summaryStatus":"new"}',
    '[1,2]',
    '[]',
    '['.repeat(100_000),
  ])('%.60s', (text) => expect(readDocument(text, NOW)).toBeUndefined())
})

test('a component in a state that is not known is left out, and never down', () => {
  const text = page('statuspage.json').replace('"operational"', '"on_fire"')
  const reading = readDocument(text, NOW)
  expect(reading && outcomeOf(reading, ['Git Operations'])).toEqual({ missing: ['Git Operations'] })
})

test('no change of a document ends in an error, or in another form of answer', () => {
  const any = fc.constantFrom(...NAMES).chain((name) => {
    const text = page(name)
    return fc
      .array(fc.tuple(fc.nat(text.length - 1), fc.constantFrom('', '"', '{', ']', '<', '&#x', 'null', '\0', '9e999')), {
        maxLength: 5,
      })
      .map((changes) => changes.reduce((changed, [at, more]) => changed.slice(0, at) + more + changed.slice(at + 1), text))
  })
  fc.assert(
    fc.property(any, (text) => {
      const reading = readDocument(text, NOW)
      if (!reading) return
      const outcome = outcomeOf(reading, [])
      if ('missing' in outcome) throw new Error('nothing was chosen')
      expect(LEVELS).toContain(outcome.level)
      const times = reading.incidents.flatMap(({ updatedAt }) => updatedAt ?? [])
      expect(times.filter((time) => Number.isNaN(Date.parse(time)))).toEqual([])
    }),
    { numRuns: 1_000 },
  )
})

test('a large document is read in a moment', () => {
  const items = '<item><title>x'.repeat(60_000)
  const startedAt = performance.now()
  readDocument(`<rss>${items}`, NOW)
  readDocument(`<rss>${'<item><title>&amp;lt;'.repeat(20_000)}</title></item>`, NOW)
  readDocument(`<rss><item><title>${'<'.repeat(900_000)}</title></item>`, NOW)
  expect(performance.now() - startedAt).toBeLessThan(1_000)
})
