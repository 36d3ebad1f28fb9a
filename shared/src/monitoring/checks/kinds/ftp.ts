import { controlFaults, decodedPath, endOfPathFaults, GREETING, LOGIN, MAIL_OPTIONS } from './common.ts'
import type { CheckKindSpec } from './kind.ts'
import { OVER_TLS } from '../network-use.ts'

export const ftp = {
  label: 'FTP',
  description: 'Greets a file server, logs in if wanted, and lists a folder if wanted. Nothing is transferred.',
  protocols: ['ftp:'],
  example: 'ftp://files.example.com:21/incoming',
  network: OVER_TLS,
  options: {
    ...MAIL_OPTIONS,
    tls: { ...MAIL_OPTIONS.tls, hint: 'starttls: by AUTH TLS; implicit: from the first byte' },
    list: {
      label: 'List the folder',
      hint: 'over a passive data connection, which a firewall may close alone',
      form: 'boolean',
      default: false,
    },
  },
  credentials: LOGIN,
  observes: ['text', 'certificate'],
  facts: {
    greeting: GREETING,
    entries: {
      label: 'Entries of the folder',
      operators: ['greater_than', 'less_than', 'equals', 'not_equals'],
      valueKinds: ['number'],
      bounds: { minimum: 0, maximum: 1_000_000, isWhole: true },
    },
  },
  faults({ url, options, credentials }) {
    const { username = '', password = '' } = credentials
    const path = decodedPath(url)
    const needsLogin = options['list'] === true || path !== '' || password !== ''
    return [
      ...endOfPathFaults(url),
      ...controlFaults(credentials),
      ...(/\p{Cc}/u.test(path) ? [{ path: 'url', message: 'must have a path without control characters' }] : []),
      ...(username === '' && needsLogin
        ? [{ path: 'credentials.username', message: 'is needed for a folder, a list or a password; it may be anonymous' }]
        : []),
    ]
  },
} as const satisfies CheckKindSpec
