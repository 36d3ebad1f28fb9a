import { expect, test } from 'vitest'
import { startTestBackend } from '../../../test/harness.ts'
import { keepPartitions, listMigrations, type PartitionPlan } from '../db/index.ts'

const NARROW: PartitionPlan = { table: 'live_event', period: 'month', behind: 0, ahead: 2, retentionMs: 0 }
const WIDE: PartitionPlan = { ...NARROW, behind: 1 }

test('an instance starts while another drops partitions', async () => {
  const backend = await startTestBackend()
  const { db } = backend.pool
  const nowMs = Date.parse('2026-11-21T00:00:00Z')
  const looking = new AbortController()
  const drop = async (): Promise<number> => {
    let dropped = 0
    while (!looking.signal.aborted) {
      await keepPartitions(db, WIDE, nowMs)
      dropped += (await keepPartitions(db, NARROW, nowMs)).length
    }
    return dropped
  }
  const dropping = drop()
  const look = async () => {
    for (let turn = 0; turn < 25; turn += 1) {
      const { applied, known } = await listMigrations(db)
      expect(applied).toEqual(known)
    }
  }
  await Promise.all([look(), look(), look()]).finally(() => looking.abort())
  expect(await dropping).toBeGreaterThan(0)
  await backend.close()
})
