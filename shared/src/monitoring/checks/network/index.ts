export {
  isNetworkOption,
  NETWORK_FACTS,
  NETWORK_OPTIONS,
  type NetworkOptionName,
  type NetworkOptions,
  PROXY_PASSWORD,
} from './options.ts'
export { networkOptionsOf } from './faults.ts'
export { familyOf, type HostPort, parseHostPort, parseProxyUrl, type ProxyUrl } from './parse.ts'
export type { Carrier, NetworkUse } from '../network-use.ts'
