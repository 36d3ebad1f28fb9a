import type { CredentialSpec, OptionSpec } from '../kinds/kind.ts'
import { MAX_ANSWER_BYTES, MAX_KEPT_RESPONSE_BYTES } from '../limits.ts'

/**
 * Options that checks of every kind over the network have, as far as they fit the kind. They are absent unless a definition has them:
 * the defaults say what that means, and nothing fills them in.
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
  },
  dns_servers: {
    label: 'Name servers',
    hint: 'addresses, with or without a port, one a line; those of the checker without any',
    form: 'list',
    maxItems: 4,
    maxLength: 60,
    default: [],
  },
  proxy_url: {
    label: 'Proxy',
    hint: 'http:// (CONNECT) or socks5://, with a user name if it needs one, such as socks5://ada@proxy.example.com:1080',
    form: 'text',
    maxLength: 512,
  },
  proxy_resolves: {
    label: 'The proxy resolves the name',
    hint: 'only where private targets are open to checks',
    form: 'boolean',
    default: false,
  },
  http_version: {
    label: 'HTTP version',
    hint: 'auto: HTTP/1.1, and HTTP/2 where the target speaks nothing else',
    form: 'choice',
    choices: ['auto', '1.1', '2'],
    default: 'auto',
  },
  alpn: {
    label: 'ALPN protocols',
    hint: 'offered in the TLS handshake, in this order, one a line',
    form: 'list',
    maxItems: 8,
    maxLength: 255,
    default: [],
  },
  max_body_bytes: {
    label: 'Kept response',
    hint: '0–65,536 bytes of the body as evidence of a failure; above 1,024 encrypted, for 7 days',
    form: 'number',
    minimum: 0,
    maximum: MAX_KEPT_RESPONSE_BYTES,
    unit: 'bytes',
    default: MAX_ANSWER_BYTES,
  },
  keep_response: {
    label: 'Keep responses',
    hint: 'as evidence of a failure',
    form: 'choice',
    choices: ['failure', 'never'],
    default: 'failure',
  },
} as const satisfies Record<string, OptionSpec>

export type NetworkOptionName = keyof typeof NETWORK_OPTIONS

/** As a probe receives them: each may be absent. */
// A type, because an interface is no record of unknown values.
// oxlint-disable-next-line consistent-type-definitions
export type NetworkOptions = {
  readonly invert?: boolean
  readonly connect_to?: string
  readonly ip_family?: 'any' | 'ipv4' | 'ipv6' | 'both'
  readonly source_address?: string
  readonly dns_servers?: readonly string[]
  readonly proxy_url?: string
  readonly proxy_resolves?: boolean
  readonly http_version?: 'auto' | '1.1' | '2'
  readonly alpn?: readonly string[]
  readonly max_body_bytes?: number
  readonly keep_response?: 'failure' | 'never'
}

/** Of the user that `proxy_url` names. */
export const PROXY_PASSWORD = {
  label: 'Password of the proxy',
  hint: 'of the user that the URL of the proxy names',
  maxLength: 255,
} as const satisfies CredentialSpec

export const isNetworkOption = (name: string): name is NetworkOptionName => Object.hasOwn(NETWORK_OPTIONS, name)
