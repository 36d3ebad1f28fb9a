import { networkInterfaces } from 'node:os'
import { monotonicUs } from '../../../../platform/time/monotonic.ts'

/** Listing the interfaces takes a tenth of a millisecond. */
const CACHED_US = 30_000_000

let cached: { atUs: number; has: boolean } | undefined

/** Whether this machine has a global IPv6 address; IPv6 is then tried first, as browsers do. */
export function hasGlobalIpv6(): boolean {
  const nowUs = monotonicUs()
  if (!cached || nowUs - cached.atUs > CACHED_US) cached = { atUs: nowUs, has: readInterfaces() }
  return cached.has
}

function readInterfaces(): boolean {
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? [])
  // 2000::/3 is the IPv6 internet.
  return all.some(({ family, internal, address }) => family === 'IPv6' && !internal && /^[23]/.test(address))
}
