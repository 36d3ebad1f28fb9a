import { expect, test } from 'vitest'
import { settingsFor, toConfiguration } from './settings.ts'

const GB = 1024 ** 3

test.each([
  { memoryGb: 0.5, dataGb: 100, buffers: '64MB' },
  { memoryGb: 4, dataGb: 100, buffers: '256MB' },
  { memoryGb: 512, dataGb: 100, buffers: '1024MB' },
  { memoryGb: 16, dataGb: 0.5, buffers: '512MB' },
  { memoryGb: 16, dataGb: 0, buffers: '128MB' },
  { memoryGb: 1, dataGb: 0, buffers: '64MB' },
])('$memoryGb GB of memory and $dataGb GB of data give $buffers of shared buffers', ({ memoryGb, dataGb, buffers }) => {
  const machine = { memoryBytes: memoryGb * GB, freeDiskBytes: 100 * GB, dataBytes: dataGb * GB }
  expect(settingsFor(machine, { fsync: true })['shared_buffers']).toBe(buffers)
})

test('processes that read ahead are started for much data alone', () => {
  const machine = { memoryBytes: GB, freeDiskBytes: GB }
  expect(settingsFor({ ...machine, dataBytes: GB / 2 }, { fsync: true })).toMatchObject({ io_method: 'sync' })
  expect(settingsFor({ ...machine, dataBytes: GB }, { fsync: true })).not.toHaveProperty('io_method')
})

test.each([
  { freeGb: 0, wal: '128MB' },
  { freeGb: 5, wal: '512MB' },
  { freeGb: 20, wal: '2048MB' },
  { freeGb: 900, wal: '2048MB' },
])('$freeGb GB of free disk give $wal of log', ({ freeGb, wal }) => {
  expect(settingsFor({ memoryBytes: GB, freeDiskBytes: freeGb * GB, dataBytes: 0 }, { fsync: true })['max_wal_size']).toBe(wal)
})

test('commits are durable unless a test cluster asks otherwise [PUSH-02]', () => {
  const machine = { memoryBytes: GB, freeDiskBytes: GB, dataBytes: 0 }
  expect(settingsFor(machine, { fsync: true })).not.toHaveProperty('fsync')
  expect(settingsFor(machine, { fsync: true })).not.toHaveProperty('synchronous_commit')
  expect(settingsFor(machine, { fsync: false })).toMatchObject({ fsync: 'off', max_wal_size: '256MB' })
})

test('a quote in a value is doubled', () => {
  expect(toConfiguration({ log_line_prefix: "it's " })).toContain("log_line_prefix = 'it''s '\n")
})
