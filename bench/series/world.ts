import { compactSeries } from '../../backend/src/hosts/series/index.ts'
import { createPool, type Pool } from '../../backend/src/platform/db/index.ts'
import { findRunningUrl } from '../../backend/src/platform/db/postgres/index.ts'
import { silentLog } from '../../backend/src/platform/logging/log.ts'
import { systemClock } from '../../backend/src/platform/time/clock.ts'
import { type BenchBackend, post, signIn } from '../lib/backend.ts'
import { cpuOfTree } from '../lib/processes.ts'
import { call } from '../lib/queries.ts'
import type { Receiver } from './requests.ts'

/** A backend that takes remote writes, and what looks into its database. */
export interface World {
  backend: BenchBackend
  receiver: Receiver
  /** The value of an expression, as the API answers it. */
  query(path: 'query' | 'query_range', parameters: Record<string, string>): Promise<string>
  /** CPU seconds of the backend and of Postgres until now. */
  cpu(): number
  /** Compacts as if it were this time; CPU seconds of this process and of Postgres. */
  compactAt(nowMs: number): Promise<number>
  pool: Pool
  end(): Promise<void>
}

export async function createWorld(backend: BenchBackend): Promise<World> {
  const session = { authorization: `Bearer ${await signIn(backend.url)}` }
  const { key } = (await post(`${backend.url}/v1/api-keys`, session, { name: 'bench', scopes: ['ingest'] })) as { key: string }
  const url = await findRunningUrl(backend.dataDir)
  if (url === undefined) throw new Error('the database does not run')
  const pool = createPool({ url, clock: systemClock, log: silentLog, max: 2 })
  return {
    backend,
    pool,
    receiver: { url: `${backend.url}/v1/prometheus/api/v1/write`, headers: { 'x-api-key': key } },
    query: (path, parameters) =>
      call(`${backend.url}/v1/prometheus/api/v1/${path}?${new URLSearchParams(parameters).toString()}`, { headers: session }),
    cpu: () => cpuOfTree(backend.backendPid) + cpuOfTree(backend.postgresPid),
    compactAt: async (nowMs) => {
      const postgres = cpuOfTree(backend.postgresPid)
      const before = process.cpuUsage()
      await compactSeries(pool.db, { ...systemClock, now: () => nowMs })
      const { user, system } = process.cpuUsage(before)
      return (user + system) / 1e6 + cpuOfTree(backend.postgresPid) - postgres
    },
    end: () => pool.end(),
  }
}

/** Bytes of a table, of all its partitions, with indexes and out-of-line values. */
export async function sizeOf({ pool }: World, table: string): Promise<number> {
  const { rows } = await pool.pg.query<{ bytes: string }>(
    `select pg_total_relation_size($1::regclass)
       + coalesce((select sum(pg_total_relation_size(relid)) from pg_partition_tree($1::regclass) where isleaf), 0) as bytes`,
    [table],
  )
  return Number(rows[0]?.bytes)
}

/** The nearest value that so many percent do not pass. */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = [...values].sort((one, other) => one - other)
  return sorted[Math.min(sorted.length - 1, Math.ceil((sorted.length * percent) / 100) - 1)] ?? Number.NaN
}
