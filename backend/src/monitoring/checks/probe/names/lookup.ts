import { isIP } from 'node:net'
import { after, type Alarm } from '../../../../platform/time/monotonic.ts'
import { withoutDot } from '../address/guard.ts'
import { openHostsFile } from './hosts-file.ts'
import { hasGlobalIpv6 } from './local-families.ts'
import { createDnsResolver, type FamilyAnswer } from './resolver.ts'
import { readSystemConfig } from './system-config.ts'

export interface NameOptions {
  /** Name servers instead of the system's, as `address:port`. */
  dnsServers?: readonly string[]
  /** Instead of the system's; null: none. */
  hostsFile?: string | null
  /** Instead of the system's; with `dnsServers` the default is none. */
  searchDomains?: readonly string[]
}

/** Addresses in the order in which to try them, or a fault. */
export type NameAnswer = { addresses: readonly string[] } | { fault: string; isAbsent: boolean }

export interface NameResolver {
  /** Calls back once, possibly synchronously. Returns a function that cancels the callback; the query itself times out. */
  lookUp(name: string, done: (answer: NameAnswer) => void): () => void
  /** The name servers that it queries, as `address` or `address:port`. */
  servers(): string[]
}

/** RFC 8305: wait for the other family after the first response. */
const RESOLUTION_DELAY_MS = 50
/** A name with hundreds of addresses must not cause hundreds of connections. */
const MAX_ADDRESSES = 8

const nothing = () => {}

/** Resolves names by the hosts file, then by DNS for both families at once; addresses are returned unchanged. */
export function createNameResolver({ dnsServers, hostsFile, searchDomains }: NameOptions): NameResolver {
  const hosts = hostsFile === null ? { addressesOf: () => [] } : openHostsFile(hostsFile)
  const resolver = createDnsResolver(dnsServers)

  function queryName(name: string, done: (answer: NameAnswer) => void): () => void {
    const answers = new Map<4 | 6, FamilyAnswer>()
    let isDone = false
    let waiting: Alarm | undefined
    const finish = () => {
      if (isDone) return
      isDone = true
      waiting?.cancel()
      done(combine(answers.get(4), answers.get(6)))
    }
    const receive = (family: 4 | 6) => (answer: FamilyAnswer) => {
      answers.set(family, answer)
      if (isDone) return
      if (answers.size === 2) finish()
      else if ('addresses' in answer) waiting = after(RESOLUTION_DELAY_MS, finish, { isKeptAlive: true })
    }
    resolver.query(name, 4, receive(4))
    resolver.query(name, 6, receive(6))
    return () => {
      isDone = true
      waiting?.cancel()
    }
  }

  /** Tries one candidate after the other while the name does not exist. */
  function queryCandidates([name = '', ...others]: readonly string[], done: (answer: NameAnswer) => void): () => void {
    let cancel = queryName(name, (answer) => {
      if ('fault' in answer && answer.isAbsent && others.length > 0) cancel = queryCandidates(others, done)
      else done(answer)
    })
    return () => cancel()
  }

  /**
   * A name with a dot is most likely complete and is tried unchanged first; the host in `http://db/` is most likely not. A dot at
   * the end marks a complete name.
   */
  function candidatesOf(host: string): string[] {
    const name = withoutDot(host)
    if (name !== host) return [name]
    const domains = searchDomains ?? (dnsServers ? [] : readSystemConfig().searchDomains)
    const searched = domains.map((domain) => `${name}.${withoutDot(domain)}`)
    return name.includes('.') ? [name, ...searched] : [...searched, name]
  }

  return {
    servers: resolver.servers,
    lookUp(host, done) {
      const name = withoutDot(host)
      const local = isIP(name) > 0 ? [name] : hosts.addressesOf(name)
      const addresses = local.length > 0 ? local : isLocalhost(name) ? ['127.0.0.1', '::1'] : undefined
      if (!addresses) return queryCandidates(candidatesOf(host), done)
      done({ addresses: addresses.slice(0, MAX_ADDRESSES) })
      return nothing
    },
  }
}

/** RFC 6761: these names are this machine, without a query. */
const isLocalhost = (name: string): boolean => /(?:^|\.)localhost$/i.test(name)

function combine(four: FamilyAnswer | undefined, six: FamilyAnswer | undefined): NameAnswer {
  const ofFour = four && 'addresses' in four ? four.addresses : []
  const ofSix = six && 'addresses' in six ? six.addresses : []
  const addresses = hasGlobalIpv6() ? interleave(ofSix, ofFour) : interleave(ofFour, ofSix)
  if (addresses.length > 0) return { addresses: addresses.slice(0, MAX_ADDRESSES) }
  const codes = [four, six].flatMap((answer) => (answer && 'code' in answer ? [answer.code] : []))
  return { fault: wordsFor(codes), isAbsent: codes.every((code) => code === 'ENOTFOUND' || code === 'ENODATA') }
}

function interleave(first: readonly string[], second: readonly string[]): string[] {
  const longest = Math.max(first.length, second.length)
  return Array.from({ length: longest }, (_, index) => [first[index], second[index]])
    .flat()
    .filter((address) => address !== undefined)
}

/** The first fault of the families; a failed query outweighs a missing name. */
const WORDS: readonly [code: string, words: string][] = [
  ['ETIMEOUT', 'no name server answered'],
  ['ECONNREFUSED', 'no name server could be reached'],
  ['ESERVFAIL', 'the name server failed (SERVFAIL)'],
  ['EREFUSED', 'the name server refused to answer (REFUSED)'],
  ['EBADRESP', 'the name server answered nonsense'],
  ['ENOTFOUND', 'there is no such name (NXDOMAIN)'],
  ['ENODATA', 'the name has no address'],
  ['EBADNAME', 'the name is not one that DNS can have'],
]

const wordsFor = (codes: readonly string[]): string =>
  WORDS.find(([code]) => codes.includes(code))?.[1] ?? `the look-up failed (${codes[0] ?? 'no answer'})`
