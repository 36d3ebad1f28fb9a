import { decodeBinaryPush } from '@vedette/shared/metrics/binary-push'
import { decodeBlock } from '@vedette/shared/metrics/block'
import { METRIC_FIELDS } from '@vedette/shared/metrics/fields'
import { expect, test } from 'vitest'
import { toGroup } from '../samplers/numbers/precision.ts'
import { encodeBatch, pushBody, toColumns } from './batch.ts'

test('columns are as long as at_ms, with null where a sample has no value [AGENT-08]', () => {
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

test('a batch is encoded as the API expects [AGENT-08]', () => {
  const cut = { first: 7, last: 7, batch_id: 'id', sent_at: '1970-01-01T00:00:00.000Z', agent_version: '0.1.0', filesystems: [] }
  const bytes = encodeBatch(cut, [{ atMs: 5, values: { cpu: { percent: 1 } } }])
  expect(JSON.parse(bytes.toString())).toEqual({
    batch_id: 'id',
    sent_at: '1970-01-01T00:00:00.000Z',
    agent_version: '0.1.0',
    columns: { at_ms: [5], cpu: { percent: [1] } },
    filesystems: [],
  })
})

test('in the binary form the samples of a batch are a block: by instant, the first of several at one', () => {
  const cut = { first: 7, last: 9, batch_id: 'id', sent_at: '1970-01-01T00:00:00.000Z', agent_version: '0.1.0', interfaces: [] }
  const samples = [
    { atMs: 5, values: { cpu: { percent: 1.25 }, tcp: { listen: 3 } } },
    { atMs: 3, values: { cpu: { percent: null, load_1: 0.5 } } },
    { atMs: 5, values: { cpu: { percent: 9 } } },
  ]
  const { fields, batches } = decodeBinaryPush(pushBody([{ bytes: encodeBatch(cut, samples, 'binary') }], 'boot', 'binary'))
  expect(JSON.parse(fields.toString())).toEqual({ boot_id: 'boot' })
  const [batch] = batches
  expect(JSON.parse(String(batch?.fields))).toEqual({
    batch_id: 'id',
    sent_at: '1970-01-01T00:00:00.000Z',
    agent_version: '0.1.0',
    interfaces: [],
  })
  const { cpu, tcp } = METRIC_FIELDS
  expect(batch && decodeBlock(batch.block, batch.t0Ms)).toEqual({
    atMs: Float64Array.of(3, 5),
    fieldIds: [cpu.percent.id, cpu.load_1.id, tcp.listen.id],
    values: Float64Array.of(Number.NaN, 125, 50, Number.NaN, Number.NaN, 3),
  })
})

test('the request contains the bytes of the batches unchanged', () => {
  const two = [{ bytes: Buffer.from('{"a":1}') }, { bytes: Buffer.from('{"b":2}') }]
  expect(pushBody(two, 'boot').toString()).toBe('{"boot_id":"boot","batches":[{"a":1},{"b":2}]}')
  expect(pushBody(two, undefined).toString()).toBe('{"batches":[{"a":1},{"b":2}]}')
})

test('values are rounded to the precision of the wire, and unknown ones are left out [PUSH-33, SAMPLE-15]', () => {
  expect(toGroup('cpu', { percent: 12.345678, load_1: 0.005, cores: undefined })).toEqual({ percent: 12.35, load_1: 0.01 })
  expect(toGroup('network', { rx_errors_per_sec: 0.12345, active_connections: 3 })).toEqual({
    rx_errors_per_sec: 0.123,
    active_connections: 3,
  })
  expect(toGroup('memory', { used_bytes: 10.6, percent: Number.NaN })).toEqual({ used_bytes: 11 })
  expect(toGroup('disk', {})).toBeUndefined()
})
