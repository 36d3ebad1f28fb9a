import type { CheckKindSpec } from '../kinds/kind.ts'
import type { NetworkUse } from '../network-use.ts'
import { isNetworkOption, NETWORK_OPTIONS, type NetworkOptionName, PROXY_PASSWORD } from './options.ts'

/** Why checks with this use of the network never have the option; undefined where they may. */
const REFUSALS: Partial<Record<NetworkOptionName, (use: NetworkUse) => string | undefined>> = {
  connect_to: ({ isElsewhere }) => (isElsewhere === true ? 'the registry is queried, and not the host' : undefined),
  source_address: ({ carrier }) => (carrier === 'echo' ? 'the pings of all checks leave by one socket' : undefined),
  proxy_url: ({ carrier }) => proxyRefusal(carrier),
  proxy_resolves: ({ carrier }) => proxyRefusal(carrier),
  http_version: ({ isHttp }) =>
    isHttp === true ? undefined : 'only http, steps and upstream send requests that may be of either',
  alpn: ({ hasTls }) => (hasTls === true ? undefined : 'they offer no protocols in a TLS handshake of their own'),
  max_body_bytes: ({ carrier }) => (carrier === 'echo' ? 'a ping has no response to keep' : undefined),
  keep_response: ({ carrier }) => (carrier === 'echo' ? 'a ping has no response to keep' : undefined),
}

export const proxyRefusal = (carrier: NetworkUse['carrier']): string | undefined =>
  carrier === 'datagrams' || carrier === 'echo' ? 'a proxy carries connections over TCP alone' : undefined

/** The network options that a kind of check has, at least with some definitions. */
export const networkOptionsOf = ({ network }: CheckKindSpec): NetworkOptionName[] =>
  network === undefined
    ? []
    : (Object.keys(NETWORK_OPTIONS) as NetworkOptionName[]).filter((name) => REFUSALS[name]?.(network) === undefined)

/** In words, why a kind does not have this network option. */
export function networkRefusal(type: string, { network }: CheckKindSpec, name: string): string | undefined {
  if (!isNetworkOption(name)) return undefined
  if (network === undefined) return `is not possible for checks of type ${type}: they make no connection`
  const why = REFUSALS[name]?.(network)
  return why === undefined ? undefined : `is not possible for checks of type ${type}: ${why}`
}

/** The credentials that a kind has for the network. */
export const networkCredentialsOf = (kind: CheckKindSpec) =>
  networkOptionsOf(kind).includes('proxy_url') ? { proxy_password: PROXY_PASSWORD } : {}
