import { yieldToEventLoop } from './yield-to-event-loop.ts'

/** The results in the order of the items, of which each takes up to some milliseconds: others have their turn before each. */
export async function mapWithPauses<Item, Result>(items: readonly Item[], map: (item: Item) => Result): Promise<Result[]> {
  const results: Result[] = []
  for (const item of items) {
    await yieldToEventLoop()
    results.push(map(item))
  }
  return results
}
