import { pathFaults } from './common.ts'
import type { CheckKindSpec, FactSpec } from './kind.ts'
import { BY_DATAGRAMS } from '../network-use.ts'

const milliseconds = (label: string, minimum: number) =>
  ({
    label,
    operators: ['less_than', 'greater_than'],
    valueKinds: ['number'],
    unit: 'ms',
    bounds: { minimum, maximum: 1_000_000_000 },
  }) as const satisfies FactSpec

export const ntp = {
  label: 'NTP',
  description: 'Requests the time of a time server, and compares it with the clock of the checker.',
  protocols: ['ntp:'],
  example: 'ntp://time.example.com',
  network: BY_DATAGRAMS,
  options: {},
  credentials: {},
  observes: [],
  facts: {
    offset_ms: milliseconds('Offset of its clock', -1_000_000_000),
    stratum: {
      label: 'Stratum',
      operators: ['less_than', 'equals', 'greater_than'],
      valueKinds: ['number'],
      bounds: { minimum: 1, maximum: 15, isWhole: true },
    },
    root_delay_ms: milliseconds('Delay to its reference', -1_000_000_000),
    root_dispersion_ms: milliseconds('Uncertainty of its clock', 0),
    reference: {
      label: 'Reference',
      operators: ['equals', 'not_equals', 'contains', 'not_contains'],
      valueKinds: ['string'],
    },
    leap: { label: 'Leap second', operators: ['equals', 'not_equals'], valueKinds: ['string'], initialValue: 'none' },
  },
  faults: ({ url }) => pathFaults(url),
} as const satisfies CheckKindSpec
