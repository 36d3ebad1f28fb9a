/** Sorted by a value; items without one are last in both directions, ties are ordered by id, newest first. */
export function sortByValue<Item extends { id: string }>(
  items: readonly Item[],
  valueOf: (item: Item) => number | undefined,
  descending: boolean,
): Item[] {
  const keyed = items.map((item) => ({ item, value: valueOf(item) }))
  keyed.sort((a, b) => compare(a.value, b.value, descending) || (a.item.id < b.item.id ? 1 : -1))
  return keyed.map(({ item }) => item)
}

function compare(a: number | undefined, b: number | undefined, descending: boolean): number {
  if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined)
  return descending ? b - a : a - b
}

/** The counts with 0 for each status that has no item. */
export const countsOf = <Status extends string>(
  statuses: readonly Status[],
  counts: ReadonlyMap<Status, number>,
): Record<Status, number> =>
  Object.fromEntries(statuses.map((status) => [status, counts.get(status) ?? 0])) as Record<Status, number>
