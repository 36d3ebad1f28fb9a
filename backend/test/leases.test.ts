import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { leaseResetRequests } from '../src/access/auth/reset-store.ts'
import type { Db } from '../src/platform/db/index.ts'
import { newId } from '../src/platform/ids.ts'
import { completeJob, createPace, drainQueue } from '../src/platform/queue/index.ts'
import { enqueue, leaseJobs, type NewJob } from '../src/platform/queue/queue-store.ts'
import { startTestBackend, type TestBackend } from './harness.ts'

const AT = new Date('2026-03-01T00:00:00Z')
const UNTIL = new Date('2026-03-01T00:01:00Z')
const LIMIT = 8
const channel = newId()

/** The jobs of a table, and how they are leased. */
interface Queue {
  table: string
  put(db: Db, organization: number, count: number): Promise<unknown>
  lease(db: Db, organization: number): Promise<unknown[]>
}

const rows = <Row>(count: number, row: (index: number) => Row) => Array.from({ length: count }, (_, index) => row(index))

const jobsOf = (table: string, job: Partial<NewJob<object>>, own: { isOrdered: boolean; lane?: string }): Queue => ({
  table,
  put: (db, organization, count) =>
    enqueue(
      db,
      { table },
      rows(count, (index) => ({ organization, payload: {}, key: `${count + index}`, ...job })),
      AT,
    ),
  lease: (db, organization) => {
    const { isOrdered, lane } = own
    const options = { at: AT, until: UNTIL, limit: LIMIT, isOrdered }
    return leaseJobs(db, table, { ...options, ...(lane !== undefined && { lane: { organization, lane } }) })
  },
})

const queues: Queue[] = [
  jobsOf('notification_delivery', { lane: channel }, { isOrdered: true, lane: channel }),
  jobsOf('mail_outbox', {}, { isOrdered: false }),
  jobsOf('alert_signal', {}, { isOrdered: false }),
  {
    table: 'password_reset_request',
    put: (db, _organization, count) => {
      const values = rows(count, () => ({ email: `${newId()}@example.com`, requested_at: AT, next_try_at: AT }))
      return db.insertInto('password_reset_request').values(values).execute()
    },
    lease: (db) => leaseResetRequests(db, AT, UNTIL, LIMIT),
  },
]

describe('jobs are leased in portions', () => {
  let backend: TestBackend
  beforeAll(async () => {
    backend = await startTestBackend()
  })
  afterAll(() => backend.close())

  // Postgres plans by the size at the last analyze: a table with one row is read whole, with the subquery run for each row.
  it.each(queues)('of $table, also when it has more rows than the statistics of Postgres', async ({ table, put, lease }) => {
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

describe('a job under way', () => {
  let backend: TestBackend
  beforeAll(async () => {
    backend = await startTestBackend()
  })
  afterAll(() => backend.close())

  const queue = { table: 'notification_delivery', concurrency: 1, isOrdered: false, retrySpread: 0 }
  const dueAt = async () => (await backend.pool.pg.query('select next_attempt_at as at from notification_delivery')).rows[0]?.at
  const lease = () => {
    const nowMs = backend.clock.now()
    const until = new Date(nowMs + 1)
    return leaseJobs(backend.pool.db, queue.table, { at: new Date(nowMs), until, limit: 1, isOrdered: false })
  }

  it('stays with its process however long it takes, and is due four seconds after that died', async () => {
    const { db } = backend.pool
    const { clock } = backend
    const { number: organization } = await backend.organization()
    await enqueue(db, queue, [{ organization, lane: channel, payload: {} }], new Date(clock.now()))
    const begun = Promise.withResolvers<void>()
    const done = Promise.withResolvers<void>()
    const draining = drainQueue({ db, clock, ending: new AbortController().signal }, queue, () => {
      begun.resolve()
      return done.promise
    })
    await begun.promise
    for (let second = 0; second < 30; second += 1) {
      clock.advance(1_000)
      await expect.poll(async () => (await dueAt()).getTime()).toBe(clock.now() + 4_000)
      expect(await lease()).toEqual([])
    }
    // As a process that died: nothing extends it.
    done.resolve()
    await draining
    clock.advance(3_999)
    const before = await lease()
    clock.advance(1)
    expect([before.length, (await lease()).length]).toEqual([0, 1])
  })

  it('begins only as far as the pace of its process allows', async () => {
    const { clock } = backend
    const { number: organization } = await backend.organization()
    await backend.pool.pg.query('delete from notification_delivery')
    const jobs = Array.from({ length: 5 }, () => ({ organization, lane: channel, payload: {} }))
    await enqueue(backend.pool.db, queue, jobs, new Date(clock.now()))
    const pace = createPace(clock, 3)
    let begun = 0
    const drain = () =>
      drainQueue(
        { db: backend.pool.db, clock, ending: new AbortController().signal },
        { ...queue, concurrency: 2 },
        (job) => {
          begun += 1
          return completeJob(backend.pool.db, queue, job)
        },
        { pace },
      )
    await drain()
    await drain()
    expect(begun).toBe(3)
    clock.advance(60_000)
    await drain()
    expect(begun).toBe(5)
  })
})
