import { MAX_TAGS } from '@vedette/shared/tables'
/** The parameters of a list in the URL, without defaults. */
export interface ListSearch {
  q?: string
  status?: string
  tag?: string[]
  sort?: string
  page?: number
  /** Only what has no tag. */
  untagged?: boolean
  group?: 'tag'
  /** The row whose page is next to the list. */
  open?: string
}

/** The order of a list where the URL has none. */
export const WORST_FIRST = 'status'

export const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value.slice(0, 200) : undefined

/** Reads the page of a query string; the first page is left out. */
export function pageSearch(search: Record<string, unknown>): { page?: number } {
  const page = Number(search['page'])
  return Number.isSafeInteger(page) && page > 1 ? { page } : {}
}

/** Reads a query string and ignores what the list does not know, so that old links still open. */
export function listSearch(search: Record<string, unknown>, statuses: readonly string[], sorts: readonly string[]): ListSearch {
  const q = textOf(search['q'])
  const status = textOf(search['status'])
  const open = textOf(search['open'])
  const sort = textOf(search['sort'])
  const tags = [search['tag']].flat().flatMap((tag) => textOf(tag) ?? [])
  return {
    ...(q === undefined ? {} : { q }),
    ...(status !== undefined && statuses.includes(status) ? { status } : {}),
    ...(tags.length > 0 ? { tag: [...new Set(tags)].slice(0, MAX_TAGS) } : {}),
    ...(sort !== undefined && sorts.includes(sort.replace(/^-/, '')) ? { sort } : {}),
    ...(search['untagged'] === true ? { untagged: true } : {}),
    ...(search['group'] === 'tag' ? { group: 'tag' } : {}),
    ...(open === undefined ? {} : { open }),
    ...pageSearch(search),
  }
}

/** Changes filters or order and returns to the first page. */
export function withChange(
  { page: _page, ...rest }: ListSearch,
  change: { [Name in keyof ListSearch]?: ListSearch[Name] | undefined },
): ListSearch {
  // Undefined values are left out of the URL.
  return { ...rest, ...change } as ListSearch
}

/** Adds a tag to the filter. */
export const withTag = (search: ListSearch, tag: string): ListSearch =>
  withChange(search, { tag: [...new Set([...(search.tag ?? []), tag])] })

export const isFiltered = ({ q, status, tag, untagged }: ListSearch): boolean =>
  q !== undefined || status !== undefined || tag !== undefined || untagged !== undefined

/** The next order when a column header is clicked: the preferred direction, the other one, none. */
export function nextSort(current: string | undefined, name: string, descendingFirst: boolean): string | undefined {
  const [first, second] = descendingFirst ? [`-${name}`, name] : [name, `-${name}`]
  if (current === first) return second
  return current === second ? undefined : first
}
