import { describe, expect, it } from 'vitest'
import { incidentSearch } from '../features/incidents/search.ts'
import { isFiltered, listSearch, nextSort, pageSearch, withChange, withTag } from './list-search.ts'

const STATUSES = ['up', 'down']
const SORTS = ['name', 'status']
const read = (search: Record<string, unknown>) => listSearch(search, STATUSES, SORTS)

describe('the address of a list', () => {
  it('gives filters, order and page', () => {
    const search = { q: 'shop', status: 'down', tag: ['eu', 'web'], sort: '-name', page: 3, group: 'tag', untagged: true }
    expect(read(search)).toEqual(search)
  })

  it('has no parameter that says nothing', () =>
    expect(read({ q: '', status: '', tag: [], sort: '', page: 1, group: 'none', untagged: false })).toEqual({}))

  it.each([
    ['an unknown status', { status: 'exploded' }],
    ['an unknown order', { sort: 'size' }],
    ['a page that is none', { page: -1 }],
    ['a page between two', { page: 1.5 }],
    ['a page beyond all numbers', { page: '9e99' }],
    ['a text that is none', { q: { a: 1 } }],
    ['a tag that is none', { tag: [7, null, ''] }],
  ])('is read without %s, as old links have it', (_, search) => expect(read(search)).toEqual({}))

  it('takes one tag as a text, drops repeated ones, and bounds their number and the length of texts', () => {
    expect(read({ tag: 'web' })).toEqual({ tag: ['web'] })
    expect(read({ tag: ['web', 'web', 'eu'] })).toEqual({ tag: ['web', 'eu'] })
    expect(read({ tag: Array.from({ length: 30 }, (_, index) => `tag-${index}`) }).tag).toHaveLength(20)
    expect(read({ q: 'a'.repeat(500) }).q).toHaveLength(200)
  })

  it('has each tag once, on the first page', () => {
    expect(withTag({ sort: 'name', page: 4 }, 'web')).toEqual({ sort: 'name', tag: ['web'] })
    expect(withTag(withTag({ tag: ['web'] }, 'eu'), 'web')).toEqual({ tag: ['web', 'eu'] })
  })

  it('returns to the first page with another filter, and keeps the rest', () => {
    expect(withChange({ q: 'shop', sort: 'name', page: 4 }, { status: 'down' })).toEqual({
      q: 'shop',
      sort: 'name',
      status: 'down',
    })
    expect(withChange({ q: 'shop', page: 4 }, { q: undefined })).toEqual({ q: undefined })
    expect(pageSearch({ page: '2' })).toEqual({ page: 2 })
  })

  it('is filtered by what leaves items out, not by order or groups', () => {
    for (const search of [{ q: 'a' }, { status: 'up' }, { tag: ['a'] }, { untagged: true }]) expect(isFiltered(search)).toBe(true)
    for (const search of [{}, { sort: 'name' }, { group: 'tag' }, { page: 2 }] as const) expect(isFiltered(search)).toBe(false)
  })
})

describe('a column', () => {
  it.each([
    [undefined, false, ['name', '-name', undefined]],
    [undefined, true, ['-name', 'name', undefined]],
    ['status', false, ['name', '-name', undefined]],
  ] as const)('sorts from %s (descending first: %s) in turn', (first, descendingFirst, expected) => {
    let current: string | undefined = first
    const steps = expected.map(() => (current = nextSort(current, 'name', descendingFirst)))
    expect(steps).toEqual(expected)
  })
})

describe('the address of the incidents', () => {
  it('has severity, target and time as well', () => {
    const search = { severity: 'critical', target: 'mon_1', range: '24h', status: 'resolved', q: 'disk' }
    expect(incidentSearch(search)).toEqual(search)
  })
  it('is read without what is unknown', () =>
    expect(incidentSearch({ severity: 'fatal', target: 7, range: '5y', status: 'gone', sort: 'name' })).toEqual({}))
})
