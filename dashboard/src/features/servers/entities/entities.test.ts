import { ENTITY_KIND_NAMES } from '@vedette/shared/tables'
import { describe, expect, it } from 'vitest'
import { chartsOf, isNamed, temperatureTone } from './charts.ts'
import { serverSearch, sortOf } from './search.ts'
import { kindsOf, shownTabs, TAB_KINDS, tabOf } from '../../../lib/entity-tabs.ts'

describe('the tabs of a server', () => {
  it('have each kind once', () => {
    expect(Object.values(TAB_KINDS).flat().toSorted()).toEqual(ENTITY_KIND_NAMES.toSorted())
    expect(kindsOf('overview')).toEqual([])
  })

  it('appear with their data, and where one is opened by its address', () => {
    const bare = { processes: [], metrics: null }
    expect(shownTabs(bare, {}, 'overview')).toEqual(['overview'])
    expect(shownTabs(bare, {}, 'containers')).toEqual(['overview', 'containers'])
    expect(shownTabs(bare, { unit: 1, gpu: 2, array: 1, metric: 3 }, 'overview')).toEqual([
      'overview',
      'services',
      'hardware',
      'storage',
      'metrics',
    ])
    expect(tabOf('nothing')).toBe('overview')
  })
})

describe('the address of a tab', () => {
  it('is read without what makes no sense', () => {
    const search = { q: 'web', kind: 'unit', gone: 'true', at: '1700000000000', entity: 'ent_1', page: '2', range: '6h' }
    expect(serverSearch(search)).toEqual({ ...search, gone: true, at: 1_700_000_000_000, page: 2 })
    expect(serverSearch({ q: '', kind: 'toString', gone: 'x', at: 'now', entity: '../x', page: '0', range: '9y' })).toEqual({})
  })

  it('sorts by what the kind has', () => {
    expect(['-cpu_percent', 'image', 'name', 'fan_rpm', undefined].map((sort) => sortOf('container', sort))).toEqual([
      '-cpu_percent',
      'image',
      'name',
      undefined,
      undefined,
    ])
  })
})

describe('the charts of an entity', () => {
  const series = (fields: Record<string, { avg: (number | null)[]; max: (number | null)[] }>) => ({
    step_seconds: 60,
    from: '2026-11-25T00:00:00.000Z',
    points: 2,
    fields,
  })
  it('put fields of one unit together, disk and network apart, and leave out what was never read', () => {
    const values = { avg: [1, 2], max: [3, 4] }
    const charts = chartsOf(
      'container',
      series({
        cpu_percent: values,
        memory_percent: values,
        memory_bytes: values,
        network_rx_bytes_per_sec: values,
        read_bytes_per_sec: values,
        restarts: values,
        exit_code: values,
        oom_kills: { avg: [null, null], max: [null, null] },
      }),
    )
    expect(charts.map(({ title, lines }) => [title, lines.map(({ label }) => label)])).toEqual([
      ['Usage', ['CPU', 'Memory usage']],
      ['Memory', ['Memory']],
      ['Network in', ['Network in']],
      ['Disk read', ['Disk read']],
      ['Restarts', ['Restarts']],
    ])
    // Counts are those of the worst reading.
    expect(charts.at(-1)?.lines[0]?.values).toEqual([3, 4])
  })
})

describe('a rule with a name', () => {
  const entity = { name: 'shop/web', attributes: { image: 'nginx:1.27' } }
  it.each([
    [undefined, true],
    ['shop/*', true],
    ['shop', false],
    ['nginx:*', true],
    ['shop.web', false],
    ['*', true],
  ])('%s', (name, isAbout) =>
    expect(isNamed(entity, { condition: { metric: 'm', operator: 'equals', value: 1, ...(name && { name }) } })).toBe(isAbout),
  )
})

describe('the colour of a temperature', () => {
  it.each([
    ['temperature_celsius', { temperature_celsius: 95, critical_celsius: 95 }, 'text-bad'],
    ['temperature_celsius', { temperature_celsius: 86, critical_celsius: 95 }, 'text-warn'],
    ['temperature_celsius', { temperature_celsius: 60, critical_celsius: 95 }, ''],
    ['temperature_celsius', { temperature_celsius: 120 }, ''],
    ['critical_celsius', { temperature_celsius: 95, critical_celsius: 95 }, ''],
  ])('%s of %j is %s', (field, values, tone) => {
    expect(temperatureTone(field, values).replace('font-semibold ', '')).toBe(tone)
  })
})
