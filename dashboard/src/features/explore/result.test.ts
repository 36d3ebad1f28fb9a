import { describe, expect, it } from 'vitest'
import { columnsOf, faultOf, legendOf, linesOf, namesLike, rowsOf, seriesName, sortedRows, stepsOf, VALUE } from './result.ts'
import { exploreSearch, ruleLink } from './search.ts'

const HOUR = 3_600_000
const NOW = Date.UTC(2026, 0, 2, 3, 4, 5)

describe('the answer to a query', () => {
  it.each([
    [{ period: '15m' }, 15, 60],
    [{ period: '1h' }, 15, 240],
    [{ period: '24h' }, 600, 144],
    [{ period: '30d' }, 10_800, 240],
    [{ period: '400d' }, 172_800, 200],
    [{ from: NOW - 100 * HOUR, to: NOW }, 1_800, 200],
  ] as const)('over %j has steps of %d s, %d at most, at round times', (range, step, most) => {
    const { fromMs, toMs, stepSeconds } = stepsOf(range, NOW)
    expect(stepSeconds).toBe(step)
    expect([fromMs % (step * 1_000), toMs % (step * 1_000)]).toEqual([0, 0])
    expect((toMs - fromMs) / 1_000 / step).toBeLessThanOrEqual(most)
    expect(toMs).toBeLessThanOrEqual(NOW)
  })

  it('has a gap where there is no sample, and where a value is no number', () => {
    const steps = { fromMs: 0, toMs: 60_000, stepSeconds: 15 }
    const values = [
      [15, '1.5'],
      [30, 'NaN'],
      [45, '+Inf'],
      [60, '-2'],
    ] as const
    const [line] = linesOf({ resultType: 'matrix', result: [{ metric: {}, values }] }, steps, 'a + b')
    expect(line).toEqual({ label: 'a + b', color: 1, values: [null, 1.5, null, null, -2] })
  })

  it('has 50 lines at most, dashed where their colour has been used', () => {
    const result = Array.from({ length: 60 }, (_, index) => ({ metric: { n: String(index) }, values: [] }))
    const lines = linesOf({ resultType: 'matrix', result }, { fromMs: 0, toMs: 0, stepSeconds: 15 }, 'a')
    expect(lines).toHaveLength(50)
    expect([lines[0]?.dashed, lines[6]?.dashed, lines[12]?.dashed]).toEqual([undefined, true, undefined])
  })

  it.each([
    [[{ __name__: 'a', x: '1' }], ['a{x="1"}']],
    [[{}], ['']],
    [
      [
        { __name__: 'a', x: '1' },
        { __name__: 'a', x: '2' },
      ],
      ['1', '2'],
    ],
    [
      [
        { instance: 'web', server_id: 'srv_1' },
        { instance: 'db', server_id: 'srv_2' },
      ],
      ['web', 'db'],
    ],
    [
      [
        { instance: 'web', server_id: 'srv_1' },
        { instance: 'web', server_id: 'srv_2' },
      ],
      ['srv_1', 'srv_2'],
    ],
    [
      [
        { instance: 'web', mount: '/' },
        { instance: 'db', mount: '/' },
        { instance: 'db', mount: '/x' },
      ],
      ['instance=web, mount=/', 'instance=db, mount=/', 'instance=db, mount=/x'],
    ],
    [
      [{ x: '1' }, {}],
      ['1', ''],
    ],
  ])('has for the series %j the labels %j', (all, expected) =>
    expect(legendOf(all as Record<string, string>[])).toEqual(expected),
  )

  it('has a column for each label that differs, the name first and ids last', () => {
    const rows = [
      { labels: { server_id: 's1', instance: 'a', __name__: 'm', region: 'eu' }, value: '1' },
      { labels: { server_id: 's2', instance: 'b', __name__: 'n', region: 'eu' }, value: '2' },
    ]
    expect(columnsOf(rows)).toEqual({ columns: ['__name__', 'instance', 'server_id'], common: { region: 'eu' } })
    expect(columnsOf(rows.slice(0, 1)).common).toEqual({})
    expect(columnsOf([])).toEqual({ columns: [], common: {} })
  })

  it.each([
    [VALUE, ['NaN', '-Inf', '2', '10', '+Inf']],
    [`-${VALUE}`, ['+Inf', '10', '2', '-Inf', 'NaN']],
    ['host', ['2', '10', 'NaN', '+Inf', '-Inf']],
    [undefined, ['10', '2', '+Inf', 'NaN', '-Inf']],
  ])('is sorted by %s', (sort, expected) => {
    const values = ['10', '2', '+Inf', 'NaN', '-Inf']
    const hosts = ['web-2', 'web-1', 'web-11', 'web-10', 'web-12']
    const rows = values.map((value, index) => ({ labels: { host: hosts[index] ?? '' }, value }))
    expect(sortedRows(rows, sort).map(({ value }) => value)).toEqual(expected)
  })

  it('is a row for a number and for a text, and the last value of a range', () => {
    expect(rowsOf({ resultType: 'scalar', result: [0, '3'] })).toEqual([{ labels: {}, value: '3' }])
    const values = [
      [0, '1'],
      [1, '2'],
    ] as const
    expect(rowsOf({ resultType: 'matrix', result: [{ metric: { a: 'b' }, values }] })).toEqual([
      { labels: { a: 'b' }, value: '2' },
    ])
  })

  it('names what begins alike, the most alike first', () => {
    const names = ['vedette_cpu_cores', 'vedette_cpu_percent', 'vedette_check_degraded', 'node_load1']
    expect(namesLike('vedette_cpu_percents', names)).toEqual(['vedette_cpu_percent', 'vedette_cpu_cores'])
    expect(namesLike('up', names)).toEqual([])
  })

  it('says where a fault is, if the API does', () => {
    const at = { line: 2, column: 3, before: 'b ', rest: '+' }
    expect(faultOf('2:3: parse error: unexpected end', 'a\nb +')).toEqual({ message: 'unexpected end', at })
    expect(faultOf('the query needs more than 256 MiB', 'a')).toEqual({ message: 'the query needs more than 256 MiB' })
  })

  it('is in the address, with a link to the editor of rules', () => {
    const search = { query: 'a{b="c"}', range: '6h', sort: '-=', other: 'x' }
    expect(exploreSearch(search)).toEqual({ query: 'a{b="c"}', range: '6h', sort: '-=' })
    expect(exploreSearch({ query: ' ', range: 'never' })).toEqual({})
    expect(ruleLink('a > 1')).toEqual({ to: '/alerts/rules/add', search: { metric: 'promql', expression: 'a > 1' } })
    expect(seriesName({ __name__: 'a', b: 'say "c"' })).toBe('a{b="say \\"c\\""}')
  })
})
