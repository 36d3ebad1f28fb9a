import { limitKeyOfAddress } from '../../platform/http/index.ts'

/** Some megabytes. The one that signed in longest ago makes way. */
const MAX_ADDRESSES = 20_000
/** Of this process since its start, oldest first. */
const addresses = new Set<string>()

const keyOf = (ip: string): string => limitKeyOfAddress(ip, 'auth')

/** Somebody signed in from there. */
export function rememberAddress(ip: string): void {
  const key = keyOf(ip)
  addresses.delete(key)
  const [oldest] = addresses
  if (addresses.size >= MAX_ADDRESSES && oldest !== undefined) addresses.delete(oldest)
  addresses.add(key)
}

/** Whether somebody signed in from there: a flood of logins from elsewhere does not keep that address out. */
export const isKnownAddress = (ip: string): boolean => addresses.has(keyOf(ip))
