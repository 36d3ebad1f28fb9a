import { type Static, Type } from 'typebox'
import { Ref } from '../../wire/wire.ts'
import { MAX_ASSERTION_PROPERTY_LENGTH, MAX_ASSERTION_VALUE_LENGTH, MAX_JSON_SCHEMA_BYTES } from './limits.ts'
import { ASSERTION_OPERATORS, ASSERTION_TYPES, type AssertionOperator, type AssertionTypeSpec } from './assertion-types.ts'

/** Doubles above this cannot represent every integer to the unit. */
const MAX_NUMBER = 1e15

const specs: [string, AssertionTypeSpec][] = Object.entries(ASSERTION_TYPES)
const properties = specs.flatMap(([type, { property }]) => (property ? `${type}: ${property.description}` : []))
const units = specs.flatMap(([type, { unit }]) => (unit === undefined ? [] : `${type}: ${unit}`))

/** The backend publishes the list of today; a client must accept further ones. */
export const AssertionTypeName = Type.Unsafe<string>({
  $id: 'AssertionType',
  type: 'string',
  description: 'Type of assertion; more may come',
})

/** `validateDefinition` checks which operator, property and value a type allows. */
export const Assertion = Type.Object(
  {
    type: Ref(AssertionTypeName),
    operator: Type.Enum(Object.keys(ASSERTION_OPERATORS) as AssertionOperator[]),
    property: Type.Optional(
      Type.String({ minLength: 1, maxLength: MAX_ASSERTION_PROPERTY_LENGTH, description: properties.join('; ') }),
    ),
    value: Type.Optional(
      Type.Unsafe<number | string>({
        type: ['number', 'string'],
        minimum: -MAX_NUMBER,
        maximum: MAX_NUMBER,
        maxLength: MAX_JSON_SCHEMA_BYTES,
        description: `a text has at most ${MAX_ASSERTION_VALUE_LENGTH} characters, but with body_json; ${units.join('; ')}; omitted with exists and not_exists`,
      }),
    ),
  },
  { $id: 'Assertion', description: 'A condition that the response must meet', additionalProperties: false },
)
export type Assertion = Static<typeof Assertion>
