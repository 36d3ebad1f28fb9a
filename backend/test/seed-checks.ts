import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { TestBackend, TestOrganization } from './harness.ts'
import { encodeId } from '../src/platform/ids.ts'
import { silentLog } from '../src/platform/logging/log.ts'
import { keepCheckPartitions } from '../src/monitoring/checks/results/partitions.ts'

export interface SeededCheck {
  region: number
  atMs: number
  /** 0 up, 1 degraded, 2 down, 3 inconclusive. */
  outcome: number
  responseUs: number | null
}

/** A row of `monitor`, and nothing else: no schedule, no status. */
export async function seedMonitor(
  { pool: { db } }: TestBackend,
  organization: TestOrganization,
  intervalSeconds = 30,
): Promise<{ number: number; id: string }> {
  const id = randomUUID()
  const at = new Date(0)
  const { number } = await db
    .insertInto('monitor')
    .values({
      organization: organization.number,
      id,
      name: 'a monitor',
      type: 'http',
      url: 'http://example.com/',
      method: 'GET',
      interval_seconds: intervalSeconds,
      timeout_seconds: 10,
      regions: ['local'],
      request_encrypted: null,
      options: '{}',
      assertions: '[]',
      follow_redirects: true,
      verify_tls: true,
      confirmations: 2,
      tags: [],
      server_id: null,
      created_at: at,
      updated_at: at,
    })
    .returning('number')
    .executeTakeFirstOrThrow()
  return { number, id: encodeId('monitor', id) }
}

export async function seedRegion({ pool: { db } }: TestBackend, id: string): Promise<number> {
  const { number } = await db
    .insertInto('region')
    .values({ id, name: id, token_hash: null, created_at: new Date(0) })
    .returning('number')
    .executeTakeFirstOrThrow()
  return number
}

/** As they stand after they were stored; the partitions of their days are made. */
export async function seedChecks(
  { pool: { db } }: TestBackend,
  organization: TestOrganization,
  monitor: number,
  checks: readonly SeededCheck[],
): Promise<void> {
  const days = new Set(checks.map(({ atMs }) => Math.floor(atMs / 86_400_000)))
  for (const day of days) await keepCheckPartitions(db, silentLog, day * 86_400_000)
  for (let from = 0; from < checks.length; from += 50_000) {
    const part = checks.slice(from, from + 50_000)
    await sql`insert into check_result (organization, monitor, region, at, day, outcome, response_us)
      select ${organization.number}, ${monitor}, region, at, (to_timestamp(at / 1000.0) at time zone 'UTC')::date, outcome, us
      from unnest(${part.map(({ region }) => region)}::smallint[], ${part.map(({ atMs }) => atMs)}::bigint[],
        ${part.map(({ outcome }) => outcome)}::smallint[], ${part.map(({ responseUs }) => responseUs)}::int[])
        as given (region, at, outcome, us)`.execute(db)
  }
}
