import type { FamilyLines } from './format.ts'

export interface CachedPart {
  /** Of what the lines were made from, ms. */
  receivedAtMs: number
  /** Of the first sample of what the lines were made from, ms. */
  firstMs: number
  /** Of the newest value, ms. */
  atMs: number
  lines: readonly FamilyLines[]
}

/** The lines of a host, of its newest push and of its newest entities. */
export interface CachedHost {
  /** What the lines state of the host itself, its name among it. */
  facts: string
  about: readonly FamilyLines[]
  push?: CachedPart
  entities?: CachedPart
}

export interface HostCache {
  /** Undefined where nothing is known, or other facts. */
  find(id: string, facts: string, nowMs: number): CachedHost | undefined
  /** Does nothing where there is no room. */
  keep(id: string, lines: CachedHost): void
  /** Evicts hosts that nobody reads any more. Called at each scrape. */
  sweep(nowMs: number): void
}

/** Characters: some 10,000 hosts with 50 lines. The lines of others are made again at each scrape. */
const MAX_SIZE = 64_000_000
const IDLE_MS = 300_000

interface Entry {
  host: CachedHost
  size: number
  readMs: number
}

export function createHostCache(maxSize = MAX_SIZE): HostCache {
  const entries = new Map<string, Entry>()
  let [size, sweptMs] = [0, 0]

  function evict(id: string): void {
    size -= entries.get(id)?.size ?? 0
    entries.delete(id)
  }

  return {
    find: (id, facts, nowMs) => {
      const entry = entries.get(id)
      if (!entry || entry.host.facts !== facts) return undefined
      entry.readMs = nowMs
      return entry.host
    },
    keep: (id, host) => {
      const before = entries.get(id)
      if (before?.host === host && before.size === sizeOf(host)) return
      evict(id)
      const own = sizeOf(host)
      if (size + own > maxSize) return
      size += own
      entries.set(id, { host, size: own, readMs: before?.readMs ?? sweptMs })
    },
    sweep: (nowMs) => {
      if (nowMs - sweptMs < IDLE_MS / 5) return
      sweptMs = nowMs
      for (const [id, { readMs }] of entries) if (nowMs - readMs > IDLE_MS) evict(id)
    },
  }
}

const sizeOf = ({ about, push, entities }: CachedHost): number =>
  [...about, ...(push?.lines ?? []), ...(entities?.lines ?? [])].reduce((sum, [, text]) => sum + text.length, 0)
