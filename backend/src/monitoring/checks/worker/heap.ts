/** A priority queue by due time. */
export interface Heap<T> {
  push(dueAtMs: number, item: T): void
  /** Due time of the first item; undefined when empty. */
  nextMs(): number | undefined
  /** Removes and returns the first item if it is due by then. */
  popDue(untilMs: number): T | undefined
  clear(): void
}

interface Entry<T> {
  dueAtMs: number
  item: T
}

export function createHeap<T>(): Heap<T> {
  const entries: Entry<T>[] = []
  const at = (index: number) => entries[index] as Entry<T>

  function swap(one: number, other: number): void {
    const moved = at(one)
    entries[one] = at(other)
    entries[other] = moved
  }

  function sink(): void {
    for (let index = 0; ; ) {
      let least = index
      for (const child of [2 * index + 1, 2 * index + 2])
        if (child < entries.length && at(child).dueAtMs < at(least).dueAtMs) least = child
      if (least === index) return
      swap(index, least)
      index = least
    }
  }

  return {
    push: (dueAtMs, item) => {
      entries.push({ dueAtMs, item })
      for (let index = entries.length - 1; index > 0; ) {
        const parent = (index - 1) >> 1
        if (at(parent).dueAtMs <= at(index).dueAtMs) return
        swap(parent, index)
        index = parent
      }
    },
    nextMs: () => entries[0]?.dueAtMs,
    popDue: (untilMs) => {
      const [first] = entries
      if (!first || first.dueAtMs > untilMs) return undefined
      const last = entries.pop() as Entry<T>
      if (entries.length > 0) {
        entries[0] = last
        sink()
      }
      return first.item
    },
    clear: () => void entries.splice(0),
  }
}
