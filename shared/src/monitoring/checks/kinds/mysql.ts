import { databaseLoginFaults, LOGIN, pathFaults, TLS_OFF_OR_REQUIRED, VERIFY_TLS } from './common.ts'
import type { CheckKindSpec } from './kind.ts'
import { DATABASE_FACTS, QUERY } from './database.ts'
import { OVER_TLS } from '../network-use.ts'

export const mysql = {
  label: 'MySQL',
  description: 'Logs in to a MySQL or MariaDB database and reads the result of one query.',
  protocols: ['mysql:'],
  example: 'mysql://db.example.com:3306/app',
  network: OVER_TLS,
  options: { tls: TLS_OFF_OR_REQUIRED, verify_tls: VERIFY_TLS, query: QUERY },
  credentials: LOGIN,
  observes: ['certificate'],
  facts: DATABASE_FACTS,
  faults: ({ url, credentials }) => [...pathFaults(url, 1), ...databaseLoginFaults(credentials)],
} as const satisfies CheckKindSpec
