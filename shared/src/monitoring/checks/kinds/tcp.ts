import type { ErrorDetail } from '../../../wire/errors.ts'
import { pathFaults } from './common.ts'
import type { CheckKindSpec } from './kind.ts'
import { OVER_TCP } from '../network-use.ts'

export const tcp = {
  label: 'TCP port',
  description: 'Opens a connection, and optionally sends a text and expects another one.',
  protocols: ['tcp:'],
  example: 'tcp://db.example.com:5432',
  network: OVER_TCP,
  options: {
    send: {
      label: 'Send',
      hint: String.raw`sent once the connection is open; \r, \n, \t, \0, \\ and \xHH are escapes`,
      form: 'text',
      maxLength: 4_096,
      default: '',
      isLong: true,
      sent: true,
    },
    expect: {
      label: 'Expect',
      hint: 'must occur in the first 64 KiB that arrive; the same escapes',
      form: 'text',
      maxLength: 1_024,
      default: '',
    },
  },
  credentials: {},
  observes: ['text'],
  facts: {},
  faults: ({ url, options }) => [
    ...(url.port === '' ? [{ path: 'url', message: 'must contain a port, such as tcp://db.example.com:5432' }] : pathFaults(url)),
    ...exchangeFaults(options),
  ],
} as const satisfies CheckKindSpec

/** Escapes in the texts of checks over TCP. */
export const TEXT_ESCAPES = /\\(?:[rnt0\\]|x[0-9a-fA-F]{2})/g

/** Of the texts that `send` and `expect` are. */
export const exchangeFaults = (options: Readonly<Record<string, unknown>>): ErrorDetail[] =>
  ['send', 'expect'].flatMap((name) => escapeFaults(`options.${name}`, String(options[name])))

/** A backslash that begins no escape would be sent as it stands. */
function escapeFaults(path: string, text: string): ErrorDetail[] {
  const [unknown] = /\\(?:x.{0,2}|.|$)/su.exec(text.replaceAll(TEXT_ESCAPES, '')) ?? []
  return unknown === undefined
    ? []
    : [{ path, message: String.raw`contains ${unknown}, which is none of the escapes \r, \n, \t, \0, \\ and \xHH` }]
}
