import type { Plan } from '@vedette/shared'
import { findPlan } from '../../../access/plans/index.ts'
import type { Db } from '../../../platform/db/index.ts'
import { notFound } from '../../../platform/errors.ts'
import { findServerNumber } from '../../servers/index.ts'

/** What a reading has to know of a server before it can begin. */
export interface CachedServer {
  server: number
  plan: Plan
}

/** What was found of servers that were asked about before: a guess, which the reading itself has to prove. */
export interface ServerCache {
  cached(organization: number, serverId: string): CachedServer | undefined
  /** As it is now; the guess from here on. Throws not_found across organizations. */
  find(organization: number, serverId: string): Promise<CachedServer>
}

/** Some 5 MB. */
const MAX_CACHED = 20_000

export function createServerCache(db: Db): ServerCache {
  const cache = new Map<string, CachedServer>()
  return {
    cached: (organization, serverId) => cache.get(`${organization}/${serverId}`),
    find: async (organization, serverId) => {
      const [server, plan] = await Promise.all([findServerNumber(db, organization, serverId), findPlan(db, organization)])
      if (server === undefined) {
        cache.delete(`${organization}/${serverId}`)
        throw notFound()
      }
      if (cache.size >= MAX_CACHED) cache.clear()
      cache.set(`${organization}/${serverId}`, { server, plan })
      return { server, plan }
    },
  }
}
