import { checkKindSpec, type CheckDefinition, type CheckTypeId, type DefinitionOf, withOptionDefaults } from '@vedette/shared'

/** A definition of any kind with defaults for all that a test does not change. */
export function defineCheck<Type extends CheckTypeId>(
  type: Type,
  url: string,
  options: Partial<DefinitionOf<Type>['options']> = {},
  change: Partial<Pick<DefinitionOf<Type>, 'timeout' | 'assertions' | 'credentials'>> = {},
): CheckDefinition {
  const definition = { type, url, timeout: 5, assertions: [], credentials: {}, ...change }
  // The table of the kind fills in what its type requires.
  return { ...definition, options: withOptionDefaults(checkKindSpec(type), options) } as unknown as CheckDefinition
}
