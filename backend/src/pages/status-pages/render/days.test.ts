import { DAY_MS } from '@vedette/shared'
import { describe, expect, it } from 'vitest'
import { AT, maintenanceOf, modelOf, postOf, SHOP } from '../test/model-fixture.ts'
import { sectionsHtml } from './components.ts'
import { notableDays, dayMessage } from './days.ts'
import { boundedHundredths, formatsOf } from './formats.ts'

const english = formatsOf({ language: 'en', timeZone: 'UTC' })
const calm = (): (number | null)[] => Array.from({ length: 90 }, () => 100)

it.each([
  [100, 100],
  [99.9999, 99.99],
  [99.996, 99.99],
  [99.994, 99.99],
  [98.5915, 98.59],
  [0.0001, 0.01],
  [0, 0],
])('%d percent is written as %d', (percent, written) => {
  expect(boundedHundredths(percent)).toBe(written)
})

it.each([
  [100, 0, '100 % uptime'],
  [99.93, 0, '99.93 % uptime, single checks failed'],
  [99.93, undefined, '99.93 % uptime'],
  [98.4, 20, '98.4 % uptime, down for 1 minute'],
  [98.4, 1_380, '98.4 % uptime, down for 23 minutes'],
  [50, 43_200, '50 % uptime, down for 12 hours'],
  [50, 43_260, '50 % uptime, down for 12 hours 1 minute'],
])('a day of %d percent and %s seconds is: %s', (percent, seconds, words) => {
  expect(dayMessage(percent, seconds, english)).toBe(words)
})

describe('the days on which something happened', () => {
  const of = (days: (number | null)[], posts = modelOf().posts) => notableDays({ id: SHOP, days }, posts, AT)

  it('are those below 100 percent and those on which a post about the component began, newest first', () => {
    const days = calm()
    days[40] = 99
    days[10] = null
    const older = postOf({ id: 'older', startsAtMs: AT - 3 * DAY_MS, resolvedAtMs: AT - 2 * DAY_MS })
    expect(of(days, [older]).map(({ index, posts }) => [index, posts.length])).toEqual([
      [86, 1],
      [40, 0],
    ])
    days[87] = 98
    expect(of(days, [older]).map(({ index, posts }) => [index, posts.length])).toEqual([
      [87, 1],
      [86, 1],
      [40, 0],
    ])
  })

  it('have posts about the whole page, and none about other components or of the future', () => {
    const elsewhere = postOf({ components: ['mon_other'] })
    expect(of(calm(), [elsewhere, maintenanceOf()])).toEqual([])
    expect(of(calm(), [postOf({ components: [] })])).toHaveLength(1)
  })

  it('are at most 30', () => {
    expect(of(calm().map(() => 99))).toHaveLength(30)
  })
})

describe('the sections of a page', () => {
  const [, mail] = modelOf().sections[0]?.components ?? []
  const page = (count: number, wrong: readonly number[] = []) => {
    const components = Array.from({ length: count }, (_, index) => ({
      ...(mail as NonNullable<typeof mail>),
      id: `mon_${index}`,
      name: `Service ${index}`,
      status: wrong.includes(index) ? ('down' as const) : ('operational' as const),
    }))
    return sectionsHtml(modelOf({ sections: [{ name: 'All', components }], posts: [] }), english, () => '')
  }
  const namesIn = (html: string) => [...html.matchAll(/<h3[^>]*>([^<]*)/g)].map(([, name]) => name)

  it('are folded above 20 components, and open where something is wrong, which comes first', () => {
    expect(page(20).join('')).not.toContain('class="grp"')
    const [search, calmGroup = ''] = page(21)
    expect(search).toContain('type="search"')
    expect(calmGroup).toContain('<details class="grp" id="g0"><summary>')
    const [, open = ''] = page(21, [7])
    expect(open).toContain('<details class="grp" id="g0" open>')
    expect(open).toContain('1 of 21: Down')
    expect(open).toContain('20 more')
    expect(namesIn(open).slice(0, 2)).toEqual(['Service 7', 'Service 0'])
  })

  it('show five components of a group before a second click, however many are wrong', () => {
    const [, html = ''] = page(
      46,
      Array.from({ length: 46 }, (_, index) => index),
    )
    expect(namesIn(html.slice(0, html.indexOf('id="m0"')))).toHaveLength(5)
    expect(namesIn(html)).toHaveLength(46)
  })
})
