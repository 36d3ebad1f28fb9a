import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { DAY_MS } from '@vedette/shared'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readDocument } from '../formats.ts'
import { bytesOf, type FoundPage, KeptPages, MAX_KEPT_BYTES, MAX_PAGE_BYTES, UNUSED_MS } from '../kept-pages.ts'

const NOW = Date.parse('2026-11-30T10:30:00Z')
const pageOf = (components: number, nameLength = 20): FoundPage => ({
  place: 'api/v2/summary.json',
  etag: '"1"',
  reading: {
    components: Array.from({ length: components }, (_, index) => ({
      name: `${index}`.padEnd(nameLength, 'x'),
      level: 'operational',
    })),
    incidents: [],
    isComplete: true,
  },
})
function heapUsed(): number {
  setFlagsFromString('--expose-gc')
  const collect: unknown = runInNewContext('gc')
  if (typeof collect === 'function') collect()
  return process.memoryUsage().heapUsed
}

const urlOf = (index: number) => `https://status-${index}.test true `

/** Reads pages in turn, as monitors do: how many of each round were kept. */
function foundInRounds(kept: KeptPages, pages: number, rounds: number, pageOfIndex: (index: number) => FoundPage): number[] {
  return Array.from({ length: rounds }, () => {
    let found = 0
    for (let index = 0; index < pages; index++) {
      const known = kept.find(urlOf(index), NOW)
      if (known) found += 1
      kept.keep(urlOf(index), known ?? pageOfIndex(index), NOW)
    }
    return found
  })
}

test.each([501, 5_000])('of %i pages of thirty components that are read in turn, all are found again', (pages) => {
  const page = pageOf(30)
  expect(foundInRounds(new KeptPages(), pages, 2, () => page)).toEqual([0, pages])
})

test('more pages than there is room for, read in turn, leave as many to find as there is room for', () => {
  const page = pageOf(30)
  const kept = new KeptPages(100 * bytesOf(urlOf(10), page))
  expect(foundInRounds(kept, 150, 3, () => page)).toEqual([0, 100, 100])
})

test('there is room for 512 of the largest pages that are kept', () => {
  const components = Array.from({ length: 2_000 }).findIndex((_, index) => bytesOf(urlOf(1), pageOf(index)) > MAX_PAGE_BYTES)
  const [largest, larger] = [pageOf(components - 1), pageOf(components)]
  const kept = new KeptPages()
  kept.keep(urlOf(1), larger, NOW)
  expect([kept.find(urlOf(1), NOW), kept.bytes]).toEqual([undefined, 0])
  expect(foundInRounds(kept, 512, 2, () => largest)[1]).toBe(512)
  expect(MAX_KEPT_BYTES / MAX_PAGE_BYTES).toBe(512)
})

test('incidents and the components that they name count as components do', () => {
  const page = pageOf(0)
  const incident = { name: 'x'.repeat(20), level: 'degraded', components: ['y'.repeat(20), 'z'.repeat(20)] } as const
  const withIncident = { ...page, reading: { ...page.reading, incidents: [incident] } }
  expect(bytesOf('', withIncident)).toBe(bytesOf('', pageOf(3)))
})

test.each([0, 1, 30, 500])('the pages of %i components take no more memory than is counted', (components) => {
  const kept = new KeptPages()
  const heapBefore = heapUsed()
  for (let index = 0; index < 400; index++) {
    const page = pageOf(components)
    // Each text of its own, outside of Latin: two bytes a character.
    const own = page.reading.components.map(({ name, level }) => ({ name: `${name.slice(0, 10)}\u0416${index}`, level }))
    kept.keep(urlOf(index), { ...page, reading: { ...page.reading, components: own } }, NOW)
  }
  const taken = heapUsed() - heapBefore
  // What else the process does meanwhile.
  expect(taken).toBeLessThan(kept.bytes + 500_000)
  expect(kept.find(urlOf(0), NOW)).toBeDefined()
})

test('a page that no check read for two days gives way to another', () => {
  const page = pageOf(30)
  const kept = new KeptPages(2 * bytesOf('a', page))
  for (const key of ['a', 'b']) kept.keep(key, page, NOW)
  kept.find('b', NOW + DAY_MS)
  kept.keep('c', page, NOW + UNUSED_MS - 1)
  expect(kept.find('c', NOW)).toBeUndefined()
  kept.keep('c', page, NOW + UNUSED_MS)
  expect(['a', 'b', 'c'].map((key) => kept.find(key, NOW + UNUSED_MS) !== undefined)).toEqual([false, true, true])
})

test('of a feed no more is kept than its incidents, and not its document', () => {
  const item = '<item><title>Service disruption: EC2</title><pubDate>Mon, 30 Nov 2026 10:00:00 GMT</pubDate></item>'
  const kept = new KeptPages()
  const heapBefore = heapUsed()
  for (let index = 0; index < 50; index++) {
    const reading = readDocument(`<rss>${item}<item>${'x'.repeat(1_000_000)}${index}</item></rss>`, NOW)
    if (!reading) throw new Error('the feed was not read')
    expect(reading.incidents).toHaveLength(1)
    kept.keep(urlOf(index), { place: 'feed', etag: undefined, reading }, NOW)
  }
  expect(heapUsed() - heapBefore).toBeLessThan(20_000_000)
  expect(kept.find(urlOf(49), NOW)?.reading.incidents[0]?.name).toBe('Service disruption: EC2')
})

test('whatever is kept and removed, the bound holds, and a page is found as it was kept last', () => {
  const steps = fc.array(
    fc.record({ key: fc.nat(9).map(urlOf), components: fc.nat(60), removes: fc.boolean(), days: fc.nat(3) }),
    { maxLength: 60 },
  )
  fc.assert(
    fc.property(steps, (all) => {
      const kept = new KeptPages(20_000)
      const last = new Map<string, FoundPage>()
      let nowMs = NOW
      for (const { key, components, removes, days } of all) {
        nowMs += days * DAY_MS
        const page = pageOf(components)
        if (removes) kept.remove(key)
        else kept.keep(key, page, nowMs)
        last.set(key, page)
        expect(kept.bytes).toBeLessThanOrEqual(20_000)
        expect(removes && kept.find(key, nowMs) !== undefined).toBe(false)
        const found = [...last.keys()].flatMap((one) => {
          const page = kept.find(one, nowMs)
          return page ? [[one, page] as const] : []
        })
        for (const [one, page] of found) expect(page).toEqual(last.get(one))
        expect(kept.bytes).toBe(found.reduce((sum, [one, page]) => sum + bytesOf(one, page), 0))
      }
    }),
    { numRuns: 200 },
  )
})
