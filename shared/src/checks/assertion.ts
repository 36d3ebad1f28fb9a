import { type Static, Type } from 'typebox'

export const OPERATORS = [
  'equals',
  'not_equals',
  'less_than',
  'greater_than',
  'contains',
  'not_contains',
  'matches',
  'exists',
  'not_exists',
] as const
export type AssertionOperator = (typeof OPERATORS)[number]

/** What an assertion of one type may say. */
export interface AssertionRule {
  operators: readonly AssertionOperator[]
  /** Kinds of `value`; `less_than` and `greater_than` take a number in any case, `exists` and `not_exists` nothing. */
  value: readonly ('number' | 'string')[]
  /** What `property` names; without it there is none. */
  property?: string
  /** Of a `value` that is a number, with the unit that a refusal names. */
  bounds?: { minimum: number; maximum: number; unit: string; isWhole?: boolean }
}

const READ_FROM_TEXT = [
  'equals',
  'not_equals',
  'contains',
  'not_contains',
  'less_than',
  'greater_than',
  'exists',
  'not_exists',
] as const

/** The one table of assertion types. A new type is an entry here, a file that judges it and its line in the judge's registry. */
export const ASSERTION_RULES = {
  status_code: {
    operators: ['equals', 'not_equals', 'less_than', 'greater_than'],
    value: ['number'],
    bounds: { minimum: 0, maximum: 1_000, unit: 'HTTP status code', isWhole: true },
  },
  // 360 s: the longest timeout over six hops would be shorter still.
  response_time: {
    operators: ['less_than', 'greater_than'],
    value: ['number'],
    bounds: { minimum: 0, maximum: 360_000, unit: 'milliseconds' },
  },
  certificate_expiry: {
    operators: ['greater_than'],
    value: ['number'],
    bounds: { minimum: 0, maximum: 36_500, unit: 'days left' },
  },
  body: { operators: ['contains', 'not_contains', 'matches'], value: ['string'] },
  header: { operators: READ_FROM_TEXT, value: ['string', 'number'], property: 'the name of a header' },
  json_path: { operators: READ_FROM_TEXT, value: ['string', 'number'], property: 'an RFC 9535 path such as $.status' },
} as const satisfies Record<string, AssertionRule>

export type AssertionType = keyof typeof ASSERTION_RULES
export const ASSERTION_TYPES = Object.keys(ASSERTION_RULES) as AssertionType[]

export const MAX_ASSERTIONS = 20

/** Doubles beyond this have lost their unit digit; no answer of a target is compared with one. */
const MAX_NUMBER = 1e15

/** Which operator and value go with which type is in `ASSERTION_RULES`, and is held by `definitionFaults`. */
export const Assertion = Type.Object(
  {
    type: Type.Enum(ASSERTION_TYPES),
    operator: Type.Enum([...OPERATORS]),
    property: Type.Optional(
      Type.String({ minLength: 1, maxLength: 512, description: 'header: its name; json_path: an RFC 9535 path' }),
    ),
    value: Type.Optional(
      Type.Unsafe<number | string>({
        type: ['number', 'string'],
        minimum: -MAX_NUMBER,
        maximum: MAX_NUMBER,
        maxLength: 1_024,
        description: 'status_code: a status; response_time: milliseconds; certificate_expiry: days left; left out with exists',
      }),
    ),
  },
  { $id: 'Assertion', description: 'What must hold of the answer', additionalProperties: false },
)
export type Assertion = Static<typeof Assertion>
