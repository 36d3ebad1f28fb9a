import type { DnsQuestion } from '@vedette/shared'
import type { AddressGuard } from '../../address/guard.ts'
import type { DnsRecord } from './record.ts'

/** Names that exist inside networks only: RFC 6761, RFC 6762 appendix G, RFC 8375, and the one that ICANN reserved. */
const INTERNAL = /(?:^|\.)(?:localhost|local|localdomain|internal|intranet|private|corp|home|lan|home\.arpa)$/

/**
 * The system's own name server may be at an address that is closed to checks, and know names that nobody outside may read. It is queried
 * for public names only: why a question is refused, if it is. Pure.
 */
export function questionFault({ name }: DnsQuestion, guard: AddressGuard): string | undefined {
  if (!name.includes('.') || INTERNAL.test(name)) return 'the name belongs to internal networks, and the name server is internal'
  const address = addressOfReverse(name)
  return guard.nameFault(name) ?? (address === undefined ? undefined : guard.addressFault(address))
}

/** An address in an answer of such a server that is closed to checks. */
export const answerFault = (records: readonly DnsRecord[], guard: AddressGuard): string | undefined =>
  records
    .flatMap(({ addresses = [] }) => addresses)
    .map((address) => guard.addressFault(address))
    .find((fault) => fault !== undefined)

/** The first address of a reverse zone: `10.in-addr.arpa` is 10.0.0.0. */
function addressOfReverse(name: string): string | undefined {
  const [, ipv4] = /^(?:(.*)\.)?in-addr\.arpa$/.exec(name) ?? []
  if (ipv4 !== undefined) return [...ipv4.split('.').toReversed(), '0', '0', '0'].slice(0, 4).join('.')
  const [, ipv6] = /^(?:(.*)\.)?ip6\.arpa$/.exec(name) ?? []
  if (ipv6 === undefined) return undefined
  const nibbles = ipv6.split('.').toReversed().join('').padEnd(32, '0')
  return (nibbles.match(/.{4}/g) ?? []).join(':')
}
