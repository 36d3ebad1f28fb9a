import { DIMENSION_KINDS, type DimensionKind, MAX_DIMENSIONS } from '@vedette/shared'
import { type Db, inTransaction, isDistributed, type Pool } from '../../platform/db/index.ts'
import { ApiError } from '../../platform/errors.ts'
import { createRequestBatcher } from '../../platform/concurrency/request-batcher.ts'
import { createInterner } from '../../platform/collections/interner.ts'
import { lockServer, lockServers } from '../../servers/index.ts'
import type { Named, Slots } from './batch/push.ts'
import {
  insertSlots,
  readSlotsById,
  readSlotsIn,
  readSlotsOfMany,
  type ServerSlotRow,
  type SlotRow,
  type WantedSlots,
} from '../storage/dimension-store.ts'

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
/** Servers that are given slots by one transaction. */
const ASSIGN_AT_ONCE = 100

type ServerSlots = Readonly<Record<DimensionKind, ReadonlyMap<string, number>>>

export function createDimensions(pool: Pick<Pool, 'db' | 'queryNamed'>): Dimensions {
  const cache = new Map<string, ServerSlots>()
  const assigned = createRequestBatcher((wanted: readonly UnnamedSlots[]) => assignAll(pool, wanted), ASSIGN_AT_ONCE)
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
        cacheSlots(serverId, await assigned({ organization, serverId, names }))
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

/** Names of a server that may have no slot. */
interface UnnamedSlots extends WantedSlots {
  names: readonly Named[]
}

/** All slots of these servers afterwards, in their order. */
async function assignAll({ db }: Pick<Pool, 'db'>, wanted: readonly UnnamedSlots[]): Promise<SlotRow[][]> {
  // Citus cannot lock rows of several organizations by one statement.
  if (!(await isDistributed(db))) return inTransaction(db, (transaction) => assignTogether(transaction, wanted))
  const results: SlotRow[][] = []
  for (const one of wanted) results.push(await inTransaction(db, (transaction) => assignAlone(transaction, one)))
  return results
}

async function assignTogether(db: Db, wanted: readonly UnnamedSlots[]): Promise<SlotRow[][]> {
  const locked = await lockServers(
    db,
    wanted.map(({ organization, serverId: id }) => ({ organization, id })),
  )
  const servers = new Map(locked.map((server) => [server.id, server]))
  const slots = new Map((await readSlotsIn(db, wanted)).map((rows, index) => [(wanted[index] as UnnamedSlots).serverId, rows]))
  const added: ServerSlotRow[] = []
  for (const { organization, serverId, names } of wanted) {
    const server = servers.get(serverId)
    const existing = slots.get(serverId) ?? []
    if (!server) continue
    const free = DIMENSION_KINDS.flatMap((kind) => freeSlots(kind, existing, names))
    slots.set(serverId, [...existing, ...free])
    added.push(...free.map((row) => ({ organization, server: server.number, ...row })))
  }
  await insertSlots(db, added)
  return wanted.map(({ serverId }) => slots.get(serverId) ?? [])
}

async function assignAlone(db: Db, { organization, serverId, names }: UnnamedSlots): Promise<SlotRow[]> {
  const server = await lockServer(db, organization, serverId)
  if (!server) return []
  const existing = await readSlotsById(db, organization, serverId)
  const added = DIMENSION_KINDS.flatMap((kind) => freeSlots(kind, existing, names))
  await insertSlots(
    db,
    added.map((row) => ({ organization, server: server.number, ...row })),
  )
  return [...existing, ...added]
}

function freeSlots(kind: DimensionKind, existing: readonly SlotRow[], names: readonly Named[]): SlotRow[] {
  const own = existing.filter((row) => row.kind === kind)
  const taken = new Set(own.map(({ name }) => name))
  const wanted = new Set(names.flatMap((named) => (named.kind === kind && !taken.has(named.name) ? [named.name] : [])))
  return [...wanted].slice(0, MAX_DIMENSIONS - own.length).map((name, index) => ({ kind, slot: own.length + index, name }))
}
