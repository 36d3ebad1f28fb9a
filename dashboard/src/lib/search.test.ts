import { describe, expect, it } from 'vitest'
import { parseSearch, stringifySearch } from './search.ts'
import { isFiltered, listSearch, nextSort } from './list-search.ts'

const servers = (query: string) => listSearch(parseSearch(query), ['online', 'offline'], ['name', 'cpu'])

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
