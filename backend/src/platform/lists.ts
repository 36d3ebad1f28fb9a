/** Sorted by a value, ascending; ties are ordered by id, newest first. */
export const sortByValue = <Item extends { id: string }>(items: readonly Item[], valueOf: (item: Item) => number): Item[] =>
  items
    .map((item) => ({ item, value: valueOf(item) }))
    .sort((a, b) => (a.value === b.value ? (a.item.id < b.item.id ? 1 : -1) : a.value - b.value))
    .map(({ item }) => item)

/** The counts with 0 for each status that has no item. */
export const countsOf = <Status extends string>(
  statuses: readonly Status[],
  counts: ReadonlyMap<Status, number>,
): Record<Status, number> =>
  Object.fromEntries(statuses.map((status) => [status, counts.get(status) ?? 0])) as Record<Status, number>
