import { hash } from 'node:crypto'
import { HOUR_MS } from '@vedette/shared'
import type { Db } from '../../../platform/db/index.ts'
import {
  countActive,
  findByHash,
  insertSeries,
  lowerFirstSeen,
  type NewSeries,
  type NumberedSeries,
  touchSeries,
} from '../storage/series-store.ts'
import type { LabelSet } from '../decoding/index.ts'

/** A series counts as active for this long after its last samples. */
const ACTIVE_MS = 2 * HOUR_MS
/** How often it is written that a series still has samples. */
const TOUCH_MS = HOUR_MS
/** The count of active series is read again after this time. */
const COUNTED_MS = 60_000
/** Some 150 bytes each. What is dropped is read again when it is needed. */
const MAX_KNOWN = 300_000

export interface KnownSeries {
  number: number
  target: number
}

interface Numbered extends KnownSeries {
  /** The instant of its first sample and when samples came last, as they are stored, ms. */
  firstMs: number
  lastSeenMs: number
}

export interface Resolved {
  known: Map<LabelSet, KnownSeries>
  /** Those beyond the bound, by name. */
  refused: Map<string, number>
}

/** Of each label set the instant of its first sample, ms. */
export type FirstInstants = ReadonlyMap<LabelSet, number>

export interface SeriesRegistry {
  /** Gives numbers to label sets, which have samples from an instant on. At most `limit` series of the organization are active: beyond that new ones are refused. */
  resolve(organization: number, sets: FirstInstants, limit: number, nowMs: number): Promise<Resolved>
}

/** What this process knows of series. */
export function createSeriesRegistry(db: Db): SeriesRegistry {
  const numbers = createNumbers()
  const numbersOf = createNumbering(db, numbers)

  async function resolve(organization: number, sets: FirstInstants, limit: number, nowMs: number): Promise<Resolved> {
    const known = await numbersOf(organization, sets, limit, nowMs)
    const resolved: Resolved = { known, refused: new Map() }
    const silent = new Map<number, Numbered>()
    const earlier = new Map<Numbered, number>()
    for (const [set, firstMs] of sets) {
      const own = known.get(set)
      if (!own) resolved.refused.set(nameOf(set), (resolved.refused.get(nameOf(set)) ?? 0) + 1)
      else if (own.lastSeenMs < nowMs - TOUCH_MS) silent.set(own.number, own)
      if (own && firstMs < own.firstMs) earlier.set(own, Math.floor(firstMs / HOUR_MS) * HOUR_MS)
    }
    if (earlier.size > 0) await lower(organization, earlier)
    if (silent.size === 0) return resolved
    const touched = await touchSeries(db, organization, [...silent.keys()], nowMs)
    for (const own of silent.values()) own.lastSeenMs = nowMs
    if (touched.size === silent.size) return resolved
    // Some were silent for so long that they are deleted: they are made again.
    numbers.clear()
    return resolve(organization, sets, limit, nowMs)
  }

  /** To whole hours: one that sends backwards does it once for each. */
  async function lower(organization: number, earlier: ReadonlyMap<Numbered, number>): Promise<void> {
    const numbers = [...earlier.keys()].map(({ number }) => number)
    await lowerFirstSeen(db, organization, numbers, [...earlier.values()])
    for (const [own, firstMs] of earlier) own.firstMs = Math.min(own.firstMs, firstMs)
  }

  return { resolve }
}

/** Gives numbers to label sets that have none, as far as there is room. */
function createNumbering(db: Db, numbers: ReturnType<typeof createNumbers>) {
  const roomOf = createActiveCounts(db)
  // One request of an organization at a time makes series, so that two do not count the same one twice.
  const making = new Map<number, Promise<unknown>>()

  function inTurn<Result>(organization: number, work: () => Promise<Result>): Promise<Result> {
    const turn = (making.get(organization) ?? Promise.resolve()).then(work)
    const ended = turn.catch(() => undefined)
    making.set(organization, ended)
    void ended.then(() => making.get(organization) === ended && making.delete(organization))
    return turn
  }

  /** Those that are stored, and as many of the others as there is room for, by the hash of their labels. */
  async function learn(
    organization: number,
    wanted: ReadonlyMap<string, NewSeries>,
    limit: number,
    nowMs: number,
  ): Promise<Map<string, Numbered>> {
    const learned = new Map<string, Numbered>()
    const keep = (row: NumberedSeries) => {
      const key = row.hash.toString('latin1')
      learned.set(key, {
        number: row.number,
        target: (wanted.get(key) as NewSeries).target,
        firstMs: row.first_seen,
        lastSeenMs: row.last_seen,
      })
    }
    const stored = await findByHash(db, organization, hashesOf(wanted.values()))
    const [active, idle] = [[] as NumberedSeries[], [] as NumberedSeries[]]
    for (const row of stored) (row.last_seen >= nowMs - ACTIVE_MS ? active : idle).push(row)
    active.forEach(keep)
    const there = new Set(stored.map((row) => row.hash.toString('latin1')))
    const missing = [...wanted].filter(([key]) => !there.has(key)).map(([, row]) => row)
    if (idle.length + missing.length === 0) return learned
    const room = await roomOf(organization, limit, nowMs)
    const woken = idle.slice(0, room.left)
    woken.forEach(keep)
    const added = missing.slice(0, room.left - woken.length)
    if (added.length > 0) {
      await insertSeries(db, organization, added, nowMs)
      for (const row of await findByHash(db, organization, hashesOf(added))) keep(row)
    }
    room.take(woken.length + added.length)
    return learned
  }

  return async (organization: number, sets: FirstInstants, limit: number, nowMs: number) => {
    const found = new Map<LabelSet, Numbered>()
    const find = (set: LabelSet) => {
      const known = numbers.find(organization, set)
      if (known) found.set(set, known)
      return known !== undefined
    }
    const unknown = [...sets.keys()].filter((set) => !find(set))
    if (unknown.length > 0)
      await inTurn(organization, async () => {
        const rows = new Map(unknown.filter((set) => !find(set)).map((set) => [set, newSeriesOf(set, sets.get(set) as number)]))
        const wanted = new Map([...rows.values()].map((row) => [row.hash.toString('latin1'), row]))
        const learned = rows.size === 0 ? undefined : await learn(organization, wanted, limit, nowMs)
        for (const [set, row] of rows) {
          const known = learned?.get(row.hash.toString('latin1'))
          if (known) found.set(set, numbers.keep(organization, set, row.hash, known))
        }
      })
    return found
  }
}

/** The numbers of label sets, by the set itself and by its hash. */
function createNumbers() {
  let bySet = new WeakMap<LabelSet, { organization: number; known: Numbered }>()
  let byHash = new Map<string, Numbered>()
  const clear = () => {
    bySet = new WeakMap()
    byHash = new Map()
  }
  return {
    clear,
    find(organization: number, set: LabelSet): Numbered | undefined {
      const own = bySet.get(set)
      if (own?.organization === organization) return own.known
      const known = byHash.get(keyOf(organization, hashOf(set)))
      if (known) bySet.set(set, { organization, known })
      return known
    },
    keep(organization: number, set: LabelSet, digest: Buffer, known: Numbered): Numbered {
      if (byHash.size >= MAX_KNOWN) clear()
      byHash.set(keyOf(organization, digest), known)
      bySet.set(set, { organization, known })
      return known
    },
  }
}

/** How many more series of an organization may be active; counted again after a minute. */
function createActiveCounts(db: Db) {
  const counts = new Map<number, { active: number; atMs: number }>()
  return async (organization: number, limit: number, nowMs: number) => {
    let counted = counts.get(organization)
    if (!counted || nowMs - counted.atMs >= COUNTED_MS) {
      counted = { active: await countActive(db, organization, nowMs - ACTIVE_MS, limit), atMs: nowMs }
      counts.set(organization, counted)
    }
    const own = counted
    return {
      left: Math.max(0, limit - own.active),
      take: (series: number) => {
        own.active += series
      },
    }
  }
}

const hashesOf = (rows: Iterable<NewSeries>): Buffer[] => [...rows].map((row) => row.hash)
const keyOf = (organization: number, digest: Buffer): string => `${organization}/${digest.toString('latin1')}`

/** 128 bits: two label sets with one hash are not expected in the life of an installation. */
const hashOf = (set: LabelSet): Buffer => hash('sha256', JSON.stringify(set), 'buffer').subarray(0, 16)

const valueOf = (set: LabelSet, name: string): string => set.find(([own]) => own === name)?.[1] ?? ''
const nameOf = (set: LabelSet): string => valueOf(set, '__name__')

function newSeriesOf(set: LabelSet, firstMs: number): NewSeries {
  const name = nameOf(set)
  return { hash: hashOf(set), target: targetOf(set, name), name, labels: Object.fromEntries(set), firstMs }
}

/**
 * Where its samples are pushed to: one number for all series of one job and instance. Others share it where their hashes are equal,
 * which costs reading time and nothing else.
 */
function targetOf(set: LabelSet, name: string): number {
  const [job, instance] = [valueOf(set, 'job'), valueOf(set, 'instance')]
  const place = job === '' && instance === '' ? name : `${job}\0${instance}`
  return hash('sha256', place, 'buffer').readUInt32LE() >>> 1
}
