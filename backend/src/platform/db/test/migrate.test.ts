import pg from 'pg'
import { expect, inject, test } from 'vitest'
import { withDatabase } from '../../../../test/global-setup.ts'
import { dropWithConnections, startTestBackend } from '../../../../test/harness.ts'
import { type Log, silentLog } from '../../logging/log.ts'
import { systemClock } from '../../time/clock.ts'
import { createPool, keepPartitions, listMigrations, migrate, type PartitionPlan } from '../index.ts'

const NARROW: PartitionPlan = { table: 'live_event', period: 'month', behind: 0, ahead: 2, retentionMs: 0 }
const WIDE: PartitionPlan = { ...NARROW, behind: 1 }

test('an instance starts while another drops partitions', async () => {
  const backend = await startTestBackend()
  const { db } = backend.pool
  const nowMs = Date.parse('2026-11-21T00:00:00Z')
  const reading = new AbortController()
  const drop = async (): Promise<number> => {
    let dropped = 0
    while (!reading.signal.aborted) {
      await keepPartitions(db, WIDE, nowMs)
      dropped += (await keepPartitions(db, NARROW, nowMs)).length
    }
    return dropped
  }
  const dropping = drop()
  const readMigrations = async () => {
    for (let turn = 0; turn < 25; turn += 1) {
      const { applied, available } = await listMigrations(db)
      expect(applied).toEqual(available)
    }
  }
  await Promise.all([readMigrations(), readMigrations(), readMigrations()]).finally(() => reading.abort())
  expect(await dropping).toBeGreaterThan(0)
  await backend.close()
})

test('the first start logs its migrations in one line, and a second start logs none', async () => {
  const operator = new pg.Client({ connectionString: inject('postgresUrl') })
  await operator.connect()
  await operator.query('create database vedette_first_start')
  const url = withDatabase(inject('postgresUrl'), 'vedette_first_start')
  const pool = createPool({ url, clock: systemClock, log: silentLog, max: 2 })
  const lines: [object, string][] = []
  const log: Log = { ...silentLog, info: (facts, message) => void lines.push([facts, message]) }
  try {
    const { available } = await listMigrations(pool.db)
    expect(await migrate(pool.db, log)).toEqual(available)
    expect(await migrate(pool.db, log)).toEqual([])
    expect(lines).toEqual([[{ migrations: available }, 'database migrated']])
  } finally {
    await pool.end()
    await dropWithConnections(operator, 'vedette_first_start')
    await operator.end()
  }
})
