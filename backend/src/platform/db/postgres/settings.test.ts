import { expect, test } from 'vitest'
import { settingsFor, toConfiguration } from './settings.ts'

const GB = 1024 ** 3

test.each([
  { memoryGb: 0.5, buffers: '64MB' },
  { memoryGb: 4, buffers: '256MB' },
  { memoryGb: 16, buffers: '1024MB' },
  { memoryGb: 512, buffers: '1024MB' },
])('$memoryGb GB of memory give $buffers of shared buffers', ({ memoryGb, buffers }) => {
  expect(settingsFor({ memoryBytes: memoryGb * GB, freeDiskBytes: 100 * GB }, { fsync: true })['shared_buffers']).toBe(buffers)
})

test.each([
  { freeGb: 0, wal: '128MB' },
  { freeGb: 5, wal: '512MB' },
  { freeGb: 20, wal: '2048MB' },
  { freeGb: 900, wal: '2048MB' },
])('$freeGb GB of free disk give $wal of log', ({ freeGb, wal }) => {
  expect(settingsFor({ memoryBytes: GB, freeDiskBytes: freeGb * GB }, { fsync: true })['max_wal_size']).toBe(wal)
})

test('commits are durable unless a test cluster asks otherwise [PUSH-02]', () => {
  const machine = { memoryBytes: GB, freeDiskBytes: GB }
  expect(settingsFor(machine, { fsync: true })).not.toHaveProperty('fsync')
  expect(settingsFor(machine, { fsync: true })).not.toHaveProperty('synchronous_commit')
  expect(settingsFor(machine, { fsync: false })).toMatchObject({ fsync: 'off' })
})

test('a quote in a value is doubled', () => {
  expect(toConfiguration({ log_line_prefix: "it's " })).toContain("log_line_prefix = 'it''s '\n")
})
