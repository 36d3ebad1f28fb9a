import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { leaseSignals } from '../src/alerts/judging/store.ts'
import { leaseTellings } from '../src/alerts/telling/store.ts'
import { leaseResetRequests } from '../src/auth/reset-store.ts'
import { leaseMails } from '../src/mail/store.ts'
import type { Db } from '../src/platform/db/index.ts'
import { newId } from '../src/platform/ids.ts'
import { startTestBackend, type TestBackend } from './harness.ts'

const AT = new Date('2026-03-01T00:00:00Z')
const UNTIL = new Date('2026-03-01T00:01:00Z')
const LIMIT = 8
const channel = newId()

/** What waits in a table, and how it is taken. */
interface Queue {
  table: string
  put(db: Db, organization: number, count: number): Promise<unknown>
  lease(db: Db, organization: number): Promise<unknown[]>
}

const rows = <Row>(count: number, row: (index: number) => Row) => Array.from({ length: count }, (_, index) => row(index))

const queues: Queue[] = [
  {
    table: 'telling',
    put: (db, organization, count) => {
      const about = { event_id: newId(), event_at: AT, incident_id: null, incident_at: null }
      const telling = { ...about, organization, channel_id: channel, created_at: AT, next_try_at: AT, tries: 0 }
      const values = rows(count, () => ({ ...telling, id: newId() }))
      return db.insertInto('telling').values(values).execute()
    },
    lease: (db, organization) => leaseTellings(db, { organization, channel_id: channel }, AT, UNTIL, LIMIT),
  },
  {
    table: 'mail_outbox',
    put: (db, organization, count) => {
      const about = { organization, about_kind: 'channel', about_id: channel } as const
      const mail = { ...about, letter: Buffer.from('sealed'), created_at: AT, next_try_at: AT, tries: 0 }
      const values = rows(count, () => ({ ...mail, id: newId() }))
      return db.insertInto('mail_outbox').values(values).execute()
    },
    lease: (db) => leaseMails(db, { at: AT, until: UNTIL, limit: LIMIT }),
  },
  {
    table: 'alert_signal',
    put: (db, organization, count) => {
      const signal = { organization, at: AT, to_status: null, reason: '', next_try_at: AT }
      const values = rows(count, (index) => ({ ...signal, id: newId(), monitor: count + index }))
      return db.insertInto('alert_signal').values(values).execute()
    },
    lease: (db) => leaseSignals(db, AT, UNTIL, LIMIT),
  },
  {
    table: 'password_reset_request',
    put: (db, _organization, count) => {
      const values = rows(count, () => ({ email: `${newId()}@example.com`, requested_at: AT, next_try_at: AT }))
      return db.insertInto('password_reset_request').values(values).execute()
    },
    lease: (db) => leaseResetRequests(db, AT, UNTIL, LIMIT),
  },
]

describe('what waits is taken in portions', () => {
  let backend: TestBackend
  beforeAll(async () => {
    backend = await startTestBackend()
  })
  afterAll(() => backend.close())

  // Postgres plans by what a table held when it was looked at last: of one that held a single row it reads all, and runs a subquery
  // for each.
  it.each(queues)('also of $table when it holds more than Postgres believes', async ({ table, put, lease }) => {
    const { db } = backend.pool
    const { number } = await backend.organization()
    await put(db, number, 1)
    await sql`vacuum analyze ${sql.table(table)}`.execute(db)
    await put(db, number, 39)
    const sizes: number[] = []
    for (let portion = 0; portion < 6; portion += 1) sizes.push((await lease(db, number)).length)
    expect(sizes).toEqual([8, 8, 8, 8, 8, 0])
  })
})
