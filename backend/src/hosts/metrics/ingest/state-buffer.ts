import { crc32 } from 'node:zlib'
import { HOUR_MS, type BatchState, type HostState } from '@vedette/shared'
import type { Clock } from '../../../platform/time/clock.ts'
import { announceChange, type Db } from '../../../platform/db/index.ts'
import { createSecondBuckets } from '../../../platform/collections/second-buckets.ts'
import { createNumberTable } from '../../../platform/collections/number-table.ts'
import {
  type FreshState,
  offlineAfterMs,
  STATE_PARTS,
  type StateChange,
  type StatePart,
  upsertStates,
} from '../../servers/index.ts'

export interface PushNews {
  organization: number
  serverId: string
  receivedAtMs: number
  /** Newest instant of the push, ms; undefined when every sample was refused. */
  newestAtMs: number | undefined
  state: BatchState
}

/** Buffers the host state of pushes in memory and stores it periodically: an upsert per push would cost 61 % more WAL. */
export interface StateBuffer {
  record(news: PushNews): void
  /** What this instance knows of the newest state of the server and has not stored yet. */
  fresh(serverId: string): FreshState | undefined
  /** Stores what is due where that is at least so many, or another problem is among it. */
  flush(least: number): Promise<void>
  /** Stores everything. Called at the end. */
  flushAll(): Promise<void>
}

/**
 * A server's state is stored at most so often, a little before the fifth push of an agent that pushes every minute. Until then other
 * instances show the previous one; its values are in the samples of each push too. What samples do not have, the names of failed units
 * and missing processes, is stored when it changes: incidents name it.
 */
const STORE_EVERY_MS = 295_000

/** In one statement: those of a whole fleet would hold up every push for a second while they are written down. */
const STORE_AT_ONCE = 250

/** As JSON: a text takes a tenth of the memory of objects, and usually only the statement reads it. Parts never sent are absent. */
type Parts = Partial<Record<StatePart, string>>

export function createStateBuffer(db: Db, clock: Clock, pushIntervalSeconds: number): StateBuffer {
  const states = createStates()
  const { servers, storing } = states
  /** The rows that are to be stored, by the second from which on they are. */
  const due = createSecondBuckets<number>()
  /** Servers that push again after they were offline, as far as this instance knows. */
  const returned = new Set<string>()
  const offlineMs = offlineAfterMs(pushIntervalSeconds)
  let sweptAtMs = clock.now()
  /** The evaluation of a push, some seconds after its receipt, reads what is wrong. */
  let isUrgent = false

  /** Where it fails, those that were not stored yet are due again. */
  async function store(taken: readonly number[]): Promise<void> {
    let at = 0
    try {
      for (; at < taken.length; at += STORE_AT_ONCE) await storeSome(taken.slice(at, at + STORE_AT_ONCE))
    } catch (error) {
      for (const row of taken.slice(at)) due.add(row, clock.now())
      throw error
    }
  }

  async function storeSome(taken: readonly number[]): Promise<void> {
    const nowMs = clock.now()
    for (const row of taken) states.begin(row)
    try {
      await upsertStates(db, taken.map(states.changeOf))
    } catch (error) {
      for (const row of taken) states.takeBack(row)
      throw error
    }
    for (const row of taken) {
      storing.delete(row)
      servers.set(row, 'storedAtMs', nowMs)
      if (servers.get(row, 'isDirty') > 0) due.add(row, nowMs + STORE_EVERY_MS)
    }
  }

  /** Each once; what was stored meanwhile is due no more. */
  const takeDue = (nowMs: number): number[] => [...new Set(due.takeDue(nowMs))].filter((row) => servers.get(row, 'isDirty') > 0)

  async function announceReturned(): Promise<void> {
    if (returned.size === 0) return
    const ids = [...returned]
    // Kept until then: a statement may fail.
    await announceChange(db, 'metric_push', ids)
    for (const id of ids) returned.delete(id)
  }

  return {
    record: (news) => {
      const row = servers.rowOf(news.serverId) ?? states.meet(news)
      if (news.receivedAtMs - servers.get(row, 'lastPushMs') >= offlineMs) returned.add(news.serverId)
      const isNews = states.take(row, news)
      if (isNews && !storing.has(row) && states.changesProblems(row, news.state)) {
        due.add(row, news.receivedAtMs)
        isUrgent = true
      }
      if (!isNews || servers.get(row, 'isDirty') > 0) return
      servers.set(row, 'isDirty', 1)
      // What comes while it is on its way waits from when that is stored.
      if (!storing.has(row)) due.add(row, Math.max(news.receivedAtMs, servers.get(row, 'storedAtMs') + STORE_EVERY_MS))
    },
    fresh: states.fresh,
    flush: async (least) => {
      const nowMs = clock.now()
      await announceReturned()
      if (nowMs - sweptAtMs > SWEEP_EVERY_MS) states.evictIdle((sweptAtMs = nowMs))
      if (!isUrgent && due.due(nowMs).length < least) return
      isUrgent = false
      await store(takeDue(nowMs))
    },
    flushAll: () => store(takeDue(Number.POSITIVE_INFINITY)),
  }
}

/** What this instance knows of the servers that push to it. */
function createStates() {
  // Of each server that pushes here there is a row of numbers; what its state is, only until it is stored.
  const servers = createNumberTable(['organization', 'lastPushMs', 'stateAtMs', 'storedAtMs', 'isDirty', 'problems'])
  const pending = new Map<number, Parts>()
  /** On their way to the table. */
  const storing = new Map<number, Parts>()

  function begin(row: number): void {
    servers.set(row, 'isDirty', 0)
    storing.set(row, pending.get(row) ?? {})
    pending.delete(row)
  }

  /** What came meanwhile is newer. */
  function takeBack(row: number): void {
    const parts = { ...storing.get(row), ...pending.get(row) }
    if (Object.keys(parts).length > 0) pending.set(row, parts)
    storing.delete(row)
    servers.set(row, 'isDirty', 1)
  }

  const changeOf = (row: number): StateChange => ({
    organization: servers.get(row, 'organization'),
    serverId: servers.keyOf(row),
    stateAtMs: servers.get(row, 'stateAtMs'),
    parts: storing.get(row) ?? {},
  })

  function meet({ organization, serverId }: PushNews): number {
    const row = servers.add(serverId)
    servers.set(row, 'organization', organization)
    return row
  }

  /** Whether there is something to store. */
  function take(row: number, { receivedAtMs, newestAtMs = 0, state }: PushNews): boolean {
    const parts = STATE_PARTS.filter((part) => state[part] !== undefined)
    const bringsState = parts.length > 0 && newestAtMs >= servers.get(row, 'stateAtMs')
    servers.set(row, 'lastPushMs', Math.max(servers.get(row, 'lastPushMs'), receivedAtMs))
    if (bringsState) {
      servers.set(row, 'stateAtMs', newestAtMs)
      const texts = { ...pending.get(row) }
      for (const part of parts) texts[part] = JSON.stringify(state[part])
      pending.set(row, texts)
    }
    return bringsState
  }

  /** Whether other units failed or other processes are missing than the last time. */
  function changesProblems(row: number, { host }: BatchState): boolean {
    if (!host) return false
    const [before, problems] = [servers.get(row, 'problems'), problemsOf(host)]
    servers.set(row, 'problems', problems)
    return problems !== before
  }

  /** Servers that have been silent for long are read from the table. */
  function evictIdle(nowMs: number): void {
    for (const serverId of servers.keys()) {
      const row = servers.rowOf(serverId) as number
      const isIdle = servers.get(row, 'isDirty') === 0 && !storing.has(row)
      if (isIdle && nowMs - servers.get(row, 'lastPushMs') > IDLE_MS) servers.remove(serverId)
    }
  }

  function fresh(serverId: string): FreshState | undefined {
    const row = servers.rowOf(serverId)
    if (row === undefined) return undefined
    const parts = { ...storing.get(row), ...pending.get(row) }
    return Object.keys(parts).length === 0 ? undefined : { stateAtMs: servers.get(row, 'stateAtMs'), ...toValues(parts) }
  }

  return { servers, storing, begin, takeBack, changeOf, meet, take, changesProblems, evictIdle, fresh }
}

const toValues = (parts: Parts): Omit<FreshState, 'stateAtMs'> =>
  Object.fromEntries(Object.entries(parts).map(([part, json]) => [part, JSON.parse(json) as unknown]))

/** 0 without a problem; two sets of names differ with near certainty. */
function problemsOf({ failed_units: units = [], missing_processes: processes = [] }: HostState): number {
  return units.length + processes.length === 0 ? 0 : crc32([...units, '', ...processes].join('\n'))
}

const IDLE_MS = HOUR_MS
const SWEEP_EVERY_MS = 60_000
