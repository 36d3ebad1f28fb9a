import type { ErrorDetail } from '../../../wire/errors.ts'
import { CELL, controlFaults, LOGIN, pathFaults, TLS_OFF_OR_REQUIRED, VERIFY_TLS } from './common.ts'
import type { CheckKindSpec } from './kind.ts'
import { OVER_TLS } from '../network-use.ts'

/** Commands that only read, with the number of their words. */
const COMMANDS: Readonly<Record<string, number>> = {
  PING: 1,
  DBSIZE: 1,
  LASTSAVE: 1,
  EXISTS: 2,
  GET: 2,
  HLEN: 2,
  INFO: 2,
  LLEN: 2,
  SCARD: 2,
  STRLEN: 2,
  TTL: 2,
  TYPE: 2,
  XLEN: 2,
  ZCARD: 2,
  HGET: 3,
  ZSCORE: 3,
}

export const redis = {
  label: 'Redis',
  description: 'Logs in to Redis and reads the result of one command.',
  protocols: ['redis:'],
  example: 'redis://cache.example.com:6379/0',
  network: OVER_TLS,
  options: {
    tls: TLS_OFF_OR_REQUIRED,
    verify_tls: VERIFY_TLS,
    command: {
      label: 'Command',
      hint: `One of ${Object.keys(COMMANDS).join(', ')}; INFO with a field, as in INFO connected_clients`,
      form: 'text',
      maxLength: 1_024,
      default: 'PING',
    },
  },
  credentials: LOGIN,
  observes: ['certificate'],
  facts: { cell: CELL },
  faults: ({ url, options, credentials }) => [
    ...pathFaults(url, 1),
    ...(/^\/?$|^\/\d{1,5}$/.test(url.pathname)
      ? []
      : [{ path: 'url', message: 'must have the number of a database as its path' }]),
    ...commandFaults(String(options['command'])),
    ...passwordFaults(credentials),
  ],
} as const satisfies CheckKindSpec

function commandFaults(command: string): ErrorDetail[] {
  const words = command.trim().split(/\s+/)
  const name = words[0]?.toUpperCase() ?? ''
  const count = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
  const message =
    count === undefined
      ? `must begin with one of ${Object.keys(COMMANDS).join(', ')}`
      : words.length === count
        ? undefined
        : `must have ${count === 1 ? 'no further words' : `${count} words`}`
  return message === undefined ? [] : [{ path: 'options.command', message }]
}

/** Redis knows passwords without a user name. */
const passwordFaults = (credentials: Record<string, string>): ErrorDetail[] =>
  (credentials['username'] ?? '') !== '' && (credentials['password'] ?? '') === ''
    ? [{ path: 'credentials.password', message: 'is needed with a user name' }]
    : controlFaults(credentials)
