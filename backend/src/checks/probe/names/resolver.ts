import { Resolver } from 'node:dns'
import { readSystemConfig } from './system-config.ts'

/** An answer of the DNS for one family: addresses, or the code of c-ares. */
export type FamilyAnswer = { addresses: string[] } | { code: string }

export interface DnsResolver {
  ask(name: string, family: 4 | 6, done: (answer: FamilyAnswer) => void): void
}

/** 1, 2, 4 s: a lost packet is asked for again within the shortest usual time limit; a check's own deadline ends it earlier. */
const PATIENCE = { timeout: 1_000, tries: 3 }

/**
 * c-ares, which waits for no thread of the pool. One resolver asks for all checks: making one reads the system's configuration.
 * It is made anew when that has changed, which the library does not notice.
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
    ask(name, family, done) {
      const answer = (error: NodeJS.ErrnoException | null, addresses: string[]) =>
        done(error ? { code: error.code ?? 'ESERVFAIL' } : { addresses })
      try {
        if (family === 4) current().resolve4(name, answer)
        else current().resolve6(name, answer)
      } catch {
        // Only what cannot be a name is refused at once.
        done({ code: 'EBADNAME' })
      }
    },
  }
}
