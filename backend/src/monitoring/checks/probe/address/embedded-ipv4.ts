import ipaddr from 'ipaddr.js'

/** IPv6 ranges whose addresses carry an IPv4 address that a gateway connects to; the offset is in bytes. */
const CARRIERS: readonly { range: [ipaddr.IPv6, number]; offset: number; isInverted?: boolean }[] = [
  { range: ipaddr.IPv6.parseCIDR('64:ff9b::/96'), offset: 12 }, // NAT64, RFC 6052
  { range: ipaddr.IPv6.parseCIDR('64:ff9b:1::/48'), offset: 12 }, // NAT64 of one's own, RFC 8215
  { range: ipaddr.IPv6.parseCIDR('::/96'), offset: 12 }, // IPv4-compatible, RFC 4291
  { range: ipaddr.IPv6.parseCIDR('::ffff:0:0:0/96'), offset: 12 }, // IPv4-translated, RFC 6145
  { range: ipaddr.IPv6.parseCIDR('2002::/16'), offset: 2 }, // 6to4
  { range: ipaddr.IPv6.parseCIDR('2001::/32'), offset: 4 }, // Teredo: its server
  { range: ipaddr.IPv6.parseCIDR('2001::/32'), offset: 12, isInverted: true }, // Teredo: its client
]

/** ISATAP puts this before the IPv4 address in any network; the bit marks a public address. */
const isIsatap = ([first, second, third, fourth]: readonly number[]): boolean =>
  (first === 0 || first === 2) && second === 0 && third === 0x5e && fourth === 0xfe

/** Every IPv4 address that an IPv6 address embeds, by the rules of tunnels and translators. */
export function embeddedIpv4(address: ipaddr.IPv6): ipaddr.IPv4[] {
  const bytes = address.toByteArray()
  const at = (offset: number, isInverted = false) =>
    new ipaddr.IPv4(bytes.slice(offset, offset + 4).map((byte) => (isInverted ? byte ^ 0xff : byte)))
  const carried = CARRIERS.filter(({ range: [base, bits] }) => address.match(base, bits))
  return [...carried.map(({ offset, isInverted }) => at(offset, isInverted)), ...(isIsatap(bytes.slice(8, 12)) ? [at(12)] : [])]
}
