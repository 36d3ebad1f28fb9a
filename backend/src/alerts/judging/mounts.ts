import { readMountsOfMany } from '../../metrics/index.ts'
import type { Db } from '../../platform/db/index.ts'
import { keepOnce } from '../../platform/keep-once.ts'
import type { Mounts } from './server-values.ts'

interface Key {
  organization: number
  server: number
}

/** Knows the mounts of servers; they are given numbers once, and keep them. */
export interface KnownMounts {
  /** Reads those of the servers that are not known yet, all in one statement. */
  meet(servers: readonly Key[]): Promise<void>
  /** Those of a server, read anew where a number is not known yet. */
  of(server: Key, numbers: readonly number[]): Promise<Mounts>
}

/** What is forgotten is read again. */
const MAX_KNOWN = 200_000
/** Different ones, some 400 bytes each. */
const MAX_KINDS = 100_000
const NONE: Mounts = new Map()

export function createMounts(db: Db): KnownMounts {
  const known = new Map<number, Mounts>()
  const once = keepOnce<Mounts>(MAX_KINDS)

  async function read(servers: readonly Key[]): Promise<void> {
    const mounts = await readMountsOfMany(db, servers)
    for (const [index, { server }] of servers.entries()) {
      // The oldest first: forgetting all at once would have all of them read at once.
      if (known.size >= MAX_KNOWN) known.delete(known.keys().next().value as number)
      const own = [...(mounts[index] ?? NONE)].sort(([one], [other]) => one - other)
      known.set(
        server,
        once(JSON.stringify(own), () => new Map(own)),
      )
    }
  }

  return {
    meet: async (servers) => {
      const strangers = servers.filter(({ server }) => !known.has(server))
      if (strangers.length > 0) await read(strangers)
    },
    of: async (key, numbers) => {
      if (numbers.length === 0) return NONE
      const mounts = known.get(key.server)
      if (mounts && numbers.every((number) => mounts.has(number))) return mounts
      await read([key])
      return known.get(key.server) ?? NONE
    },
  }
}
