import { type Clock, systemClock } from '../time/clock.ts'

/** Stores what waits together: one commit serves all of it. */
export interface GroupCommit<Item, Answer> {
  /** Resolves after the commit that the item was part of; rejects if it was refused. */
  add(item: Item): Promise<Answer>
  /** The sum of the sizes of what waits or is being stored. */
  size(): number
  /** Ends all delays from now on. Resolves when what was added until now is stored or refused; kept items are not waited for. */
  drain(): Promise<void>
  /** Like `drain`, and what is kept is not tried again. */
  stop(): Promise<void>
}

/**
 * What becomes of items whose statement failed. `each`: one of them is at fault; each is stored alone, and that one fails alone.
 * `batch`: they are refused. `lane`: what waits behind them is refused as well. `keep`: they wait in their place, and their lane is
 * not tried for that long.
 */
export type Failure = { action: 'each' } | { action: 'batch' | 'lane'; error: unknown } | { action: 'keep'; forMs: number }

const EACH: Failure = { action: 'each' }

/** Whether an item belongs to the next statement. `later`: items behind it may. `full`: none does. */
export type Fit = 'now' | 'later' | 'full'

export interface GroupCommitOptions<Item, Answer> {
  /** Stores the items, and returns their answers in the same order. */
  store(items: readonly Item[], lane: string): Promise<readonly Answer[]>
  /** Items of one statement. */
  maxRows: number
  /** Asked about each waiting item in turn, for one statement; the first item fits. By default the first `maxRows` items fit. */
  fits?: () => (item: Item) => Fit
  /** By default 1. */
  sizeOf?: (item: Item) => number
  /** Beyond this sum of sizes an item is refused with the error of `full`, or the oldest of its lane with `Dropped`. */
  maxSize?: number
  full?: () => Error | 'drop the oldest'
  /** Lanes do not wait for each other. By default there is one. */
  laneOf?: (item: Item) => string | Promise<string>
  /** By default `each`. The lane is undefined if finding it failed. */
  onFailure?: (error: unknown, items: readonly Item[], lane: string | undefined) => Failure
  /** How long a lane rests after a statement while so many items wait; by default not at all. */
  delayMs?: (waiting: number, tookMs: number) => number
  /** What comes before the first statement after a quiet time. */
  collect?: () => Promise<void>
  clock?: Clock
}

/** An item that was removed to make room. */
export class Dropped extends Error {}

interface Waiting<Item, Answer> {
  item: Item
  size: number
  resolve(answer: Answer): void
  reject(error: unknown): void
}

interface Lane<Item, Answer> {
  name: string
  queue: Waiting<Item, Answer>[]
  running: Promise<void> | undefined
  /** So many of its first items are stored alone. */
  alone: number
  /** Whether its first items were kept at the last attempt. */
  isKept: boolean
}

/**
 * Items that are added during a statement form the next one. Without a delay no timer is involved: an item that finds nothing in
 * flight is stored at once.
 */
export function createGroupCommit<Item, Answer>(options: GroupCommitOptions<Item, Answer>): GroupCommit<Item, Answer> {
  const { sizeOf = () => 1, maxSize = Number.POSITIVE_INFINITY, laneOf = () => '', clock = systemClock } = options
  const finding = new Set<Promise<void>>()
  const hurrying = new AbortController()
  const stopping = new AbortController()
  let size = 0
  const { lanes, openLane, enqueue } = createLanes(options, { hurrying, stopping, settled, refuse })

  function settled(waiting: Waiting<Item, Answer>): void {
    size -= waiting.size
  }

  function refuse(batch: readonly Waiting<Item, Answer>[], error: unknown): void {
    for (const waiting of batch) {
      settled(waiting)
      waiting.reject(error)
    }
  }

  /** Finds the lane again as long as the item is kept. */
  async function enqueueLater(found: Promise<string>, waiting: Waiting<Item, Answer>): Promise<void> {
    for (let name: Promise<string> | undefined = found; ; name = undefined) {
      try {
        return enqueue(openLane(await (name ?? laneOf(waiting.item))), waiting)
      } catch (error) {
        const failure = options.onFailure?.(error, [waiting.item], undefined) ?? EACH
        if (failure.action !== 'keep' || stopping.signal.aborted)
          return refuse([waiting], 'error' in failure ? failure.error : error)
        await clock.sleep(failure.forMs, stopping.signal)
      }
    }
  }

  function makeRoom(added: number, lane: Lane<Item, Answer> | undefined): void {
    if (size + added <= maxSize) return
    const answer = options.full?.() ?? new Dropped()
    if (answer !== 'drop the oldest') throw answer
    const oldest = lane?.queue.shift()
    if (!oldest) throw new Dropped()
    refuse([oldest], new Dropped())
  }

  async function drain(): Promise<void> {
    hurrying.abort()
    await Promise.all(finding)
    await Promise.all([...lanes.values()].flatMap(({ isKept, running }) => (isKept || !running ? [] : [running])))
  }

  return {
    add: (item) =>
      new Promise((resolve, reject) => {
        const name = laneOf(item)
        const lane = typeof name === 'string' ? openLane(name) : undefined
        const waiting = { item, size: sizeOf(item), resolve, reject }
        makeRoom(waiting.size, lane)
        size += waiting.size
        if (lane) return enqueue(lane, waiting)
        const found = enqueueLater(name as Promise<string>, waiting).finally(() => finding.delete(found))
        finding.add(found)
      }),
    size: () => size,
    drain,
    stop: async () => {
      stopping.abort()
      await drain()
      await Promise.all([...lanes.values()].flatMap(({ running }) => running ?? []))
    },
  }
}

interface Settling<Item, Answer> {
  hurrying: AbortController
  stopping: AbortController
  settled(waiting: Waiting<Item, Answer>): void
  refuse(batch: readonly Waiting<Item, Answer>[], error: unknown): void
}

/** Stores what waits in each lane, one statement after the other. */
function createLanes<Item, Answer>(
  options: GroupCommitOptions<Item, Answer>,
  { hurrying, stopping, settled, refuse }: Settling<Item, Answer>,
) {
  const { clock = systemClock } = options
  const lanes = new Map<string, Lane<Item, Answer>>()

  function openLane(name: string): Lane<Item, Answer> {
    const known = lanes.get(name)
    if (known) return known
    const lane = { name, queue: [], running: undefined, alone: 0, isKept: false }
    lanes.set(name, lane)
    return lane
  }

  async function run(lane: Lane<Item, Answer>): Promise<void> {
    if (options.collect) await options.collect()
    while (lane.queue.length > 0 && !(lane.isKept && stopping.signal.aborted)) {
      const startedMs = clock.now()
      await commit(lane, takeBatch(lane, options))
      if (lane.isKept || lane.alone > 0) continue
      const restMs = options.delayMs?.(lane.queue.length, clock.now() - startedMs) ?? 0
      if (restMs > 0) await clock.sleep(restMs, hurrying.signal)
    }
    lane.running = undefined
  }

  async function commit(lane: Lane<Item, Answer>, batch: readonly Waiting<Item, Answer>[]): Promise<void> {
    const items = batch.map(({ item }) => item)
    try {
      const answers = await options.store(items, lane.name)
      lane.isKept = false
      for (const [index, waiting] of batch.entries()) {
        settled(waiting)
        waiting.resolve(answers[index] as Answer)
      }
    } catch (error) {
      await recover(lane, batch, options.onFailure?.(error, items, lane.name) ?? EACH, error)
    }
  }

  async function recover(
    lane: Lane<Item, Answer>,
    batch: readonly Waiting<Item, Answer>[],
    failure: Failure,
    error: unknown,
  ): Promise<void> {
    if (failure.action === 'keep') {
      lane.queue = [...batch, ...lane.queue]
      lane.isKept = true
      if (lane.alone > 0) lane.alone += batch.length
      return clock.sleep(failure.forMs, stopping.signal)
    }
    lane.isKept = false
    if (failure.action === 'each' && batch.length > 1) {
      lane.queue = [...batch, ...lane.queue]
      lane.alone = batch.length
      return
    }
    refuse(batch, failure.action === 'each' ? error : failure.error)
    if (failure.action !== 'lane') return
    lane.alone = 0
    refuse(lane.queue.splice(0), failure.error)
  }

  function enqueue(lane: Lane<Item, Answer>, waiting: Waiting<Item, Answer>): void {
    lane.queue.push(waiting)
    lane.running ??= run(lane)
  }

  return { lanes, openLane, enqueue }
}

/** Removes the items of the next statement from the queue; the others keep their order. */
function takeBatch<Item, Answer>(
  lane: Lane<Item, Answer>,
  { maxRows, fits }: GroupCommitOptions<Item, Answer>,
): Waiting<Item, Answer>[] {
  if (lane.alone > 0) {
    lane.alone -= 1
    return lane.queue.splice(0, 1)
  }
  if (!fits) return lane.queue.splice(0, maxRows)
  const fit = fits()
  const [batch, rest]: [Waiting<Item, Answer>[], Waiting<Item, Answer>[]] = [[], []]
  for (const [index, waiting] of lane.queue.entries()) {
    const answer = batch.length === 0 ? (fit(waiting.item), 'now') : fit(waiting.item)
    if (answer === 'full') {
      rest.push(...lane.queue.slice(index))
      break
    }
    ;(answer === 'now' ? batch : rest).push(waiting)
  }
  lane.queue = rest
  return batch
}
