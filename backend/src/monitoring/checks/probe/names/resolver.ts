import { Resolver } from 'node:dns'
import { readSystemConfig } from './system-config.ts'

/** A DNS response for one family: addresses, or the error code of c-ares. */
export type FamilyAnswer = { addresses: string[] } | { code: string }

export interface DnsResolver {
  query(name: string, family: 4 | 6, done: (answer: FamilyAnswer) => void): void
  /** The name servers in use, as `address` or `address:port`. */
  servers(): string[]
}

/** 1, 2, 4 s: a lost packet is repeated within the shortest usual timeout. The check's own deadline ends it earlier. */
const PATIENCE = { timeout: 1_000, tries: 3 }

/**
 * Queries with c-ares, which uses no thread of the pool. All checks share one resolver, because creating one reads the system's
 * configuration. It is created again when that changes, which the library does not notice.
 */
export function createDnsResolver(servers?: readonly string[]): DnsResolver {
  let resolver: Resolver | undefined
  let version: string | undefined
  const current = (): Resolver => {
    const found = servers ? undefined : readSystemConfig().version
    if (resolver && found === version) return resolver
    version = found
    resolver = new Resolver(PATIENCE)
    if (servers) resolver.setServers(servers)
    return resolver
  }
  return {
    query(name, family, done) {
      const answer = (error: NodeJS.ErrnoException | null, addresses: string[]) =>
        done(error ? { code: error.code ?? 'ESERVFAIL' } : { addresses })
      try {
        if (family === 4) current().resolve4(name, answer)
        else current().resolve6(name, answer)
      } catch {
        // Only invalid names are refused synchronously.
        done({ code: 'EBADNAME' })
      }
    },
    servers: () => current().getServers(),
  }
}
