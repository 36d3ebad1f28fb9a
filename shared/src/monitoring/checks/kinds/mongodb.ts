import { controlFaults, LOGIN, pathFaults, TLS_OFF_OR_REQUIRED, VERIFY_TLS } from './common.ts'
import { DATABASE_FACTS } from './database.ts'
import type { CheckKindSpec } from './kind.ts'
import { OVER_TLS } from '../network-use.ts'

const TEXT = ['equals', 'not_equals', 'exists', 'not_exists'] as const

export const mongodb = {
  label: 'MongoDB',
  description: 'Reads the state of a MongoDB server, logs in if wanted, and pings it.',
  protocols: ['mongodb:'],
  example: 'mongodb://db.example.com:27017/app',
  network: OVER_TLS,
  options: {
    tls: TLS_OFF_OR_REQUIRED,
    verify_tls: VERIFY_TLS,
    auth_source: {
      label: 'Database of the user',
      hint: 'Without it that of the URL, else admin',
      form: 'text',
      maxLength: 63,
      default: '',
    },
  },
  credentials: LOGIN,
  observes: ['text', 'certificate'],
  facts: {
    role: { label: 'Role', operators: TEXT, valueKinds: ['string'], initialValue: 'primary' },
    replica_set: { label: 'Replica set', operators: TEXT, valueKinds: ['string'] },
    server_version: DATABASE_FACTS.server_version,
  },
  faults({ url, options, credentials }) {
    const { username = '', password = '' } = credentials
    const missing = username === '' ? 'username' : 'password'
    return [
      ...pathFaults(url, 1),
      ...controlFaults(credentials),
      ...((username === '') === (password === '')
        ? []
        : [{ path: `credentials.${missing}`, message: 'is needed: a login has a user name and a password' }]),
      ...(/[/\\. "$\p{Cc}]/u.test(String(options['auth_source']))
        ? [{ path: 'options.auth_source', message: 'must be the name of a database, without / \\ . " $ and blanks' }]
        : []),
    ]
  },
} as const satisfies CheckKindSpec
