/** What a list's URL holds. What is usual is left out of it. */
export interface ListSearch {
  q?: string
  status?: string
  tag?: string[]
  sort?: string
  page?: number
}

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value.slice(0, 200) : undefined

/** Of any query string: what the list does not know is left out, so that an old link still opens. */
export function listSearch(search: Record<string, unknown>, statuses: readonly string[], sorts: readonly string[]): ListSearch {
  const q = textOf(search['q'])
  const status = textOf(search['status'])
  const sort = textOf(search['sort'])
  const tags = [search['tag']].flat().flatMap((tag) => textOf(tag) ?? [])
  const page = Number(search['page'])
  return {
    ...(q === undefined ? {} : { q }),
    ...(status !== undefined && statuses.includes(status) ? { status } : {}),
    ...(tags.length > 0 ? { tag: [...new Set(tags)].slice(0, 20) } : {}),
    ...(sort !== undefined && sorts.includes(sort.replace(/^-/, '')) ? { sort } : {}),
    ...(Number.isSafeInteger(page) && page > 1 ? { page } : {}),
  }
}

/** With another filter or order the list begins anew. */
export function withChange(
  { page: _page, ...rest }: ListSearch,
  change: { [Name in keyof ListSearch]?: ListSearch[Name] | undefined },
): ListSearch {
  // What is undefined is left out of the URL.
  return { ...rest, ...change } as ListSearch
}

export const isFiltered = ({ q, status, tag }: ListSearch): boolean =>
  q !== undefined || status !== undefined || tag !== undefined

/** The next order when a column's head is pressed: the way it is mostly wanted first, then the other, then none. */
export function nextSort(current: string | undefined, name: string, descendingFirst: boolean): string | undefined {
  const [first, second] = descendingFirst ? [`-${name}`, name] : [name, `-${name}`]
  if (current === first) return second
  return current === second ? undefined : first
}
