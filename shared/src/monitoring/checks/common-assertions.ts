import type { AssertionTypeSpec } from './assertion-spec.ts'

const TEXT_OPERATORS = [
  'equals',
  'not_equals',
  'contains',
  'not_contains',
  'less_than',
  'greater_than',
  'exists',
  'not_exists',
] as const

/**
 * Types that are not one kind's own. A new one is an entry here, a file with its evaluator, and the evaluator's line in the backend's
 * registry.
 */
export const COMMON_ASSERTIONS = {
  status_code: {
    label: 'Status code',
    needs: 'status',
    operators: ['equals', 'not_equals', 'less_than', 'greater_than'],
    valueKinds: ['number'],
    bounds: { minimum: 0, maximum: 1_000, isWhole: true },
    initialValue: 200,
  },
  response_time: {
    label: 'Response time',
    operators: ['less_than', 'greater_than'],
    valueKinds: ['number'],
    unit: 'ms',
    // The longest timeout for each of six requests.
    bounds: { minimum: 0, maximum: 360_000 },
  },
  certificate_expiry: {
    label: 'Certificate expiry',
    needs: 'certificate',
    operators: ['greater_than'],
    valueKinds: ['number'],
    unit: 'days',
    bounds: { minimum: 0, maximum: 36_500 },
  },
  body: { label: 'Body', needs: 'text', operators: ['contains', 'not_contains', 'matches'], valueKinds: ['string'] },
  header: {
    label: 'Header',
    needs: 'headers',
    operators: TEXT_OPERATORS,
    valueKinds: ['string', 'number'],
    property: { description: 'the name of a header', example: 'content-type' },
  },
  json_path: {
    label: 'JSON path',
    needs: 'text',
    operators: TEXT_OPERATORS,
    valueKinds: ['string', 'number'],
    property: { description: 'an RFC 9535 path', example: '$.status' },
  },
} as const satisfies Record<string, AssertionTypeSpec>

export type CommonAssertionType = keyof typeof COMMON_ASSERTIONS
