import type { Plan } from '@vedette/shared'
import { findPlan } from '../plans/index.ts'
import type { Db } from '../platform/db/index.ts'
import { notFound } from '../platform/errors.ts'
import { findServerNumber } from '../servers/index.ts'

/** What a reading has to know of a server before it can begin. */
export interface KnownServer {
  server: number
  plan: Plan
}

/** What was found of servers that were asked about before: a guess, which the reading itself has to prove. */
export interface KnownServers {
  guess(organization: number, serverId: string): KnownServer | undefined
  /** As it is now; the guess from here on. Throws not_found across organizations. */
  find(organization: number, serverId: string): Promise<KnownServer>
}

/** Some 5 MB. */
const MOST = 20_000

export function createKnownServers(db: Db): KnownServers {
  const known = new Map<string, KnownServer>()
  return {
    guess: (organization, serverId) => known.get(`${organization}/${serverId}`),
    find: async (organization, serverId) => {
      const [server, plan] = await Promise.all([findServerNumber(db, organization, serverId), findPlan(db, organization)])
      if (server === undefined) {
        known.delete(`${organization}/${serverId}`)
        throw notFound()
      }
      if (known.size >= MOST) known.clear()
      known.set(`${organization}/${serverId}`, { server, plan })
      return { server, plan }
    },
  }
}
