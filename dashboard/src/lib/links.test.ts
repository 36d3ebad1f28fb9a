import { describe, expect, it } from 'vitest'
import { parseSearch, stringifySearch } from './search.ts'
import { isFiltered, listSearch, nextSort } from './list-search.ts'
import { rangeOf, rangeQuery, rangeSearch, refreshMs, SERVER_PERIODS } from './range.ts'

const servers = (query: string) => listSearch(parseSearch(query), ['online', 'offline'], ['name', 'cpu'])
const range = (query: string) => rangeSearch(parseSearch(query), SERVER_PERIODS)

describe('the link of a list', () => {
  it.each(['', '?q=web+1', '?status=offline&tag=a&tag=b&sort=-cpu&page=3', '?q=12', '?q=%22%26%3D%C3%A4'])(
    '%s says the same after it was read',
    (query) => {
      expect(stringifySearch({ ...servers(query) })).toBe(query)
    },
  )

  it.each(['?status=gone', '?sort=-shoe', '?page=0', '?page=1', '?page=x', '?page=1e400', '?q=', '?tag=', '?other=1'])(
    '%s has nothing in it that is known, and opens all the same',
    (query) => expect(servers(query)).toEqual({}),
  )

  it('knows whether something is filtered', () => {
    expect([isFiltered(servers('?sort=cpu&page=2')), isFiltered(servers('?tag=a'))]).toEqual([false, true])
  })

  it('goes around by its heads: as it is mostly wanted, the other way, not at all', () => {
    expect(nextSort(undefined, 'cpu', true)).toBe('-cpu')
    expect(nextSort('-cpu', 'cpu', true)).toBe('cpu')
    expect(nextSort('cpu', 'cpu', true)).toBeUndefined()
    expect(nextSort('-cpu', 'name', false)).toBe('name')
  })
})

describe('the link of a chart', () => {
  it('holds a period, or two instants', () => {
    expect(range('?range=6h')).toEqual({ range: '6h' })
    expect(range('?from=1763661600000&to=1763661700000')).toEqual({ from: 1_763_661_600_000, to: 1_763_661_700_000 })
    expect(rangeQuery(rangeOf(range('?from=1763661600000&to=1763661700000'), '1h'), SERVER_PERIODS)).toEqual({
      from: '2025-11-20T18:00:00.000Z',
      to: '2025-11-20T18:01:40.000Z',
    })
  })

  it.each(['', '?range=5m', '?from=1', '?from=9&to=1', '?from=x&to=y', '?from=1763661600000&to=1763661600001'])(
    '%s is the usual period',
    (query) => expect(rangeOf(range(query), '1h')).toEqual({ period: '1h' }),
  )

  it('asks again as often as a point is added, and never for what has ended', () => {
    expect(refreshMs({ period: '1h' }, 240)).toBe(15_000)
    expect(refreshMs({ period: '7d' }, 240)).toBe(1_260_000)
    expect(refreshMs({ from: 0, to: 1 }, 240)).toBe(false)
  })
})
