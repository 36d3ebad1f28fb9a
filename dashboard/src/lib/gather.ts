/** Soon enough to be at once for who looks, late enough for events of one moment. */
const SOON_MS = 150

/**
 * Gathers what comes and hands it over together: shortly after the first, then not more often than each `pauseMs`. A thousand events
 * in a minute are then a few requests, and the page stays within the limit of reads.
 */
export function gather<Item>(pauseMs: number, give: (items: Item[]) => void) {
  let items: Item[] = []
  let timer: ReturnType<typeof setTimeout> | undefined
  let gaveAt = Number.NEGATIVE_INFINITY
  const flush = () => {
    timer = undefined
    gaveAt = performance.now()
    const given = items
    items = []
    give(given)
  }
  return {
    add: (item: Item) => {
      items.push(item)
      timer ??= setTimeout(flush, Math.max(SOON_MS, gaveAt + pauseMs - performance.now()))
    },
    stop: () => clearTimeout(timer),
  }
}
