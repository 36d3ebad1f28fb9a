import ipaddr from 'ipaddr.js'

/** The 16 bytes of a valid IPv6 address. Pure. */
export const ipv6Bytes = (address: string): Buffer => Buffer.from(ipaddr.parse(address).toByteArray())
