import type { Clock } from '../../../platform/time/clock.ts'
import {
  createNodeFinder,
  createWaitingBudget,
  currentBudget,
  isCanceled,
  isLostConnection,
  isMissingPartition,
  isNodeAway,
  isOfNode,
  isRolledBack,
  NODE_REST_MS,
  ONE_NODE,
  type Pool,
  withBudget,
} from '../../../platform/db/index.ts'
import { ApiError, unavailable } from '../../../platform/errors.ts'
import type { Log } from '../../../platform/logging/log.ts'
import { keepPartitions } from '../storage/partitions.ts'
import type { PushPiece } from './batch/push.ts'
import type { PushRow, RowResult } from './push-row.ts'
import { insertPushes } from './store.ts'

export interface Submission {
  organization: number
  serverId: string
  credential: Buffer
  bootId: string
  pieces: readonly PushPiece[]
}

/** Makes pushes durable. */
export interface Ingester {
  /** Resolves after the commit, with what became of each piece. Throws unavailable when the database is away or far behind. */
  store(submission: Submission): Promise<RowResult[]>
  /** Resolves when what was queued until now is stored or refused. */
  drain(): Promise<void>
  counts(): IngestCounts
}

/** What became of pushes since the start, and what of them waits. */
export interface IngestCounts {
  queuedBytes: number
  rows: Readonly<Record<RowResult, number>>
  /** Pushes for which there was no room. */
  turnedAway: number
}

interface Waiting extends Submission {
  bytes: number
  resolve(results: RowResult[]): void
  reject(error: unknown): void
}

/** Rows of one statement: beyond some hundred nothing is won, and a commit should not take long. */
const MAX_ROWS = 500
/** Memory for waiting pushes; beyond it agents get a 503 with Retry-After. */
export const MAX_QUEUED_BYTES = 64 * 1024 * 1024
/** Memory of a waiting push without its blocks, mostly its request: measured 6.8 kB of heap over 4,000 waiting pushes. */
const SUBMISSION_OVERHEAD_BYTES = 8 * 1024
const PIECE_OVERHEAD_BYTES = 400
/** Pushes wait this long for a restarting database before agents get a 503. Less than a request may wait for it in all. */
const LOST_PATIENCE_MS = 4_000
const LOST_PAUSE_MS = 100
/** After one repeated push others follow: for this time each push is looked up before it is stored. */
const REPEATS_MS = 60_000

/** Pushes to one node, or all where there are no nodes: one statement at a time. */
interface Lane {
  node: string
  queue: Waiting[]
  running: Promise<void> | undefined
  /** Until then its node is not tried. */
  restsUntilMs: number
}

/**
 * Collects pushes while a statement is in flight and stores what waits with the next one: one commit serves all of them. No
 * timer: when nothing is in flight a push goes at once. Nodes do not wait for each other, and one that does not answer is not tried
 * for a while: its pushes are refused at once.
 */
export function createIngester(pool: Pool, clock: Clock, log: Log, pushIntervalSeconds: number): Ingester {
  const lanes = new Map<string, Lane>()
  const nodeOf = createNodeFinder(pool.db)
  let queuedBytes = 0
  let turnedAway = 0
  const rows: Record<RowResult, number> = { stored: 0, duplicate: 0, refused: 0, new_boot: 0 }
  let mayRepeatUntilMs = Number.NEGATIVE_INFINITY

  function laneOf(node: string): Lane {
    const known = lanes.get(node)
    if (known) return known
    const lane = { node, queue: [], running: undefined, restsUntilMs: Number.NEGATIVE_INFINITY }
    lanes.set(node, lane)
    return lane
  }

  async function run(lane: Lane): Promise<void> {
    while (lane.queue.length > 0) {
      const { batch, rest } = takeBatch(lane.queue)
      lane.queue = rest
      await storeBatch(lane, batch)
      for (const { bytes } of batch) queuedBytes -= bytes
    }
    lane.running = undefined
  }

  /** False when the database, or the node, cannot be reached. */
  async function storeBatch(lane: Lane, batch: readonly Waiting[]): Promise<boolean> {
    const before = rows.duplicate
    try {
      const isRepeat = clock.now() < mayRepeatUntilMs
      const budget = createWaitingBudget(pool.requestLimitMs)
      const results = await withBudget(budget, () =>
        insertPatiently({ pool, clock, log, pushIntervalSeconds }, batch.flatMap(toRows), isRepeat),
      )
      for (const result of results) rows[result] += 1
      if (rows.duplicate > before) mayRepeatUntilMs = clock.now() + REPEATS_MS
      settle(batch, results)
      return true
    } catch (error) {
      if (isLostConnection(error) || isCanceled(error)) {
        giveUp(lane, batch, error)
        return false
      }
      // Something in one of them is at fault: alone, it fails alone.
      if (batch.length > 1) return storeEach(lane, batch)
      reject(batch, error)
      return true
    }
  }

  async function storeEach(lane: Lane, batch: readonly Waiting[]): Promise<boolean> {
    for (const [index, waiting] of batch.entries()) {
      if (await storeBatch(lane, [waiting])) continue
      reject(batch.slice(index + 1), unavailable())
      return false
    }
    return true
  }

  /** Refuses the batch and what waited behind it, for as long: an agent is answered within 5 s. */
  function giveUp(lane: Lane, batch: readonly Waiting[], error: unknown): void {
    if (lane.node !== ONE_NODE && isOfNode(error)) {
      lane.restsUntilMs = clock.now() + NODE_REST_MS
      log.warn(
        { err: error, node: lane.node, restMs: NODE_REST_MS },
        'a node does not store pushes; those of its organizations are refused',
      )
    }
    for (const { bytes } of lane.queue) queuedBytes -= bytes
    reject([...batch, ...lane.queue.splice(0)], unavailable(error))
  }

  function enqueue(lane: Lane, submission: Submission): Promise<RowResult[]> {
    const restMs = lane.restsUntilMs - clock.now()
    if (restMs > 0) throw nodeRests(restMs)
    const bytes = submission.pieces.reduce(
      (sum, piece) => sum + piece.block.length + PIECE_OVERHEAD_BYTES,
      SUBMISSION_OVERHEAD_BYTES,
    )
    if (queuedBytes + bytes > MAX_QUEUED_BYTES) {
      turnedAway += 1
      throw new ApiError('unavailable', 'The database is behind; the samples were not taken. Please send them again.', {
        retryAfterSeconds: 10,
      })
    }
    queuedBytes += bytes
    return new Promise((resolve, reject) => {
      lane.queue.push({ ...submission, bytes, resolve, reject })
      lane.running ??= run(lane)
    })
  }

  return {
    store: (submission) => {
      const node = nodeOf(submission.organization)
      return node instanceof Promise
        ? node.then((found) => enqueue(laneOf(found), submission))
        : enqueue(laneOf(node), submission)
    },
    drain: async () => {
      for (const { running } of lanes.values()) await running
    },
    counts: () => ({ queuedBytes, rows, turnedAway }),
  }
}

const nodeRests = (restMs: number): ApiError =>
  new ApiError(
    'unavailable',
    'The node of this organization does not answer; the samples were not taken. Please send them again.',
    {
      retryAfterSeconds: Math.ceil(restMs / 1000),
    },
  )

function toRows({ organization, serverId, credential, bootId, pieces }: Waiting): PushRow[] {
  return pieces.map((piece) => ({ organization, serverId, credential, bootId, piece }))
}

function reject(batch: readonly Waiting[], error: unknown): void {
  for (const waiting of batch) waiting.reject(error)
}

function settle(batch: readonly Waiting[], results: readonly RowResult[]): void {
  let start = 0
  for (const waiting of batch) {
    waiting.resolve(results.slice(start, start + waiting.pieces.length))
    start += waiting.pieces.length
  }
}

/**
 * The next submissions that one statement can hold. One that repeats a row of the batch waits for the next statement, where
 * it is a duplicate like any other.
 */
function takeBatch(queue: readonly Waiting[]): { batch: Waiting[]; rest: Waiting[] } {
  const batch: Waiting[] = []
  const rest: Waiting[] = []
  const taken = new Set<string>()
  for (const [index, waiting] of queue.entries()) {
    const { pieces } = waiting
    if (batch.length > 0 && taken.size + pieces.length > MAX_ROWS) return { batch, rest: [...rest, ...queue.slice(index)] }
    // Compares only digests: the statement returns the digests of the rows that it stored.
    if (pieces.some(({ digest }) => taken.has(digest))) {
      rest.push(waiting)
      continue
    }
    for (const { digest } of pieces) taken.add(digest)
    batch.push(waiting)
  }
  return { batch, rest }
}

/** A node that is away is not waited for: all others would wait with it. */
const mayPass = (error: unknown): boolean => (isLostConnection(error) && !isNodeAway(error)) || isRolledBack(error)

/** It is idempotent: after a lost connection, or given up to end a deadlock, it is simply sent again, for a while. */
async function insertPatiently(
  { pool, clock, log, pushIntervalSeconds }: { pool: Pool; clock: Clock; log: Log; pushIntervalSeconds: number },
  rows: readonly PushRow[],
  mayRepeat: boolean,
): Promise<RowResult[]> {
  const deadline = clock.now() + LOST_PATIENCE_MS
  // Pauses count: the pushes wait for the database in them as well.
  const stop = currentBudget()?.wait()
  let madePartition = false
  let isAgain = mayRepeat
  try {
    for (;;) {
      try {
        return await insertPushes(pool, rows, clock.now(), isAgain, pushIntervalSeconds)
      } catch (error) {
        if (isMissingPartition(error) && !madePartition) {
          madePartition = true
          log.error({ err: error }, 'the partition for new pushes is missing; creating it')
          await keepPartitions(pool.db, log, clock.now())
        } else if (!mayPass(error) || clock.now() > deadline) {
          throw error
        } else {
          isAgain = true
          await clock.sleep(LOST_PAUSE_MS)
        }
      }
    }
  } finally {
    stop?.()
  }
}
