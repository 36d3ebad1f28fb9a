/**
 * The one declaration of assertions: schema, validation, evaluation and the page's editor read it. It needs no schema library, so
 * that the page and a probe's thread can load it alone.
 */

export type AssertionValueKind = 'number' | 'string'

/** `label` connects the assertion with its value: `Status code is below 400`. */
interface OperatorSpec {
  label: string
  /** The only kind of `value`: none for an empty list; without it the type decides. */
  valueKinds?: readonly AssertionValueKind[]
}

export const ASSERTION_OPERATORS = {
  equals: { label: 'is' },
  not_equals: { label: 'is not' },
  less_than: { label: 'is below', valueKinds: ['number'] },
  greater_than: { label: 'is above', valueKinds: ['number'] },
  contains: { label: 'contains' },
  not_contains: { label: 'does not contain' },
  matches: { label: 'matches' },
  exists: { label: 'exists', valueKinds: [] },
  not_exists: { label: 'does not exist', valueKinds: [] },
} as const satisfies Record<string, OperatorSpec>

export type AssertionOperator = keyof typeof ASSERTION_OPERATORS

/** What an assertion of one type may contain. */
export interface AssertionTypeSpec {
  label: string
  /** The first one is the default of an editor. */
  operators: readonly AssertionOperator[]
  /** Kinds of `value` for operators without their own. */
  valueKinds: readonly AssertionValueKind[]
  /** Unit of a number, for messages and labels: `below 500 ms`. */
  unit?: string
  /** Bounds of a number, both inclusive. */
  bounds?: { minimum: number; maximum: number; isWhole?: boolean }
  /** What `property` contains, with an example; a type without it has no `property`. */
  property?: { description: string; example: string }
  /** What an editor fills in at first. */
  initialValue?: string | number
}

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

/** A new type is an entry here, a file with its evaluator, and the evaluator's line in the backend's registry. */
export const ASSERTION_TYPES = {
  status_code: {
    label: 'Status code',
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
    operators: ['greater_than'],
    valueKinds: ['number'],
    unit: 'days',
    bounds: { minimum: 0, maximum: 36_500 },
  },
  body: { label: 'Body', operators: ['contains', 'not_contains', 'matches'], valueKinds: ['string'] },
  header: {
    label: 'Header',
    operators: TEXT_OPERATORS,
    valueKinds: ['string', 'number'],
    property: { description: 'the name of a header', example: 'content-type' },
  },
  json_path: {
    label: 'JSON path',
    operators: TEXT_OPERATORS,
    valueKinds: ['string', 'number'],
    property: { description: 'an RFC 9535 path', example: '$.status' },
  },
} as const satisfies Record<string, AssertionTypeSpec>

export type AssertionType = keyof typeof ASSERTION_TYPES

export const MAX_ASSERTIONS = 20

/** The entry of a type; undefined for a type that this version does not know. */
export const assertionTypeSpec = (type: string): AssertionTypeSpec | undefined =>
  Object.hasOwn(ASSERTION_TYPES, type) ? ASSERTION_TYPES[type as AssertionType] : undefined

/** Kinds of `value` that an assertion may have; empty where it has none. */
export function assertionValueKinds(type: AssertionType, operator: AssertionOperator): readonly AssertionValueKind[] {
  const { valueKinds }: OperatorSpec = ASSERTION_OPERATORS[operator]
  return valueKinds ?? ASSERTION_TYPES[type].valueKinds
}
