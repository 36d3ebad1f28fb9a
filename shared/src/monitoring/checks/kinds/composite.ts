import type { ErrorDetail } from '../../../wire/errors.ts'
import { compositeFaults } from '../../composites.ts'
import type { CheckKindSpec } from './kind.ts'

/** Has the status that its members give it, by a rule of its own; nothing is checked. Without members a person sets the status. */
export const composite = {
  label: 'Composite',
  description: 'Sums up monitors, servers and their parts: down when as many of them are down as its rule says.',
  protocols: ['composite:'],
  example: 'composite:',
  defaultUrl: 'composite:',
  mayLackHost: true,
  options: {
    members: { label: 'Members', form: 'own' },
    down_when: { label: 'Down when', form: 'own' },
    degraded_when: { label: 'Degraded when', form: 'own' },
    manual_status: {
      label: 'Status',
      hint: 'For what only people know; instead of members',
      form: 'own',
    },
  },
  credentials: {},
  observes: [],
  facts: {},
  faults: ({ options }): ErrorDetail[] => compositeFaults(options),
} as const satisfies CheckKindSpec
