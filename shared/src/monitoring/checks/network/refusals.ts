import type { CheckKindSpec } from '../kinds/kind.ts'
import { isNetworkOption, NETWORK_OPTION_NAMES, networkSpecOf, type NetworkOptionName, PROXY_PASSWORD } from './options.ts'

/** The network options that a kind of check has, at least with some definitions. */
export const networkOptionsOf = ({ network }: CheckKindSpec): NetworkOptionName[] =>
  network === undefined ? [] : NETWORK_OPTION_NAMES.filter((name) => networkSpecOf(name).refusal?.(network) === undefined)

/** In words, why a kind does not have this network option. */
export function networkRefusal(type: string, { network }: CheckKindSpec, name: string): string | undefined {
  if (!isNetworkOption(name)) return undefined
  if (network === undefined) return `is not possible for checks of type ${type}: they make no connection`
  const why = networkSpecOf(name).refusal?.(network)
  return why === undefined ? undefined : `is not possible for checks of type ${type}: ${why}`
}

/** The credentials that a kind has for the network. */
export const networkCredentialsOf = (kind: CheckKindSpec) =>
  networkOptionsOf(kind).includes('proxy_url') ? { proxy_password: PROXY_PASSWORD } : {}
