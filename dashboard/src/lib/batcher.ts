/** Short enough to feel immediate, long enough to collect events of the same moment. */
const SOON_MS = 150

/**
 * Collects items and hands them over together: shortly after the first one, then after a pause, and after longer ones while they keep
 * coming. A thousand events in a minute become a few requests. After the longest pause without an item it begins again.
 */
export function createBatcher<Item>(pausesMs: readonly [number, ...number[]], onBatch: (items: Item[]) => void) {
  const longestMs = Math.max(...pausesMs)
  let items: Item[] = []
  let timer: ReturnType<typeof setTimeout> | undefined
  let flushedAt = Number.NEGATIVE_INFINITY
  /** The pause after the last batch. */
  let step = 0
  const flush = () => {
    timer = undefined
    const startedAt = performance.now()
    step = startedAt - flushedAt > longestMs + SOON_MS ? 0 : Math.min(step + 1, pausesMs.length - 1)
    flushedAt = startedAt
    const batch = items
    items = []
    onBatch(batch)
  }
  return {
    add: (item: Item) => {
      items.push(item)
      timer ??= setTimeout(flush, Math.max(SOON_MS, flushedAt + (pausesMs[step] ?? longestMs) - performance.now()))
    },
    stop: () => clearTimeout(timer),
  }
}
