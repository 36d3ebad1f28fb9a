import { readMountsOfMany } from '../../../hosts/metrics/index.ts'
import type { Db } from '../../../platform/db/index.ts'
import { createInterner } from '../../../platform/collections/interner.ts'
import type { Mounts } from './server-values.ts'

interface Key {
  organization: number
  server: number
}

/** Caches the mounts of servers: the number of a mount never changes. */
export interface MountCache {
  /** Reads the servers that are not cached, in one statement. */
  load(servers: readonly Key[]): Promise<void>
  /** Those of a server; reads again where a number is not cached. */
  get(server: Key, numbers: readonly number[]): Promise<Mounts>
}

/** Evicted entries are read again. */
const MAX_SERVERS = 200_000
/** Different sets of mounts, some 400 bytes each. */
const MAX_DISTINCT = 100_000
const NO_MOUNTS: Mounts = new Map()

export function createMountCache(db: Db): MountCache {
  const cache = new Map<number, Mounts>()
  const once = createInterner<Mounts>(MAX_DISTINCT)

  async function read(servers: readonly Key[]): Promise<void> {
    const mounts = await readMountsOfMany(db, servers)
    for (const [index, { server }] of servers.entries()) {
      // The oldest first: if all were evicted at once, all would be read at once.
      if (cache.size >= MAX_SERVERS) cache.delete(cache.keys().next().value as number)
      const entries = [...(mounts[index] ?? NO_MOUNTS)].sort(([one], [other]) => one - other)
      cache.set(
        server,
        once(JSON.stringify(entries), () => new Map(entries)),
      )
    }
  }

  return {
    load: async (servers) => {
      const uncached = servers.filter(({ server }) => !cache.has(server))
      if (uncached.length > 0) await read(uncached)
    },
    get: async (key, numbers) => {
      if (numbers.length === 0) return NO_MOUNTS
      const mounts = cache.get(key.server)
      if (mounts && numbers.every((number) => mounts.has(number))) return mounts
      await read([key])
      return cache.get(key.server) ?? NO_MOUNTS
    },
  }
}
