import type { CheckKindSpec } from './kind.ts'

export const tcp = {
  label: 'TCP port',
  description: 'Opens a connection, and optionally sends a text and expects another one.',
  protocols: ['tcp:'],
  example: 'tcp://db.example.com:5432',
  options: {
    send: {
      label: 'Send',
      hint: String.raw`sent once the connection is open; \r, \n, \t, \0, \\ and \xHH are escapes`,
      form: 'text',
      maxLength: 4_096,
      default: '',
      isLong: true,
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
  faults: ({ url }) =>
    url.port === '' ? [{ path: 'url', message: 'must contain a port, such as tcp://db.example.com:5432' }] : [],
} as const satisfies CheckKindSpec
