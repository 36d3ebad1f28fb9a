import { randomUUID } from 'node:crypto'
import type { CheckResult, MonitorStatus } from '@vedette/shared'
import { sql } from 'kysely'
import type { TestBackend, TestOrganization } from '../../../../test/harness.ts'
import type { Db } from '../../../platform/db/index.ts'
import { ensureRegion } from '../../regions/index.ts'
import { scheduleMonitors } from '../schedule/schedule-store.ts'
import { insertStatus } from '../status/store.ts'

export interface TestMonitor {
  organization: number
  /** The surrogate. */
  number: number
  id: string
}

export interface MonitorInput {
  url?: string
  interval?: number
  timeout?: number
  regions?: string[]
  confirmations?: number
  assertions?: object[]
  nowMs?: number
  requestEncrypted?: (id: string) => Buffer | null
}

/** Monitors as they stand in the database, without the routes that make them. */
export function monitorsOf({ pool, clock }: Pick<TestBackend, 'pool' | 'clock'>) {
  const { db } = pool
  const region = (id = 'local') => ensureRegion(db, { id, name: id }, new Date(clock.now()))

  async function monitor(
    { number: organization }: Pick<TestOrganization, 'number'>,
    options: MonitorInput = {},
  ): Promise<TestMonitor> {
    const {
      url = 'http://127.0.0.1:9/',
      interval = 60,
      timeout = 10,
      regions = ['local'],
      confirmations = 2,
      assertions = [],
    } = options
    const nowMs = options.nowMs ?? clock.now()
    const id = randomUUID()
    const numbers: number[] = []
    for (const name of regions) numbers.push(await region(name))
    const { number } = await db
      .insertInto('monitor')
      .values({
        organization,
        id,
        name: 'a monitor',
        type: 'http',
        url,
        method: 'GET',
        interval_seconds: interval,
        timeout_seconds: timeout,
        regions,
        request_encrypted: options.requestEncrypted?.(id) ?? null,
        options: '{}',
        assertions: JSON.stringify(assertions),
        follow_redirects: true,
        verify_tls: true,
        confirmations,
        tags: [],
        server_id: null,
        created_at: new Date(nowMs),
        updated_at: new Date(nowMs),
      })
      .returning('number')
      .executeTakeFirstOrThrow()
    await insertStatus(db, organization, [number], 'up', new Date(nowMs))
    const placement = { monitor: number, intervalSeconds: interval, regions: numbers, isPaused: false }
    await scheduleMonitors(db, organization, [placement], nowMs)
    return { organization, number, id }
  }

  return { region, monitor }
}

export async function statusOf(db: Db, { organization, number }: TestMonitor): Promise<MonitorStatus> {
  const row = await db
    .selectFrom('monitor_status')
    .select('status')
    .where('organization', '=', organization)
    .where('monitor', '=', number)
    .executeTakeFirstOrThrow()
  return row.status
}

/** `from → to: reason`, oldest first. */
export async function transitionsOf(db: Db, { organization, number }: TestMonitor): Promise<string[]> {
  const rows = await db
    .selectFrom('monitor_transition')
    .select(['from_status', 'to_status', 'reason'])
    .where('organization', '=', organization)
    .where('monitor', '=', number)
    .orderBy('at')
    .orderBy('id')
    .execute()
  return rows.map(({ from_status: from, to_status: to, reason }) => `${from} → ${to}: ${reason}`)
}

export async function scheduleOf(db: Db, { organization, number }: TestMonitor) {
  return db
    .selectFrom('check_schedule')
    .selectAll()
    .where('organization', '=', organization)
    .where('monitor', '=', number)
    .orderBy('region')
    .execute()
}

export async function checksOf(db: Db, { organization, number }: TestMonitor) {
  return db
    .selectFrom('check_result')
    .select(['at', 'region', 'outcome', 'error_code', 'error_message', 'response_us', 'address'])
    .where('organization', '=', organization)
    .where('monitor', '=', number)
    .orderBy('at')
    .execute()
}

/** As if the schedule had stood for long: due on its grid, checked before. */
export async function settle(db: Db, { organization, number }: TestMonitor, dueAtMs: number): Promise<void> {
  await sql`
    update check_schedule
    set due_at = ${dueAtMs}, anchor = ${dueAtMs}, last_checked_at = ${dueAtMs}::bigint - interval_seconds * 1000
    where organization = ${organization} and monitor = ${number}`.execute(db)
}

export function resultOf(outcome: CheckResult['outcome'], atMs: number, more: Partial<CheckResult> = {}): CheckResult {
  const errors = { down: ['timeout', 'no answer within 10 s'], degraded: ['assertion', 'slower than 500 ms'] } as const
  const [code, message] = outcome === 'down' || outcome === 'degraded' ? errors[outcome] : []
  return {
    checked_at: new Date(atMs).toISOString(),
    outcome,
    status_code: outcome === 'down' ? null : 200,
    response_ms: outcome === 'down' ? null : 12.345,
    dns_ms: 0.1,
    connect_ms: 1.2,
    tls_ms: null,
    first_byte_ms: outcome === 'down' ? null : 10,
    transfer_ms: outcome === 'down' ? null : 1.045,
    error: code === undefined || message === undefined ? null : { code, message },
    address: '192.0.2.1',
    http_version: '1.1',
    certificate: null,
    delayed: false,
    ...more,
  }
}
