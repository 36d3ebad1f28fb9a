import { Client, DatabaseError } from 'pg'
import { APPLICATION_DATABASE, APPLICATION_ROLE, type Endpoint, SUPERUSER } from './endpoint.ts'
import type { Passwords } from './passwords.ts'

const CONNECT_TIMEOUT_MS = 5_000

/** `ready`: the application can connect. `refused`: it will never be, by this fault. */
export type Readiness = { state: 'ready' } | { state: 'not yet' } | { state: 'refused'; reason: string }

/**
 * Connects, and makes the application's role and database where they are missing: one cut short by a kill goes on here.
 * Never throws. With `cluster` it also refuses a server that has other data than ours behind the same address.
 */
export async function provision(endpoint: Endpoint, passwords: Passwords, cluster: string): Promise<Readiness> {
  try {
    await withClient(endpoint, 'postgres', passwords, async (client) => {
      await checkCluster(client, cluster)
      await makeRole(client, passwords)
      await makeDatabase(client)
    })
    await withClient(endpoint, APPLICATION_DATABASE, passwords, async (client) => {
      await client.query('CREATE EXTENSION IF NOT EXISTS pg_stat_statements')
    })
    return { state: 'ready' }
  } catch (error) {
    return readinessAfter(error)
  }
}

class ForeignCluster extends Error {}

/** Classes 57 and 08: starting, stopping, cut off. What is no answer of a server (no socket yet, a timeout) also passes. */
function readinessAfter(error: unknown): Readiness {
  const isAnswer = error instanceof DatabaseError && !/^(57|08)/.test(error.code ?? '')
  if (isAnswer || error instanceof ForeignCluster) return { state: 'refused', reason: error.message }
  return { state: 'not yet' }
}

async function withClient(endpoint: Endpoint, database: string, passwords: Passwords, work: (client: Client) => Promise<void>) {
  const client = new Client({
    ...endpoint,
    database,
    user: SUPERUSER,
    password: passwords.superuser,
    // Named here: pg takes what is left open from PG* variables.
    ssl: false,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
  })
  // A cut connection also fails the query under way, which reports it; without a listener it would end the process.
  client.on('error', () => undefined)
  try {
    await client.connect()
    await work(client)
  } finally {
    await client.end().catch(() => undefined)
  }
}

async function checkCluster(client: Client, cluster: string): Promise<void> {
  const { rows } = await client.query<{ folder: string }>("SELECT current_setting('data_directory') AS folder")
  if (rows[0]?.folder !== cluster) throw new ForeignCluster(`the server at this address has its data in ${rows[0]?.folder}`)
}

async function makeRole(client: Client, passwords: Passwords): Promise<void> {
  const { rowCount } = await client.query('SELECT 1 FROM pg_roles WHERE rolname = $1', [APPLICATION_ROLE])
  if (rowCount) return
  // One transaction: a role without its rights would be found next time and left so.
  await client.query('BEGIN')
  await client.query(`CREATE ROLE ${APPLICATION_ROLE} LOGIN CREATEDB PASSWORD ${client.escapeLiteral(passwords.application)}`)
  await client.query(`GRANT pg_monitor, pg_checkpoint TO ${APPLICATION_ROLE}`)
  await client.query('COMMIT')
}

async function makeDatabase(client: Client): Promise<void> {
  const { rowCount } = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [APPLICATION_DATABASE])
  if (!rowCount) await client.query(`CREATE DATABASE ${APPLICATION_DATABASE} OWNER ${APPLICATION_ROLE}`)
}
