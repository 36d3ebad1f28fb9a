import type { ErrorDetail } from '../../../wire/errors.ts'
import type { CheckKindSpec, CredentialSpec, FactSpec, KindInput, OptionSpec } from './kind.ts'

/** Parts that several kinds share. */

export const VERIFY_TLS = { label: 'Verify the certificate', form: 'boolean', default: true } as const satisfies OptionSpec

export const TLS_OFF_OR_REQUIRED = {
  label: 'TLS',
  hint: 'With required, a server without TLS is down',
  form: 'choice',
  choices: ['off', 'required'],
  default: 'off',
} as const satisfies OptionSpec

export const LOGIN = {
  username: { label: 'User name', maxLength: 256 },
  password: { label: 'Password', maxLength: 1_024 },
} as const satisfies Record<string, CredentialSpec>

export const BEARER_TOKEN = {
  label: 'Bearer token',
  hint: 'sent as Authorization: Bearer',
  maxLength: 4_000,
} as const satisfies CredentialSpec

/** The first cell of an answer. */
export const CELL = {
  label: 'First cell',
  operators: ['equals', 'not_equals', 'less_than', 'greater_than', 'contains', 'not_contains', 'exists', 'not_exists'],
  valueKinds: ['number', 'string'],
} as const satisfies FactSpec

type Credentials = Readonly<Record<string, string>>

/** Databases know no login without a user name; some need no password. */
export const databaseLoginFaults = (credentials: Credentials): ErrorDetail[] =>
  (credentials['username'] ?? '') === '' ? [{ path: 'credentials.username', message: 'is needed' }] : controlFaults(credentials)

/** They would end a line or a text of the protocol. */
export const controlFaults = (credentials: Credentials): ErrorDetail[] =>
  Object.entries(credentials).flatMap(([name, value]) =>
    // oxlint-disable-next-line no-control-regex -- they are what is looked for
    /[\0\r\n]/.test(value) ? [{ path: `credentials.${name}`, message: 'must not contain a line break or NUL' }] : [],
  )

/** The URL ends after host and port, or after so many parts of its path. */
export const pathFaults = ({ pathname, search, hash }: URL, maxSegments = 0, last = 'the port'): ErrorDetail[] =>
  pathname.split('/').filter((segment) => segment !== '').length > maxSegments || search !== '' || hash !== ''
    ? [{ path: 'url', message: `must have nothing after ${maxSegments === 0 ? last : 'the first part of its path'}` }]
    : []

/** The URL ends after its path, of any number of parts. */
export const endOfPathFaults = ({ search, hash }: URL): ErrorDetail[] =>
  search !== '' || hash !== '' ? [{ path: 'url', message: 'must end with its path; # and ? in it are written %23 and %3F' }] : []

/** The path of a URL without its first slash, decoded as far as it can be. Pure. */
export function decodedPath({ pathname }: URL): string {
  const path = pathname.slice(1)
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}

/** Of mail servers. */
export const MAIL_OPTIONS = {
  tls: {
    label: 'TLS',
    hint: 'implicit: from the first byte',
    form: 'choice',
    choices: ['off', 'starttls', 'implicit'],
    default: 'off',
  },
  verify_tls: VERIFY_TLS,
} as const satisfies Record<string, OptionSpec>

export const GREETING = {
  label: 'Greeting',
  operators: ['contains', 'not_contains', 'equals', 'not_equals'],
  valueKinds: ['string'],
} as const satisfies FactSpec

/** What a server over SIP and RTSP says of itself. */
export const MEDIA_FACTS = {
  server_version: {
    label: 'Server version',
    operators: ['equals', 'not_equals', 'contains', 'not_contains'],
    valueKinds: ['string'],
  },
  methods: {
    label: 'Methods',
    operators: ['contains', 'not_contains', 'equals', 'not_equals', 'exists', 'not_exists'],
    valueKinds: ['string'],
  },
} as const satisfies CheckKindSpec['facts']

/** User name and password come together, and over TLS only. */
export function mailFaults({ url, options, credentials }: KindInput): ErrorDetail[] {
  const { username = '', password = '' } = credentials
  const missing = username === '' ? 'username' : 'password'
  const isPlain = options['tls'] === 'off' && username !== ''
  return [
    ...pathFaults(url),
    ...controlFaults(credentials),
    ...((username === '') === (password === '')
      ? []
      : [{ path: `credentials.${missing}`, message: 'is needed: a login has a user name and a password' }]),
    ...(isPlain
      ? [{ path: 'options.tls', message: 'must be starttls or implicit with a login: the password would be readable' }]
      : []),
  ]
}
