import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startTestBackend, type TestBackend } from '../../../../test/harness.ts'
import { keepPartitions, type PartitionPlan } from '../index.ts'

const DAYS: PartitionPlan = { table: 'by_day', period: 'day', behind: 1, ahead: 2, retentionMs: 8 * 86_400_000 }
const MONTHS: PartitionPlan = { table: 'by_month', period: 'month', behind: 1, ahead: 2, retentionMs: 60 * 86_400_000 }
const at = (text: string): number => Date.parse(`${text}Z`)

describe('keepPartitions', () => {
  let backend: TestBackend
  beforeAll(async () => {
    backend = await startTestBackend()
  })
  afterAll(() => backend.close())
  beforeEach(async () => {
    for (const [table, type] of [
      ['by_day', 'date'],
      ['by_month', 'timestamptz'],
    ] as const) {
      await sql`drop table if exists ${sql.table(table)}`.execute(backend.pool.db)
      await sql`create table ${sql.table(table)} (at ${sql.raw(type)} not null) partition by range (at)`.execute(backend.pool.db)
    }
  })

  const keep = (plan: PartitionPlan, now: string) => keepPartitions(backend.pool.db, plan, at(now))
  const bounds = async (table: string): Promise<string[]> => {
    const { rows } = await sql<{ bound: string }>`
      select child.relname || ' ' || pg_get_expr(child.relpartbound, child.oid) as bound
      from pg_inherits join pg_class as child on child.oid = inhrelid
      where inhparent = ${table}::regclass order by 1`.execute(backend.pool.db)
    return rows.map(({ bound }) => bound)
  }
  const names = async (table: string): Promise<string[]> => (await bounds(table)).map((bound) => bound.split(' ')[0] as string)

  it('makes the period under way with those behind and ahead, over the end of a year', async () => {
    expect(await keep(DAYS, '2026-12-30T23:59:59')).toEqual([])
    expect(await bounds('by_day')).toEqual([
      "by_day_20261229 FOR VALUES FROM ('2026-12-29') TO ('2026-12-30')",
      "by_day_20261230 FOR VALUES FROM ('2026-12-30') TO ('2026-12-31')",
      "by_day_20261231 FOR VALUES FROM ('2026-12-31') TO ('2027-01-01')",
      "by_day_20270101 FOR VALUES FROM ('2027-01-01') TO ('2027-01-02')",
    ])
    await keep(MONTHS, '2026-12-31T00:00:00')
    expect(await names('by_month')).toEqual(['by_month_202611', 'by_month_202612', 'by_month_202701', 'by_month_202702'])
  })

  it('cuts months at midnight of UTC, whatever the zone of the session', async () => {
    await backend.pool.db.connection().execute(async (db) => {
      await sql`set time zone 'Pacific/Auckland'`.execute(db)
      await keepPartitions(db, MONTHS, at('2026-11-20T00:00:00'))
      await sql`reset time zone`.execute(db)
    })
    for (const [instant, table] of [
      ['2026-11-30T23:59:59.999Z', 'by_month_202611'],
      ['2026-12-01T00:00:00.000Z', 'by_month_202612'],
    ] as const) {
      await sql`insert into by_month values (${new Date(instant)})`.execute(backend.pool.db)
      const { rows } = await sql`select at from ${sql.table(table)}`.execute(backend.pool.db)
      expect(rows).toEqual([{ at: new Date(instant) }])
    }
  })

  it('drops a partition when all that it can hold is past the retention, not before', async () => {
    await keep(DAYS, '2026-11-01T12:00:00')
    expect(await keep(DAYS, '2026-11-08T23:59:59.999')).toEqual([])
    expect(await keep(DAYS, '2026-11-09T00:00:00')).toEqual(['2026-10-31'])
    await keep(MONTHS, '2026-01-15T00:00:00')
    expect(await keep(MONTHS, '2026-03-01T23:59:59')).toEqual([])
    expect(await keep(MONTHS, '2026-03-02T00:00:00')).toEqual(['2025-12'])
    expect(await keep(MONTHS, '2027-01-01T00:00:00')).toEqual(['2026-01', '2026-02', '2026-03', '2026-04', '2026-05'])
  })

  it('does not drop what it would make again: late rows have a place however short the retention is', async () => {
    const plan = { ...MONTHS, retentionMs: 9 * 86_400_000 }
    for (let turn = 1; turn <= 3; turn += 1) {
      expect(await keep(plan, '2026-11-21T00:00:00')).toEqual([])
      expect(await names('by_month')).toContain('by_month_202610')
    }
    expect(await keep(plan, '2026-12-01T00:00:00')).toEqual(['2026-10'])
  })

  it('leaves tables of other names alone, also such that look like a date', async () => {
    await sql`create table by_day_extra partition of by_day for values from ('2001-01-01') to ('2001-01-02')`.execute(
      backend.pool.db,
    )
    await sql`create table by_day_20011399 partition of by_day for values from ('2002-01-01') to ('2002-01-02')`.execute(
      backend.pool.db,
    )
    expect(await keep(DAYS, '2026-11-20T00:00:00')).toEqual([])
    expect(await names('by_day')).toEqual(expect.arrayContaining(['by_day_extra', 'by_day_20011399']))
  })

  it('may run on many instances at once', async () => {
    for (let round = 1; round <= 5; round += 1) {
      const nowMs = at('2026-11-20T00:00:00') + round * 6 * 86_400_000
      const kept = Array.from({ length: 6 }, () => keepPartitions(backend.pool.db, DAYS, nowMs))
      expect((await Promise.allSettled(kept)).filter(({ status }) => status === 'rejected')).toEqual([])
    }
  })

  // Without the lock, concurrent drops of a partition fail: the second finds it in the catalogue without its parent.
  it('drops each partition once with any number of instances', async () => {
    const plan: PartitionPlan = { ...DAYS, behind: 29, retentionMs: 31 * 86_400_000 }
    const start = at('2026-11-20T00:00:00')
    await keepPartitions(backend.pool.db, plan, start)
    for (let round = 1; round <= 4; round += 1) {
      const nowMs = start + round * 32 * 86_400_000
      const kept = Array.from({ length: 4 }, () => keepPartitions(backend.pool.db, plan, nowMs))
      const days = (await Promise.all(kept)).flat()
      expect(days.length).toBeGreaterThanOrEqual(30)
      expect(days).toHaveLength(new Set(days).size)
      // Those that were just made, and two made ahead a round before.
      expect(await names('by_day')).toHaveLength(34)
    }
  })

  it('takes no lock of the table when nothing is missing', async () => {
    await keep(DAYS, '2026-11-20T00:00:00')
    await backend.pool.db.transaction().execute(async (db) => {
      await sql`lock table by_day in access share mode`.execute(db)
      expect(await keep(DAYS, '2026-11-20T01:00:00')).toEqual([])
    })
  })
})
