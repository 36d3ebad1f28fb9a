import { databaseLoginFaults, LOGIN, pathFaults, TLS_OFF_OR_REQUIRED, VERIFY_TLS } from './common.ts'
import { DATABASE_FACTS, QUERY } from './database.ts'
import type { CheckKindSpec } from './kind.ts'
import { OVER_TLS } from '../network-use.ts'

export const postgres = {
  label: 'PostgreSQL',
  description: 'Logs in to a PostgreSQL database and reads the result of one query.',
  protocols: ['postgres:'],
  example: 'postgres://db.example.com:5432/app',
  network: OVER_TLS,
  options: { tls: TLS_OFF_OR_REQUIRED, verify_tls: VERIFY_TLS, query: QUERY },
  credentials: LOGIN,
  observes: ['certificate'],
  facts: DATABASE_FACTS,
  faults: ({ url, credentials }) => [...pathFaults(url, 1), ...databaseLoginFaults(credentials)],
} as const satisfies CheckKindSpec
