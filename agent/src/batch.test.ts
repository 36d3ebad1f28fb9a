import { expect, test } from 'vitest'
import { cutSamples, formBatch, toColumns } from './batch.ts'
import { toGroup } from './precision.ts'

test('columns are as long as at_ms, null where a sample lacks the field [AGENT-08]', () => {
  const samples = [
    { atMs: 1, values: { cpu: { percent: 1.5 }, tcp: { listen: 3 } } },
    { atMs: 2, values: { cpu: { percent: 2, cores: 4 } } },
    { atMs: 3, values: {} },
  ]
  expect(toColumns(samples)).toEqual({
    at_ms: [1, 2, 3],
    cpu: { percent: [1.5, 2, null], cores: [null, 4, null] },
    tcp: { listen: [3, null, null] },
  })
})

const every = (count: number, stepMs: number) =>
  Array.from({ length: count }, (_, index) => ({ atMs: index * stepMs, values: {} }))

test('a batch holds at most 1,000 samples and spans less than a day, also when the clock went back', () => {
  expect(cutSamples([])).toEqual([])
  expect(cutSamples(every(1_000, 10)).map((part) => part.length)).toEqual([1_000])
  expect(cutSamples(every(2_001, 10)).map((part) => part.length)).toEqual([1_000, 1_000, 1])
  expect(
    cutSamples([
      { atMs: 0, values: {} },
      { atMs: 86_399_999, values: {} },
      { atMs: 86_400_000, values: {} },
    ]),
  ).toHaveLength(2)
  expect(
    cutSamples([
      { atMs: 90_000_000, values: {} },
      { atMs: 0, values: {} },
    ]),
  ).toHaveLength(2)
})

test('a batch has the form of the wire [AGENT-08]', () => {
  const formed = formBatch('id', 0, '0.1.0', [{ atMs: 5, values: { cpu: { percent: 1 } } }], { filesystems: [] })
  expect(formed.samples).toBe(1)
  expect(JSON.parse(formed.bytes.toString())).toEqual({
    batch_id: 'id',
    sent_at: '1970-01-01T00:00:00.000Z',
    agent_version: '0.1.0',
    columns: { at_ms: [5], cpu: { percent: [1] } },
    filesystems: [],
  })
})

test('values are rounded as the wire has them; what is unknown is left out [PUSH-33, SAMPLE-15]', () => {
  expect(toGroup('cpu', { percent: 12.345678, load_1: 0.005, cores: undefined })).toEqual({ percent: 12.35, load_1: 0.01 })
  expect(toGroup('network', { rx_errors_per_sec: 0.12345, active_connections: 3 })).toEqual({
    rx_errors_per_sec: 0.123,
    active_connections: 3,
  })
  expect(toGroup('memory', { used_bytes: 10.6, percent: Number.NaN })).toEqual({ used_bytes: 11 })
  expect(toGroup('disk', {})).toBeUndefined()
})
