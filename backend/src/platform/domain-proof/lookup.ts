import { Resolver } from 'node:dns/promises'

/** The values of the TXT records of a name, none where it has none; or the error code of a lookup that failed. */
export type TxtAnswer = { values: string[] } | { code: string }
export type TxtLookup = (name: string) => Promise<TxtAnswer>

/** A lost packet is repeated once; somebody may wait for the answer. */
const PATIENCE = { timeout: 2_000, tries: 2 }
const MISSING = new Set(['ENOTFOUND', 'ENODATA'])

/** Asks the name servers of the system, or these. */
export function createTxtLookup(servers?: readonly string[]): TxtLookup {
  return async (name) => {
    // A resolver reads the servers of the system once; there are few lookups.
    const resolver = new Resolver(PATIENCE)
    if (servers) resolver.setServers(servers)
    try {
      return { values: (await resolver.resolveTxt(name)).map((chunks) => chunks.join('')) }
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code ?? 'ESERVFAIL'
      return MISSING.has(code) ? { values: [] } : { code }
    }
  }
}
