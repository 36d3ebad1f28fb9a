/** So many that the shares of two processes seldom differ by more than a tenth. */
export const SLICES = 1_024

/** A part of the slices into which work is divided. An object of this type never changes: another part is another object. */
export interface Slices {
  /** Ascending. */
  ids: readonly number[]
  /** Whether something with this number is in the part. */
  has(number: number): boolean
}

const toSlices = (ids: readonly number[]): Slices => {
  const all = new Set(ids)
  return { ids, has: (number) => all.has(number % SLICES) }
}

const IDS = Array.from({ length: SLICES }, (_, id) => id)

export const ALL_SLICES = toSlices(IDS)
export const NO_SLICES = toSlices([])

/**
 * The slices of a process: each belongs to the process with the highest score for it (rendezvous hashing). So a process that joins
 * takes slices from all others, one that leaves gives its own away, and no slice moves between two that stay: while they do not know
 * of the same processes yet, some slices may have two, but none is without one. Pure.
 */
export function slicesOf(holder: string, others: readonly string[]): Slices {
  if (others.length === 0) return ALL_SLICES
  const own = seedOf(holder)
  const seeds = others.map(seedOf)
  return toSlices(IDS.filter((id) => seeds.every((seed) => scoreOf(id, seed) <= scoreOf(id, own))))
}

/** Of a random id. */
const seedOf = (id: string): number => Number.parseInt(id.slice(0, 8), 16)

/** The finalizer of MurmurHash3. Different seeds have different scores for the same slice, as each of its steps can be reversed. */
function scoreOf(slice: number, seed: number): number {
  let hash = seed ^ Math.imul(slice + 1, 0x9e3779b1)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}
