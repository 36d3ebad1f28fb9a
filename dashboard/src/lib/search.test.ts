import { describe, expect, it } from 'vitest'
import { parseSearch, stringifySearch } from './search.ts'
import { isFiltered, listSearch, nextSort } from './list-search.ts'
import { rangeOf, rangeQuery, rangeSearch, refreshMs, SERVER_PERIODS } from './range.ts'

const servers = (query: string) => listSearch(parseSearch(query), ['online', 'offline'], ['name', 'cpu'])
const range = (query: string) => rangeSearch(parseSearch(query), SERVER_PERIODS)

describe('the URL of a list', () => {
  it.each(['', '?q=web+1', '?status=offline&tag=a&tag=b&sort=-cpu&page=3', '?q=12', '?q=%22%26%3D%C3%A4'])(
    '%s is the same after parsing and writing',
    (query) => {
      expect(stringifySearch({ ...servers(query) })).toBe(query)
    },
  )

  it.each(['?status=gone', '?sort=-shoe', '?page=0', '?page=1', '?page=x', '?page=1e400', '?q=', '?tag=', '?other=1'])(
    '%s has no known parameter and still opens',
    (query) => expect(servers(query)).toEqual({}),
  )

  it('is filtered by search, status and tags, but not by order and page', () => {
    expect([isFiltered(servers('?sort=cpu&page=2')), isFiltered(servers('?tag=a'))]).toEqual([false, true])
  })

  it('cycles the order of a column: the preferred direction, the other one, none', () => {
    expect(nextSort(undefined, 'cpu', true)).toBe('-cpu')
    expect(nextSort('-cpu', 'cpu', true)).toBe('cpu')
    expect(nextSort('cpu', 'cpu', true)).toBeUndefined()
    expect(nextSort('-cpu', 'name', false)).toBe('name')
  })
})

describe('the URL of a chart', () => {
  it('holds a period or two times', () => {
    expect(range('?range=6h')).toEqual({ range: '6h' })
    expect(range('?from=1763661600000&to=1763661700000')).toEqual({ from: 1_763_661_600_000, to: 1_763_661_700_000 })
    expect(rangeQuery(rangeOf(range('?from=1763661600000&to=1763661700000'), '1h'), SERVER_PERIODS)).toEqual({
      from: '2025-11-20T18:00:00.000Z',
      to: '2025-11-20T18:01:40.000Z',
    })
  })

  it.each(['', '?range=5m', '?from=1', '?from=9&to=1', '?from=x&to=y', '?from=1763661600000&to=1763661600001'])(
    '%s gives the default period',
    (query) => expect(rangeOf(range(query), '1h')).toEqual({ period: '1h' }),
  )

  it('is read again as often as a point is added, and never for a range that has ended', () => {
    expect(refreshMs({ period: '1h' }, 240)).toBe(15_000)
    expect(refreshMs({ period: '7d' }, 240)).toBe(1_260_000)
    expect(refreshMs({ from: 0, to: 1 }, 240)).toBe(false)
  })
})
