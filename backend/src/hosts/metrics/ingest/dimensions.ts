import { DIMENSION_KINDS, type DimensionKind, MAX_DIMENSIONS } from '@vedette/shared'
import { type Db, inTransaction, isDistributed, type Pool } from '../../../platform/db/index.ts'
import { ApiError } from '../../../platform/errors.ts'
import { createRequestBatcher } from '../../../platform/concurrency/request-batcher.ts'
import type { Clock } from '../../../platform/time/clock.ts'
import { createInterner } from '../../../platform/collections/interner.ts'
import { lockServer, lockServers } from '../../servers/index.ts'
import { DAY_MS } from '../storage/schedule.ts'
import { leaseOf } from '../storage/slot-lease.ts'
import type { Named, Slots } from './batch/push.ts'
import {
  type LeasedSlot,
  readSlotsById,
  readSlotsIn,
  readSlotsOfMany,
  storeSlots,
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

/** The slots of a server, until the lease of one of them changes. */
interface CachedSlots {
  slots: ServerSlots
  untilDay: number
}

export interface DimensionDeps {
  pool: Pick<Pool, 'db' | 'queryNamed'>
  clock: Clock
  /** How long samples or their means are kept. */
  retentionMs: number
}

export function createDimensions({ pool, clock, retentionMs }: DimensionDeps): Dimensions {
  const cache = new Map<string, CachedSlots>()
  const today = () => Math.floor(clock.now() / DAY_MS)
  const assigned = createRequestBatcher(
    (wanted: readonly UnnamedSlots[]) => assignAll(pool, wanted, { today: today(), retentionMs }),
    ASSIGN_AT_ONCE,
  )
  const slotsAre = createRequestBatcher((wanted: readonly WantedSlots[]) => readSlotsOfMany(pool, wanted), READ_AT_ONCE)
  const once = createInterner<ServerSlots>(MAX_KINDS)
  let waiting = 0

  function cacheSlots(serverId: string, rows: readonly LeasedSlot[]): CachedSlots {
    if (cache.size >= MAX_CACHED_SERVERS) cache.clear()
    const day = today()
    const usable = rows.filter((row) => leaseOf(row.last_day, retentionMs).usableUntilDay >= day)
    const sorted = usable.toSorted((one, other) =>
      one.kind === other.kind ? one.slot - other.slot : one.kind < other.kind ? -1 : 1,
    )
    const slots = once(JSON.stringify(sorted.map(({ kind, slot, name }) => [kind, slot, name])), () => ({
      mount: slotsIn(sorted, 'mount'),
      interface: slotsIn(sorted, 'interface'),
    }))
    const cached = { slots, untilDay: nextChange(rows, day, retentionMs) }
    cache.set(serverId, cached)
    return cached
  }

  function cachedOf(serverId: string | undefined): CachedSlots | undefined {
    const cached = serverId === undefined ? undefined : cache.get(serverId)
    return cached && cached.untilDay >= today() ? cached : undefined
  }

  return {
    slotsOf: (serverId) => toSlots(cachedOf(serverId)),
    assignSlots: async (organization, serverId, names, samples) => {
      if (waiting > 0 && waiting + samples > MAX_WAITING_SAMPLES) throw tooMany()
      waiting += samples
      try {
        const { slots } = cacheSlots(serverId, await slotsAre({ organization, serverId }))
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

/** The last day before a slot can no longer be used, or can be given to another name. */
function nextChange(rows: readonly LeasedSlot[], day: number, retentionMs: number): number {
  const changes = rows.flatMap(({ last_day: lastDay }) => {
    const { usableUntilDay, reusableFromDay } = leaseOf(lastDay, retentionMs)
    return [usableUntilDay, reusableFromDay - 1]
  })
  return Math.min(...changes.filter((change) => change >= day), Number.MAX_SAFE_INTEGER)
}

const tooMany = () =>
  new ApiError('unavailable', 'Too many servers push for the first time; the samples were not taken. Please send them again.', {
    retryAfterSeconds: 10,
  })

function toSlots(cached: CachedSlots | undefined): Slots {
  return {
    slotOf: (kind, name) => cached?.slots[kind].get(name),
    isFull: (kind) => (cached?.slots[kind].size ?? 0) >= MAX_DIMENSIONS,
  }
}

/** Names of a server that may have no slot. */
interface UnnamedSlots extends WantedSlots {
  names: readonly Named[]
}

interface Leases {
  today: number
  retentionMs: number
}

/** All slots of these servers afterwards, in their order. */
async function assignAll({ db }: Pick<Pool, 'db'>, wanted: readonly UnnamedSlots[], leases: Leases): Promise<LeasedSlot[][]> {
  // Citus cannot lock rows of several organizations by one statement.
  if (!(await isDistributed(db))) return inTransaction(db, (transaction) => assignTogether(transaction, wanted, leases))
  const results: LeasedSlot[][] = []
  for (const one of wanted) results.push(await inTransaction(db, (transaction) => assignAlone(transaction, one, leases)))
  return results
}

async function assignTogether(db: Db, wanted: readonly UnnamedSlots[], leases: Leases): Promise<LeasedSlot[][]> {
  const locked = await lockServers(
    db,
    wanted.map(({ organization, serverId: id }) => ({ organization, id })),
  )
  const servers = new Map(locked.map((server) => [server.id, server]))
  const slots = new Map((await readSlotsIn(db, wanted)).map((rows, index) => [(wanted[index] as UnnamedSlots).serverId, rows]))
  const changed: ServerSlotRow[] = []
  for (const { organization, serverId, names } of wanted) {
    const server = servers.get(serverId)
    const existing = slots.get(serverId) ?? []
    if (!server) continue
    const claimed = DIMENSION_KINDS.flatMap((kind) => claimSlots(kind, existing, names, leases))
    slots.set(serverId, withClaimed(existing, claimed))
    changed.push(...claimed.map((row) => ({ organization, server: server.number, ...row })))
  }
  await storeSlots(db, changed)
  return wanted.map(({ serverId }) => slots.get(serverId) ?? [])
}

async function assignAlone(db: Db, { organization, serverId, names }: UnnamedSlots, leases: Leases): Promise<LeasedSlot[]> {
  const server = await lockServer(db, organization, serverId)
  if (!server) return []
  const existing = await readSlotsById(db, organization, serverId)
  const claimed = DIMENSION_KINDS.flatMap((kind) => claimSlots(kind, existing, names, leases))
  await storeSlots(
    db,
    claimed.map((row) => ({ organization, server: server.number, ...row })),
  )
  return withClaimed(existing, claimed)
}

/** The slots that these names get: their own again, where another name has not taken it meanwhile, else a free one. */
function claimSlots(
  kind: DimensionKind,
  existing: readonly LeasedSlot[],
  names: readonly Named[],
  { today, retentionMs }: Leases,
): LeasedSlot[] {
  const rows = new Map(existing.flatMap((row) => (row.kind === kind ? [[row.name, row]] : [])))
  const wanted = [...new Set(names.flatMap((named) => (named.kind === kind ? [named.name] : [])))]
  const renewed = wanted.flatMap((name) => {
    const row = rows.get(name)
    return row && leaseOf(row.last_day, retentionMs).usableUntilDay < today
      ? [{ kind, slot: row.slot, name, last_day: today }]
      : []
  })
  const free = freeSlots(kind, withClaimed(existing, renewed), today, retentionMs)
  const added = wanted
    .filter((name) => !rows.has(name))
    .slice(0, free.length)
    .map((name, index) => ({ kind, slot: free[index] as number, name, last_day: today }))
  return [...renewed, ...added]
}

/** The slots that a name can get, lowest first. */
function freeSlots(kind: DimensionKind, rows: readonly LeasedSlot[], day: number, retentionMs: number): number[] {
  const taken = new Set(
    rows.flatMap((row) => (row.kind === kind && leaseOf(row.last_day, retentionMs).reusableFromDay > day ? [row.slot] : [])),
  )
  return Array.from({ length: MAX_DIMENSIONS }, (_, slot) => slot).filter((slot) => !taken.has(slot))
}

const withClaimed = (existing: readonly LeasedSlot[], claimed: readonly LeasedSlot[]): LeasedSlot[] => [
  ...existing.filter((row) => !claimed.some(({ kind, slot }) => kind === row.kind && slot === row.slot)),
  ...claimed,
]
