import type { Clock } from '../../../platform/time/clock.ts'
import { createGroupCommit, type Fit } from '../../../platform/concurrency/group-commit.ts'
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

/**
 * Collects pushes while a statement is in flight and stores what waits with the next one: one commit serves all of them. No
 * timer: when nothing is in flight a push goes at once. Nodes do not wait for each other, and one that does not answer is not tried
 * for a while: its pushes are refused at once.
 */
export function createIngester(pool: Pool, clock: Clock, log: Log, pushIntervalSeconds: number): Ingester {
  const nodeOf = createNodeFinder(pool.db)
  /** Until when a node is not tried. */
  const restUntilMs = new Map<string, number>()
  let turnedAway = 0
  const rows: Record<RowResult, number> = { stored: 0, duplicate: 0, refused: 0, new_boot: 0 }
  let mayRepeatUntilMs = Number.NEGATIVE_INFINITY

  const commit = createGroupCommit<Submission, RowResult[]>({
    store,
    maxRows: MAX_ROWS,
    fits: newStatement,
    sizeOf: bytesOf,
    maxSize: MAX_QUEUED_BYTES,
    full: () => {
      turnedAway += 1
      return new ApiError('unavailable', 'The database is behind; the samples were not taken. Please send them again.', {
        retryAfterSeconds: 10,
      })
    },
    laneOf: ({ organization }) => {
      const node = nodeOf(organization)
      return node instanceof Promise ? node.then(refuseAtRest) : refuseAtRest(node)
    },
    onFailure: (error, _submissions, node) => {
      if (!isLostConnection(error) && !isCanceled(error)) return { action: 'each' }
      if (node && isOfNode(error)) rest(node, error)
      // With what waited behind them, for as long: an agent is answered within 5 s.
      return { action: 'lane', error: unavailable(error) }
    },
    clock,
  })

  async function store(submissions: readonly Submission[]): Promise<RowResult[][]> {
    const duplicates = rows.duplicate
    const isRepeat = clock.now() < mayRepeatUntilMs
    const results = await withBudget(createWaitingBudget(pool.requestLimitMs), () =>
      insertPatiently({ pool, clock, log, pushIntervalSeconds }, submissions.flatMap(toRows), isRepeat),
    )
    for (const result of results) rows[result] += 1
    if (rows.duplicate > duplicates) mayRepeatUntilMs = clock.now() + REPEATS_MS
    let start = 0
    return submissions.map(({ pieces }) => results.slice(start, (start += pieces.length)))
  }

  function rest(node: string, error: unknown): void {
    restUntilMs.set(node, clock.now() + NODE_REST_MS)
    log.warn({ err: error, node, restMs: NODE_REST_MS }, 'a node does not store pushes; those of its organizations are refused')
  }

  function refuseAtRest(node: string): string {
    const restMs = (restUntilMs.get(node) ?? Number.NEGATIVE_INFINITY) - clock.now()
    if (restMs > 0) throw nodeRests(restMs)
    return node
  }

  return {
    store: commit.add,
    drain: commit.drain,
    counts: () => ({ queuedBytes: commit.size(), rows, turnedAway }),
  }
}

const bytesOf = ({ pieces }: Submission): number =>
  pieces.reduce((sum, piece) => sum + piece.block.length + PIECE_OVERHEAD_BYTES, SUBMISSION_OVERHEAD_BYTES)

const nodeRests = (restMs: number): ApiError =>
  new ApiError(
    'unavailable',
    'The node of this organization does not answer; the samples were not taken. Please send them again.',
    {
      retryAfterSeconds: Math.ceil(restMs / 1000),
    },
  )

function toRows({ organization, serverId, credential, bootId, pieces }: Submission): PushRow[] {
  return pieces.map((piece) => ({ organization, serverId, credential, bootId, piece }))
}

/** A submission that repeats a row of the statement waits for the next one, where it is a duplicate like any other. */
function newStatement(): (submission: Submission) => Fit {
  const taken = new Set<string>()
  return ({ pieces }) => {
    if (taken.size > 0 && taken.size + pieces.length > MAX_ROWS) return 'full'
    // Compares only digests: the statement returns the digests of the rows that it stored.
    if (pieces.some(({ digest }) => taken.has(digest))) return 'later'
    for (const { digest } of pieces) taken.add(digest)
    return 'now'
  }
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
