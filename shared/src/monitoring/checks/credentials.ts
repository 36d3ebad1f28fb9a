import { MASK } from '../../wire/mask.ts'
import { movedSecrets, originOf } from '../../wire/kept-secrets.ts'
import { type CheckKindSpec, checkKindSpec, type SentDefinition } from './kinds/index.ts'
import { proxyDestination, routeDestinations } from './network/destinations.ts'

/** Names of the stored values that a change keeps: all without a change of them, else those that it masks. Pure. */
export const keptNames = (
  stored: Readonly<Record<string, string>>,
  given: Readonly<Record<string, string>> | undefined,
): string[] => (given === undefined ? Object.keys(stored) : Object.keys(given).filter((name) => given[name] === MASK))

/** Those of the kept credentials that the changed definition sends elsewhere. Both are of one kind. Pure. */
export function movedCredentials(type: string, kept: readonly string[], before: SentDefinition, after: SentDefinition): string[] {
  const { credentials, network }: Partial<CheckKindSpec> = checkKindSpec(type) ?? {}
  const destinationsIn = (definition: SentDefinition) => (name: string) => {
    const { options } = definition
    const route = network === undefined ? [] : routeDestinations(options)
    if (name === 'proxy_password') return [...proxyOf(options), ...route.filter((way) => way.startsWith('by '))]
    return [...(credentials?.[name]?.sentTo?.(definition, name) ?? [originOf(definition.url)]), ...route]
  }
  return movedSecrets(kept, destinationsIn(before), destinationsIn(after))
}

const proxyOf = ({ proxy_url: url }: SentDefinition['options']): string[] =>
  typeof url === 'string' ? [proxyDestination(url)] : []
