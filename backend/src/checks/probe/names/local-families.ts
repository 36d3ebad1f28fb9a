import { networkInterfaces } from 'node:os'
import { monotonicUs } from '../../../platform/monotonic.ts'

/** Listing the interfaces costs a tenth of a millisecond. */
const KEPT_US = 30_000_000

let asked: { atUs: number; has: boolean } | undefined

/** Whether this machine has an IPv6 address that the internet can answer to; then IPv6 is tried first, as browsers do. */
export function hasGlobalIpv6(): boolean {
  const nowUs = monotonicUs()
  if (!asked || nowUs - asked.atUs > KEPT_US) asked = { atUs: nowUs, has: look() }
  return asked.has
}

function look(): boolean {
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? [])
  // 2000::/3 is the IPv6 internet.
  return all.some(({ family, internal, address }) => family === 'IPv6' && !internal && /^[23]/.test(address))
}
