export {
  isNetworkOption,
  NETWORK_OPTIONS,
  type NetworkOptionName,
  type NetworkOptions,
  PROXY_PASSWORD,
} from './options.ts'
export { NETWORK_FORMS } from './forms.ts'
export { NETWORK_FACTS } from './facts.ts'
export { networkOptionsOf } from './refusals.ts'
export { familyOf, type HostPort, parseHostPort, parseProxyUrl, type ProxyUrl } from './parse.ts'
export type { Carrier, NetworkUse } from '../network-use.ts'
