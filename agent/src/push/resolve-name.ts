import { lookup as systemLookup, promises as dns } from 'node:dns'
import { readFileSync } from 'node:fs'
import { isIPv4, isIPv6, type LookupFunction } from 'node:net'

export interface HostAddress {
  address: string
  family: 4 | 6
}

/** Addresses of a name in a hosts file, in the order of the file. */
export function findInHosts(hostsText: string, name: string): HostAddress[] {
  const wanted = name.toLowerCase()
  const found: HostAddress[] = []
  for (const line of hostsText.split('\n')) {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().toLowerCase().split(/\s+/)
    const family = familyOf(address)
    if (family && names.includes(wanted)) found.push({ address, family })
  }
  return found
}

function familyOf(address: string): 4 | 6 | undefined {
  if (isIPv4(address)) return 4
  return isIPv6(address) ? 6 : undefined
}

function readHosts(): string {
  try {
    return readFileSync(process.platform === 'win32' ? 'C:\\Windows\\System32\\drivers\\etc\\hosts' : '/etc/hosts', 'utf8')
  } catch {
    // The host has no hosts file.
    return ''
  }
}

function addresses(answer: PromiseSettledResult<string[]>, family: 4 | 6): HostAddress[] {
  return answer.status === 'fulfilled' ? answer.value.map((address) => ({ address, family })) : []
}

/** Queries the name servers of this host, or `servers` (`address:port`); an unknown name has no addresses. */
export function createDns(servers?: readonly string[]): (name: string) => Promise<HostAddress[]> {
  // Two tries of 2 s: a dead name server must leave time for the request itself.
  const resolver = new dns.Resolver({ timeout: 2_000, tries: 2 })
  if (servers) resolver.setServers(servers)
  return async (name) => {
    const [four, six] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)])
    return [...addresses(four, 4), ...addresses(six, 6)]
  }
}

/**
 * Resolves names without Node's thread pool, where a few hung file calls would block the usual lookup: first the hosts file, then
 * DNS. Names that neither knows (mDNS, search domains) go to the system's lookup, which needs the pool.
 */
export function createLookup(resolveDns = createDns(), system: LookupFunction = systemLookup): LookupFunction {
  return (name, options, done) => {
    const wanted = options.family === 4 || options.family === 6 ? options.family : undefined
    const answer = async () => {
      const local = findInHosts(readHosts(), name)
      const all = local.length > 0 ? local : await resolveDns(name)
      const found = all.filter(({ family }) => wanted === undefined || family === wanted)
      const [first] = found
      if (!first) system(name, options, done)
      else if (options.all) done(null, found)
      else done(null, first.address, first.family)
    }
    void answer()
  }
}

/** The addresses of a name as requests resolve it; rejects if it has none. */
export function resolveName(name: string): Promise<HostAddress[]> {
  const { promise, resolve, reject } = Promise.withResolvers<HostAddress[]>()
  createLookup()(name, { all: true }, (error, found) => {
    if (error) reject(error)
    else resolve(found as unknown as HostAddress[])
  })
  return promise
}
