/** Short enough to feel immediate, long enough to collect events of the same moment. */
const SOON_MS = 150

/**
 * Collects items and hands them over together: shortly after the first one, then at most every `pauseMs`. A thousand events in a
 * minute become a few requests, within the rate limit of reads.
 */
export function createBatcher<Item>(pauseMs: number, onBatch: (items: Item[]) => void) {
  let items: Item[] = []
  let timer: ReturnType<typeof setTimeout> | undefined
  let flushedAt = Number.NEGATIVE_INFINITY
  const flush = () => {
    timer = undefined
    flushedAt = performance.now()
    const batch = items
    items = []
    onBatch(batch)
  }
  return {
    add: (item: Item) => {
      items.push(item)
      timer ??= setTimeout(flush, Math.max(SOON_MS, flushedAt + pauseMs - performance.now()))
    },
    stop: () => clearTimeout(timer),
  }
}
