import type { FactSpec } from '../kinds/kind.ts'

const familyMs = (label: string) =>
  ({
    label,
    operators: ['less_than', 'greater_than'],
    valueKinds: ['number'],
    unit: 'ms',
    bounds: { minimum: 0, maximum: 360_000 },
    degradesOnly: true,
  }) as const satisfies FactSpec

/** Facts of checks with `ip_family: both`: the response time over each family. */
export const NETWORK_FACTS = {
  ipv4_ms: familyMs('Response time over IPv4'),
  ipv6_ms: familyMs('Response time over IPv6'),
} as const satisfies Record<string, FactSpec>
