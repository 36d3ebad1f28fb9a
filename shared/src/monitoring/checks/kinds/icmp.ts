import { pathFaults } from './common.ts'
import type { CheckKindSpec, FactSpec } from './kind.ts'

const milliseconds = (label: string) =>
  ({
    label,
    operators: ['less_than', 'greater_than'],
    valueKinds: ['number'],
    unit: 'ms',
    bounds: { minimum: 0, maximum: 60_000 },
    degradesOnly: true,
  }) as const satisfies FactSpec

export const icmp = {
  label: 'Ping (ICMP)',
  description: 'Sends ICMP echo requests and measures loss, round-trip times and jitter.',
  protocols: ['icmp:'],
  example: 'icmp://router.example.com',
  network: { carrier: 'echo' },
  options: {
    packets: { label: 'Packets', hint: 'sent 200 ms apart', form: 'number', minimum: 1, maximum: 10, default: 3 },
    packet_bytes: {
      label: 'Packet size',
      hint: 'bytes of the payload',
      form: 'number',
      minimum: 16,
      maximum: 1_452,
      unit: 'bytes',
      default: 56,
    },
    family: { label: 'Address family', form: 'choice', choices: ['any', 'ipv4', 'ipv6'], default: 'any' },
  },
  credentials: {},
  observes: [],
  facts: {
    packet_loss: {
      label: 'Packet loss',
      operators: ['less_than', 'greater_than'],
      valueKinds: ['number'],
      unit: '%',
      bounds: { minimum: 0, maximum: 100 },
      degradesOnly: true,
    },
    rtt_min_ms: milliseconds('Shortest round trip'),
    rtt_avg_ms: milliseconds('Mean round trip'),
    rtt_max_ms: milliseconds('Longest round trip'),
    jitter_ms: milliseconds('Jitter'),
  },
  faults: ({ url }) =>
    url.port === '' ? pathFaults(url, 0, 'the host') : [{ path: 'url', message: 'must not contain a port: ICMP has none' }],
} as const satisfies CheckKindSpec
