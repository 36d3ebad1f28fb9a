import { MASK } from '../../wire/mask.ts'
import { movedSecrets, originOf } from '../../wire/kept-secrets.ts'
import { checkKindSpec, type SentDefinition } from './kinds/index.ts'

/** Names of the stored values that a change keeps: all without a change of them, else those that it masks. Pure. */
export const keptNames = (
  stored: Readonly<Record<string, string>>,
  given: Readonly<Record<string, string>> | undefined,
): string[] => (given === undefined ? Object.keys(stored) : Object.keys(given).filter((name) => given[name] === MASK))

/** Those of the kept credentials that the changed definition sends elsewhere. Both are of one kind. Pure. */
export function movedCredentials(type: string, kept: readonly string[], before: SentDefinition, after: SentDefinition): string[] {
  const credentials = checkKindSpec(type)?.credentials ?? {}
  const destinationsIn = (definition: SentDefinition) => (name: string) =>
    credentials[name]?.sentTo?.(definition, name) ?? [originOf(definition.url)]
  return movedSecrets(kept, destinationsIn(before), destinationsIn(after))
}
