import { truncateText } from '@vedette/shared'
import { createGroupCommit } from '../../platform/concurrency/group-commit.ts'
import { evaluateAssertions, followStatuses, type LockingTransaction } from '../checks/index.ts'
import type { Clock } from '../../platform/time/clock.ts'
import {
  createWaitingBudget,
  isLostConnection,
  isCanceled,
  isMissingPartition,
  type Pool,
  withBudget,
} from '../../platform/db/index.ts'
import { unavailable } from '../../platform/errors.ts'
import { newId } from '../../platform/ids.ts'
import type { Log } from '../../platform/logging/log.ts'
import { keepPingPartitions } from './partitions.ts'
import { type Outcome, recordOutcomes } from './record.ts'
import { applySignal, deadlineOf, type Signal } from './state.ts'
import * as store from './store.ts'
import { inNamedTransaction } from './transaction.ts'

/** A ping as it arrived. */
export interface Ping extends Signal {
  target: store.PingTarget
  exitCode: number | null
  /** How long the job says that it took; null: from its start to this ping. */
  reportedMs: number | null
  method: string
  address: string
  userAgent: string | null
  body: string | null
}

/** `paused`: the ping is kept, and changes nothing. */
export type PingAnswer = 'taken' | 'paused' | 'unknown'

export interface PingStore {
  /** Resolves after the commit. Throws unavailable while the database is away. */
  take(ping: Ping): Promise<PingAnswer>
  /** Resolves when what was taken until now is stored or refused. */
  drain(): Promise<void>
}

export interface PingStoreDeps {
  pool: Pool
  clock: Clock
  log: Log
  /** The earliest of the deadlines that were stored, ms. */
  planned(deadlineMs: number): void
}

/** Pings of one transaction. */
const MAX_BATCH = 500
/** If more wait, pings get a 503: some 20 MB with the longest bodies. */
const MAX_QUEUED = 2_000
/** A transaction costs as much as many pings: under load those of this time share one. */
const BATCH_DELAY_MS = 100

/** Makes pings durable. One after a quiet time is stored at once; the following ones are stored together. */
export function createPingStore({ pool, clock, log, planned }: PingStoreDeps): PingStore {
  const { add, drain } = createGroupCommit<Ping, PingAnswer>({
    store: async (pings) => {
      const stored = await withBudget(createWaitingBudget(pool.requestLimitMs), () => storePatiently(pings))
      planned(stored.deadlineMs)
      await followStatuses(pool.db, stored.changed, new Date(clock.now()))
      return stored.answers
    },
    maxRows: MAX_BATCH,
    maxSize: MAX_QUEUED + MAX_BATCH,
    full: unavailable,
    onFailure: (error, pings) => {
      const isAway = isLostConnection(error) || isCanceled(error)
      if (!isAway && pings.length > 1) return { action: 'each' }
      if (!isAway) log.error({ err: error }, 'a ping could not be stored')
      return { action: 'batch', error: unavailable(error) }
    },
    delayMs: (waiting, tookMs) => (waiting > 0 && waiting < MAX_BATCH ? BATCH_DELAY_MS - tookMs : 0),
    clock,
  })

  async function storePatiently(pings: readonly Ping[]): Promise<Stored> {
    const store = () => inNamedTransaction({ pool, clock }, (transaction) => storePings(transaction, pings, clock.now()))
    try {
      return await store()
    } catch (error) {
      if (!isMissingPartition(error)) throw error
      await keepPingPartitions(pool.db, log, clock.now())
      return store()
    }
  }

  return { take: add, drain }
}

interface Stored {
  answers: PingAnswer[]
  deadlineMs: number
  /** Heartbeats whose status changed. */
  changed: store.LockedHeartbeat[]
}

async function storePings(transaction: LockingTransaction, pings: readonly Ping[], nowMs: number): Promise<Stored> {
  const named = await store.lockTargets(
    transaction,
    pings.map(({ target }) => target),
  )
  const heartbeats = shareObjects(named)
  const records: store.PingRecord[] = []
  const outcomes: { heartbeat: store.LockedHeartbeat; outcome: Outcome }[] = []
  const changed = new Set<store.LockedHeartbeat>()
  const answers = pings.map((ping, index): PingAnswer => {
    const heartbeat = heartbeats.get(index)
    if (!heartbeat) return 'unknown'
    const applied = applySignal(heartbeat, heartbeat.schedule, ping)
    const durationMs = ping.reportedMs ?? applied.durationMs
    records.push(toRecord(heartbeat, ping, durationMs))
    if (heartbeat.status === 'paused') return 'paused'
    // Outside of its active hours it changes nothing.
    if (ping.kind === 'log' || heartbeat.status === 'idle') return 'taken'
    Object.assign(heartbeat, applied.state)
    changed.add(heartbeat)
    if (ping.kind !== 'start') outcomes.push({ heartbeat, outcome: outcomeOf(heartbeat, ping, durationMs) })
    return 'taken'
  })
  if (records.length === 0) return { answers, deadlineMs: Number.POSITIVE_INFINITY, changed: [] }
  const changedStatus = await recordOutcomes(transaction, outcomes, nowMs)
  const changes = [...changed].map((heartbeat) => ({
    heartbeat,
    state: heartbeat,
    deadlineMs: deadlineOf(heartbeat, heartbeat.schedule),
  }))
  await store.updateStates(transaction, changes)
  await store.insertPings(transaction, records)
  const deadlines = changes.map(({ deadlineMs }) => deadlineMs ?? Number.POSITIVE_INFINITY)
  return { answers, deadlineMs: Math.min(...deadlines), changed: changedStatus }
}

/** Two pings of one monitor change one state. */
function shareObjects(named: ReadonlyMap<number, store.LockedHeartbeat>): Map<number, store.LockedHeartbeat> {
  const first = new Map<string, store.LockedHeartbeat>()
  return new Map(
    [...named].map(([index, heartbeat]) => {
      const key = `${heartbeat.organization}.${heartbeat.monitor}`
      const shared = first.get(key) ?? heartbeat
      first.set(key, shared)
      return [index, shared]
    }),
  )
}

function toRecord({ organization, monitor }: store.LockedHeartbeat, ping: Ping, tookMs: number | null): store.PingRecord {
  const durationMs = tookMs === null ? null : Math.round(tookMs)
  const { atMs, kind, exitCode, rid, method, address, userAgent, body } = ping
  return { organization, monitor, atMs, id: newId(), kind, exitCode, rid, durationMs, method, address, userAgent, body }
}

const EXCERPT_LENGTH = 1_000

/** The result of the check that an end of a run stands for. */
function outcomeOf({ assertions }: store.LockedHeartbeat, ping: Ping, durationMs: number | null): Outcome {
  const { atMs, exitCode, body } = ping
  const common = { atMs, durationMs }
  if (ping.kind === 'fail') {
    const status_line = exitCode === null ? 'failed' : `exit code ${exitCode}`
    const answer = { status_line, body: body === null ? null : truncateText(body, EXCERPT_LENGTH) }
    return {
      ...common,
      outcome: 'down',
      message: exitCode === null ? 'the job reported a failure' : `the job ended with exit code ${exitCode}`,
      code: 'status',
      answer,
    }
  }
  if (durationMs === null || assertions.length === 0) return { ...common, outcome: 'up', message: null, code: 'status' }
  const facts = { duration: durationMs / 1_000 }
  const seen = {
    statusCode: null,
    responseMs: durationMs,
    headers: new Map<string, string>(),
    text: () => '',
    certificateDaysLeft: null,
    facts,
  }
  const { outcome, error } = evaluateAssertions(seen, assertions)
  return { ...common, outcome, message: error?.message ?? null, code: error?.code ?? 'assertion' }
}
