import { pathFaults } from './common.ts'
import type { CheckKindSpec } from './kind.ts'

export const domain = {
  label: 'Domain registration',
  description: 'Reads by RDAP or WHOIS until when a domain is registered.',
  protocols: ['domain:'],
  example: 'domain://example.com',
  network: { carrier: 'tcp', isElsewhere: true },
  options: {},
  credentials: {},
  observes: ['text'],
  facts: {
    domain_expiry: {
      label: 'Domain expiry',
      operators: ['greater_than'],
      valueKinds: ['number'],
      unit: 'days',
      bounds: { minimum: 0, maximum: 36_500 },
      degradesOnly: true,
      initialValue: 30,
    },
    registrar: { label: 'Registrar', operators: ['equals', 'not_equals', 'contains', 'not_contains'], valueKinds: ['string'] },
    expires_at: { label: 'Registered until', operators: ['equals', 'not_equals', 'exists'], valueKinds: ['string'] },
  },
  defaultInterval: 86_400,
  faults: ({ url }) =>
    url.port === '' &&
    pathFaults(url).length === 0 &&
    /^[^.]+(?:\.[^.]+)+$/.test(url.hostname) &&
    !/^[\d.]+$|^\[/.test(url.hostname)
      ? []
      : [{ path: 'url', message: 'must contain a registered domain and nothing else, such as domain://example.com' }],
} as const satisfies CheckKindSpec
