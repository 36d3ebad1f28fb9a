import type { AssertionTypeSpec } from './assertion-spec.ts'
import { MAX_JSON_SCHEMA_BYTES, MAX_URL_LENGTH } from './limits.ts'

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
  body_json: {
    label: 'Body as JSON',
    needs: 'text',
    operators: ['matches'],
    valueKinds: ['string'],
    maxLength: MAX_JSON_SCHEMA_BYTES,
    initialValue: '{ "type": "object", "required": ["status"] }',
  },
  body_size: {
    label: 'Body size',
    needs: 'text',
    operators: ['less_than', 'greater_than', 'equals'],
    valueKinds: ['number'],
    unit: 'bytes',
    bounds: { minimum: 0, maximum: 1_048_576, isWhole: true },
  },
  final_url: {
    label: 'Final URL',
    needs: 'url',
    operators: ['equals', 'contains', 'matches'],
    valueKinds: ['string'],
    maxLength: MAX_URL_LENGTH,
  },
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
