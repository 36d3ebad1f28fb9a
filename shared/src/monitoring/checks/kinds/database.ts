import { MAX_DATABASE_ROWS } from '../limits.ts'
import { CELL } from './common.ts'
import type { CheckKindSpec, OptionSpec } from './kind.ts'

/** Parts of both databases. The probe sees to it that a query changes nothing. */

export const QUERY = {
  label: 'Query',
  hint: 'One statement that returns rows; it runs in a read-only transaction',
  form: 'text',
  maxLength: 4_096,
  default: 'select 1',
  isLong: true,
} as const satisfies OptionSpec

export const DATABASE_FACTS = {
  cell: CELL,
  rows: {
    label: 'Rows',
    operators: ['equals', 'not_equals', 'less_than', 'greater_than'],
    valueKinds: ['number'],
    bounds: { minimum: 0, maximum: MAX_DATABASE_ROWS, isWhole: true },
  },
  server_version: {
    label: 'Server version',
    operators: ['equals', 'not_equals', 'contains', 'not_contains'],
    valueKinds: ['string'],
  },
} as const satisfies CheckKindSpec['facts']
