import { DIMENSION_KINDS, type DimensionKind, MAX_DIMENSIONS } from '@vedette/shared'
import PQueue from 'p-queue'
import { type Db, inTransaction, type Pool, withFreshBudget, withinBudget } from '../../platform/db/index.ts'
import { ApiError } from '../../platform/errors.ts'
import { createRequestBatcher } from '../../platform/concurrency/request-batcher.ts'
import { createInterner } from '../../platform/collections/interner.ts'
import { lockServer } from '../../servers/index.ts'
import type { Named, Slots } from './batch/push.ts'
import { insertSlots, readSlotsById, readSlotsOfMany, type SlotRow, type WantedSlots } from '../storage/dimension-store.ts'

/** Knows the slots of servers that push here. */
export interface Dimensions {
  /** As far as they are known to this instance. */
  slotsOf(serverId: string | undefined): Slots
  /**
   * Gives slots to names that have none, as far as there are free ones; afterwards `slotsOf` knows what there is. Throws unavailable
   * where too many wait for theirs.
   */
  assignSlots(organization: number, serverId: string, names: readonly Named[], samples: number): Promise<void>
}

/** What is forgotten is read again with the next push. */
const MAX_CACHED_SERVERS = 200_000
/** Different ones, some 600 bytes each: most hosts of a fleet have the same mounts and interfaces. */
const MAX_KINDS = 100_000
/** Servers whose slots are read by one statement. */
const READ_AT_ONCE = 500

/**
 * Pushes that wait for slots hold all of their samples, and are not yet among those whose bytes are counted: so many samples may, some
 * 40 MB as they were parsed. One push may have more, if it is alone.
 */
export const MAX_WAITING_SAMPLES = 20_000
/** Each uses a connection; the other connections remain for requests without new names. */
const MAX_CONCURRENT_INSERTS = 4

type ServerSlots = Readonly<Record<DimensionKind, ReadonlyMap<string, number>>>

export function createDimensions(pool: Pick<Pool, 'db' | 'queryNamed'>): Dimensions {
  const cache = new Map<string, ServerSlots>()
  const giving = new PQueue({ concurrency: MAX_CONCURRENT_INSERTS })
  const slotsAre = createRequestBatcher((wanted: readonly WantedSlots[]) => readSlotsOfMany(pool, wanted), READ_AT_ONCE)
  const once = createInterner<ServerSlots>(MAX_KINDS)
  let waiting = 0

  function cacheSlots(serverId: string, rows: readonly SlotRow[]): ServerSlots {
    if (cache.size >= MAX_CACHED_SERVERS) cache.clear()
    const sorted = rows.toSorted((one, other) =>
      one.kind === other.kind ? one.slot - other.slot : one.kind < other.kind ? -1 : 1,
    )
    const slots = once(JSON.stringify(sorted.map(({ kind, slot, name }) => [kind, slot, name])), () => ({
      mount: slotsIn(sorted, 'mount'),
      interface: slotsIn(sorted, 'interface'),
    }))
    cache.set(serverId, slots)
    return slots
  }

  return {
    slotsOf: (serverId) => toSlots(serverId === undefined ? undefined : cache.get(serverId)),
    assignSlots: async (organization, serverId, names, samples) => {
      if (waiting > 0 && waiting + samples > MAX_WAITING_SAMPLES) throw tooMany()
      waiting += samples
      try {
        const slots = cacheSlots(serverId, await slotsAre({ organization, serverId }))
        if (!names.some(({ kind, name }) => !slots[kind].has(name) && slots[kind].size < MAX_DIMENSIONS)) return
        cacheSlots(
          serverId,
          await withinBudget(giving.add(() => withFreshBudget(() => insertFreeSlots(pool.db, organization, serverId, names)))),
        )
      } finally {
        waiting -= samples
      }
    },
  }
}

const slotsIn = (rows: readonly SlotRow[], kind: DimensionKind): ReadonlyMap<string, number> =>
  new Map(rows.flatMap((row) => (row.kind === kind ? [[row.name, row.slot]] : [])))

const tooMany = () =>
  new ApiError('unavailable', 'Too many servers push for the first time; the samples were not taken. Please send them again.', {
    retryAfterSeconds: 10,
  })

function toSlots(slots: ServerSlots | undefined): Slots {
  return {
    slotOf: (kind, name) => slots?.[kind].get(name),
    isFull: (kind) => (slots?.[kind].size ?? 0) >= MAX_DIMENSIONS,
  }
}

function insertFreeSlots(db: Db, organization: number, serverId: string, names: readonly Named[]): Promise<SlotRow[]> {
  return inTransaction(db, async (transaction) => {
    const server = await lockServer(transaction, organization, serverId)
    if (!server) return []
    const existing = await readSlotsById(transaction, organization, serverId)
    const added = DIMENSION_KINDS.flatMap((kind) => freeSlots(kind, existing, names))
    await insertSlots(transaction, organization, server.number, added)
    return [...existing, ...added]
  })
}

function freeSlots(kind: DimensionKind, existing: readonly SlotRow[], names: readonly Named[]): SlotRow[] {
  const own = existing.filter((row) => row.kind === kind)
  const taken = new Set(own.map(({ name }) => name))
  const wanted = new Set(names.flatMap((named) => (named.kind === kind && !taken.has(named.name) ? [named.name] : [])))
  return [...wanted].slice(0, MAX_DIMENSIONS - own.length).map((name, index) => ({ kind, slot: own.length + index, name }))
}
