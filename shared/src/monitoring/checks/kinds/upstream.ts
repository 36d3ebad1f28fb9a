import type { CheckKindSpec } from './kind.ts'
import { OVER_HTTP } from '../network-use.ts'

const TEXT = ['equals', 'not_equals', 'contains', 'not_contains', 'exists', 'not_exists'] as const

export const upstream = {
  label: 'Status page of others',
  description: 'Reads the status page of a provider and takes over the worst of the chosen components.',
  protocols: ['https:', 'http:'],
  example: 'https://www.githubstatus.com',
  network: OVER_HTTP,
  options: {
    components: {
      label: 'Components',
      hint: 'one a line, as the page names them; all of the page without any',
      form: 'list',
      maxItems: 50,
      maxLength: 200,
      default: [],
    },
    verify_tls: { label: 'Verify the certificate', form: 'boolean', default: true },
  },
  credentials: {},
  observes: [],
  facts: {
    incident: { label: 'Incident', operators: TEXT, valueKinds: ['string'] },
    impact: { label: 'Impact', operators: TEXT, valueKinds: ['string'] },
    updated_at: { label: 'Updated', operators: TEXT, valueKinds: ['string'] },
    components: { label: 'Components', operators: ['contains', 'not_contains'], valueKinds: ['string'] },
  },
  minimumInterval: 60,
} as const satisfies CheckKindSpec
