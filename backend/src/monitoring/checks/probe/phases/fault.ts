import { isIPv6 } from 'node:net'
import type { CheckErrorCode } from '@vedette/shared'

/** Why a check got no response. `internal` is a fault of the probe and makes the check inconclusive. */
export interface Fault {
  code: CheckErrorCode
  message: string
  /** The definition cannot be checked as it stands, whatever the target does. */
  isOfDefinition?: true
}

/** System error codes that concern this machine only. */
const OWN_FAULTS: Partial<Record<string, string>> = {
  EMFILE: 'the probe has no free file descriptor',
  ENFILE: 'the probe has no free file descriptor',
  ENOMEM: 'the probe has no memory left',
  ENOBUFS: 'the probe has no memory left',
  EADDRNOTAVAIL: 'the probe has no free port for another connection',
  ENETUNREACH: "the checker's own network has no way there",
  ENETDOWN: "the checker's own network is down",
  EPERM: "the checker's own firewall refused the connection",
  EACCES: "the checker's own firewall refused the connection",
}

const CONNECT_WORDS: Partial<Record<string, string>> = {
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was reset',
  EHOSTUNREACH: 'the host cannot be reached',
  ETIMEDOUT: 'the connection was not answered',
  EADDRNOTAVAIL: 'the network cannot be reached',
  ENETUNREACH: 'the network cannot be reached',
  EPIPE: 'the connection was closed',
}

const WITHOUT_IPV6 = new Set(['EADDRNOTAVAIL', 'ENETUNREACH'])

export const codeOf = (error: Error): string => (error as NodeJS.ErrnoException).code ?? ''

/** Of the route that a connection was to take. */
interface Way {
  family?: 4 | 6 | undefined
  source?: { address: string } | undefined
}

/** The fault of a failed connection; `internal` when the error concerns this machine. */
export function connectFault(error: Error, address: string, { family, source }: Way = {}): Fault {
  const code = codeOf(error)
  if (source && (error as NodeJS.ErrnoException).syscall === 'bind')
    return { code: 'internal', message: `the checker cannot use the address ${source.address}` }
  // Who wants IPv6 tests the target, and not whether this machine has it.
  if (family === 6 && isIPv6(address) && WITHOUT_IPV6.has(code))
    return { code: 'internal', message: "the checker's own network has no IPv6" }
  // Without IPv6 on this machine a target with IPv6 only is down, as seen from here.
  const own = isIPv6(address) && WITHOUT_IPV6.has(code) ? undefined : OWN_FAULTS[code]
  if (own !== undefined) return { code: 'internal', message: own }
  return { code: 'connect', message: CONNECT_WORDS[code] ?? `the connection failed (${code || 'unknown'})` }
}
