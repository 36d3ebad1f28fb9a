import type { BatchState } from '@vedette/shared'
import type { Clock } from '../platform/clock.ts'
import type { Db } from '../platform/db/index.ts'
import { type ServerState, type StateChange, upsertStates } from '../servers/index.ts'

export interface PushNews {
  organization: number
  serverId: string
  receivedAtMs: number
  /** Newest instant of the push, ms; undefined when every sample was refused. */
  newestAtMs: number | undefined
  state: BatchState
  /** The table of pushes shows that this one came: it stored something. */
  isStored: boolean
}

/** The state that pushes bring beside samples, kept in memory and stored now and then: an upsert per push would cost 61 % more WAL. */
export interface StateBuffer {
  note(news: PushNews): void
  /** The newest state of the server where this instance knows one that may not be stored yet. */
  fresh(serverId: string): ServerState | undefined
  /** Stores what is due. Called every few seconds. */
  flush(): Promise<void>
  /** Stores everything. Called at the end. */
  flushAll(): Promise<void>
}

/** A server's state is stored at most so often. */
const STORE_EVERY_MS = 60_000

/** In one statement: those of a whole fleet would hold up every push for a second while they are written down. */
const STORE_AT_ONCE = 500

/** The table of pushes tells of the last day; beyond that the instant of the last push is read from the state. */
const STORE_LAST_PUSH_EVERY_MS = 3_600_000

interface Entry extends StateChange {
  /** Newest instant seen in any push, ms. */
  newestAtMs: number
  storedAtMs: number
  isDirty: boolean
}

export function createStateBuffer(db: Db, clock: Clock): StateBuffer {
  const entries = new Map<string, Entry>()

  /** Where it fails, those that were not stored yet are due again. */
  async function store(due: readonly Entry[]): Promise<void> {
    for (let at = 0; at < due.length; at += STORE_AT_ONCE) await storeSome(due.slice(at, at + STORE_AT_ONCE))
  }

  async function storeSome(due: readonly Entry[]): Promise<void> {
    for (const entry of due) entry.isDirty = false
    try {
      await upsertStates(db, due)
    } catch (error) {
      for (const entry of due) entry.isDirty = true
      throw error
    }
    for (const entry of due) entry.storedAtMs = clock.now()
  }

  return {
    note: (news) => {
      const entry = entries.get(news.serverId) ?? newEntry(news)
      entries.set(news.serverId, entry)
      take(entry, news)
    },
    fresh: (serverId) => {
      const entry = entries.get(serverId)
      // A copy: the next push changes the entry under its reader.
      return entry && entry.stateAtMs > 0 ? { ...entry } : undefined
    },
    flush: () => {
      const now = clock.now()
      const due = [...entries.values()].filter((entry) => entry.isDirty && now - entry.storedAtMs >= STORE_EVERY_MS)
      forgetIdle(entries, now)
      return store(due)
    },
    flushAll: () => store([...entries.values()].filter((entry) => entry.isDirty)),
  }
}

const newEntry = ({ organization, serverId }: PushNews): Entry => ({
  organization,
  serverId,
  lastPushMs: 0,
  stateAtMs: 0,
  newestAtMs: 0,
  filesystems: [],
  interfaces: [],
  processes: [],
  host: {},
  storedAtMs: 0,
  isDirty: false,
})

/** In place: while an entry is being stored it is still the one that learns whether that succeeded. */
function take(entry: Entry, { receivedAtMs, newestAtMs = 0, state, isStored }: PushNews): void {
  const { filesystems, interfaces, processes, host } = state
  const bringsState = (filesystems ?? interfaces ?? processes ?? host) !== undefined && newestAtMs >= entry.stateAtMs
  // A push of old samples is not among the newest rows by which readers tell when a server was last seen.
  const isHidden = !isStored || newestAtMs < entry.newestAtMs
  if (bringsState || isHidden || receivedAtMs - entry.storedAtMs > STORE_LAST_PUSH_EVERY_MS) entry.isDirty = true
  entry.newestAtMs = Math.max(entry.newestAtMs, newestAtMs)
  entry.lastPushMs = Math.max(entry.lastPushMs, receivedAtMs)
  if (!bringsState) return
  entry.stateAtMs = newestAtMs
  if (filesystems) entry.filesystems = filesystems
  if (interfaces) entry.interfaces = interfaces
  if (processes) entry.processes = processes
  if (host) entry.host = host
}

/** Servers that have been silent for long are read from the table. */
const IDLE_MS = 3_600_000

function forgetIdle(entries: Map<string, Entry>, now: number): void {
  for (const [id, entry] of entries) if (!entry.isDirty && now - entry.lastPushMs > IDLE_MS) entries.delete(id)
}
