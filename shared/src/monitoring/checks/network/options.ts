import type { CredentialSpec, OptionSpec, OptionValue } from '../kinds/kind.ts'
import { MAX_ANSWER_BYTES, MAX_KEPT_RESPONSE_BYTES } from '../limits.ts'
import type { NetworkUse } from '../network-use.ts'
import {
  alpnFault,
  connectToFault,
  type NetworkDefinition,
  proxyFault,
  proxyRefusal,
  resolvesFault,
  serversFault,
  sourceFault,
} from './rules.ts'

/** An option for the network, whole: its texts in English, and all that decides whether a check may have it. */
type NetworkOptionSpec = OptionSpec & {
  /** In words, why checks with this use of the network never have it; undefined where they may. Pure. */
  refusal?(use: NetworkUse): string | undefined
  /** What the form cannot express: `value` fits it, and is what the definition has. Pure. */
  fault?(value: never, definition: NetworkDefinition): string | undefined
}

const refusalOfEcho = ({ carrier }: NetworkUse): string | undefined =>
  carrier === 'echo' ? 'a ping has no response to keep' : undefined

/**
 * Options that checks of every kind over the network have, as far as they fit the kind. They are absent unless a definition has them:
 * the defaults say what that means, and nothing fills them in. A new one needs its entry here, its texts in the other languages of the
 * page, and a line in NETWORK_FORMS where it is a list or a number: nothing compiles without them.
 */
export const NETWORK_OPTIONS = {
  invert: {
    label: 'Expected to fail',
    hint: 'up becomes down and down becomes up; degraded stays',
    form: 'boolean',
    default: false,
  },
  connect_to: {
    label: 'Connect to',
    hint: 'an address or a host, with or without a port; the host of the address above stays in TLS and in the request',
    form: 'text',
    maxLength: 300,
    refusal: ({ isElsewhere }) => (isElsewhere === true ? 'the registry is queried, and not the host' : undefined),
    fault: connectToFault,
  },
  ip_family: {
    label: 'Address family',
    hint: 'both: checks over IPv4 and over IPv6, and is down if either fails',
    form: 'choice',
    choices: ['any', 'ipv4', 'ipv6', 'both'],
    default: 'any',
  },
  source_address: {
    label: 'Source address',
    hint: 'an address of the checker that connections leave by',
    form: 'text',
    maxLength: 45,
    refusal: ({ carrier }) => (carrier === 'echo' ? 'the pings of all checks leave by one socket' : undefined),
    fault: sourceFault,
  },
  dns_servers: {
    label: 'Name servers',
    hint: 'addresses, with or without a port, one a line; those of the checker without any',
    form: 'list',
    maxItems: 4,
    maxLength: 60,
    default: [],
    fault: serversFault,
  },
  proxy_url: {
    label: 'Proxy',
    hint: 'http:// (CONNECT) or socks5://, with a user name if it needs one, such as socks5://ada@proxy.example.com:1080',
    form: 'text',
    maxLength: 512,
    refusal: ({ carrier }) => proxyRefusal(carrier),
    fault: proxyFault,
  },
  proxy_resolves: {
    label: 'The proxy resolves the name',
    hint: 'only where private targets are open to checks',
    form: 'boolean',
    default: false,
    refusal: ({ carrier }) => proxyRefusal(carrier),
    fault: resolvesFault,
  },
  http_version: {
    label: 'HTTP version',
    hint: 'auto: HTTP/1.1, and HTTP/2 where the target speaks nothing else',
    form: 'choice',
    choices: ['auto', '1.1', '2'],
    default: 'auto',
    refusal: ({ isHttp }) => (isHttp === true ? undefined : 'only http, steps and upstream send requests that may be of either'),
  },
  alpn: {
    label: 'ALPN protocols',
    hint: 'offered in the TLS handshake, in this order, one a line',
    form: 'list',
    maxItems: 8,
    maxLength: 255,
    default: [],
    refusal: ({ hasTls }) => (hasTls === true ? undefined : 'they offer no protocols in a TLS handshake of their own'),
    fault: alpnFault,
  },
  max_body_bytes: {
    label: 'Kept response',
    hint: '0–65,536 bytes of the body as evidence of a failure; above 1,024 encrypted, for 7 days',
    form: 'number',
    minimum: 0,
    maximum: MAX_KEPT_RESPONSE_BYTES,
    unit: 'bytes',
    default: MAX_ANSWER_BYTES,
    refusal: refusalOfEcho,
  },
  keep_response: {
    label: 'Keep responses',
    hint: 'as evidence of a failure',
    form: 'choice',
    choices: ['failure', 'never'],
    default: 'failure',
    refusal: refusalOfEcho,
  },
} as const satisfies Record<string, NetworkOptionSpec>

export type NetworkOptionName = keyof typeof NETWORK_OPTIONS

/** As a probe receives them: each may be absent. */
export type NetworkOptions = { readonly [Name in NetworkOptionName]?: OptionValue<(typeof NETWORK_OPTIONS)[Name]> }

export const NETWORK_OPTION_NAMES = Object.keys(NETWORK_OPTIONS) as readonly NetworkOptionName[]

/** Of any of them: the table itself has each with the type of its own. */
export const networkSpecOf = (name: NetworkOptionName): NetworkOptionSpec => NETWORK_OPTIONS[name]

/** Of the user that `proxy_url` names. */
export const PROXY_PASSWORD = {
  label: 'Password of the proxy',
  hint: 'of the user that the URL of the proxy names',
  maxLength: 255,
} as const satisfies CredentialSpec

export const isNetworkOption = (name: string): name is NetworkOptionName => Object.hasOwn(NETWORK_OPTIONS, name)
