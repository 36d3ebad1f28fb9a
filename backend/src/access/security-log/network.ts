import { networkOf as networkOfAddress } from '../../platform/network.ts'

/** What one site or provider usually assigns to a place. */
const PREFIX_BITS = { ipv4: 24, ipv6: 48 } as const

/** The network of an address, as `192.0.2.0/24` or `2001:db8::/48`; undefined for what is no address. Pure. */
export const networkOf = (ip: string): string | undefined => networkOfAddress(ip, PREFIX_BITS)
