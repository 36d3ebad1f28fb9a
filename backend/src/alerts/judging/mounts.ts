import { readSlots } from '../../metrics/index.ts'
import type { Db } from '../../platform/db/index.ts'
import type { Mounts } from './server-values.ts'

/** Knows the mounts of servers; they are given numbers once, and keep them. */
export interface KnownMounts {
  /** Those of a server, read anew where a number is not known yet. */
  of(server: { organization: number; server: number }, numbers: readonly number[]): Promise<Mounts>
}

/** Some 50 MB; what is forgotten is read again. */
const MAX_KNOWN = 100_000
const NONE: Mounts = new Map()

export function createMounts(db: Db): KnownMounts {
  const known = new Map<number, Mounts>()
  return {
    of: async ({ organization, server }, numbers) => {
      if (numbers.length === 0) return NONE
      const mounts = known.get(server)
      if (mounts && numbers.every((number) => mounts.has(number))) return mounts
      if (known.size >= MAX_KNOWN) known.clear()
      const read = new Map((await readSlots(db, organization, server, 'mount')).map(({ slot, name }) => [slot, name]))
      known.set(server, read)
      return read
    },
  }
}
