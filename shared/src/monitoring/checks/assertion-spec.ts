/** Operators, and the form of an entry in the table of assertion types. */

export type AssertionValueKind = 'number' | 'string'

/** `label` connects the assertion with its value: `Status code is below 400`. */
export interface OperatorSpec {
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

/** Parts of an observation that not every kind of check has. */
export type Observed = 'status' | 'headers' | 'text' | 'certificate' | 'url'

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
  /** Characters of a text; the common limit without it. */
  maxLength?: number
  /** What `property` contains, with an example; a type without it has no `property`. */
  property?: { description: string; example: string }
  /** What an editor fills in at first. */
  initialValue?: string | number
  /** What an observation needs to contain; without it, every kind of check has the type. */
  needs?: Observed
}
