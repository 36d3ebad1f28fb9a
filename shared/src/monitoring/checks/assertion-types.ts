/**
 * The one declaration of assertions: schema, validation, evaluation and the page's editor read it. It needs no schema library, so
 * that the page and a probe's thread can load it alone.
 */
import {
  ASSERTION_OPERATORS,
  type AssertionOperator,
  type AssertionTypeSpec,
  type AssertionValueKind,
  type OperatorSpec,
} from './assertion-spec.ts'
import { COMMON_ASSERTIONS } from './common-assertions.ts'
import { checkKindSpec, CHECK_TYPES } from './kinds/index.ts'
import type { FactSpec } from './kinds/kind.ts'
import { NETWORK_FACTS } from './network/facts.ts'

export * from './assertion-spec.ts'
export type { CommonAssertionType } from './common-assertions.ts'

/** The common types, and each fact that a kind of check reports. */
export const ASSERTION_TYPES: Readonly<Record<string, FactSpec>> = {
  ...COMMON_ASSERTIONS,
  ...NETWORK_FACTS,
  ...Object.assign({}, ...Object.values(CHECK_TYPES).map(({ facts }) => facts)),
}

export const MAX_ASSERTIONS = 20

/** The entry of a type; undefined for a type that this version does not know. */
export const assertionTypeSpec = (type: string): FactSpec | undefined =>
  Object.hasOwn(ASSERTION_TYPES, type) ? ASSERTION_TYPES[type] : undefined

/** The assertion types of a kind of check; all without a kind, and where this version does not know it. */
export function assertionTypesOf(checkType?: string): string[] {
  const kind = checkType === undefined ? undefined : checkKindSpec(checkType)
  if (!kind) return Object.keys(ASSERTION_TYPES)
  const common: [string, AssertionTypeSpec][] = Object.entries(COMMON_ASSERTIONS)
  const has = ({ needs }: AssertionTypeSpec) => needs === undefined || kind.observes.includes(needs)
  const families = kind.network === undefined ? [] : Object.keys(NETWORK_FACTS)
  return [...common.flatMap(([type, spec]) => (has(spec) ? [type] : [])), ...Object.keys(kind.facts), ...families]
}

/** Kinds of `value` that an assertion may have; empty where it has none. */
export function assertionValueKinds(type: string, operator: AssertionOperator): readonly AssertionValueKind[] {
  const { valueKinds }: OperatorSpec = ASSERTION_OPERATORS[operator]
  return valueKinds ?? assertionTypeSpec(type)?.valueKinds ?? ['string']
}

/** Whether one of these assertions looks at the text of an answer, which not every check reads otherwise. Pure. */
export const needsText = (assertions: readonly { type: string }[]): boolean =>
  assertions.some(({ type }) => assertionTypeSpec(type)?.needs === 'text')
