import { encodeBinaryBatch, encodeBinaryPush } from '@vedette/shared/metrics/binary-push'
import { encodeBlock, type SampleColumns } from '@vedette/shared/metrics/block'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { PushFault } from './faults.ts'
import { byBlocks, byColumns, byRows, DAY, head, NOW, parse } from './test-push.ts'

function detailsOf(body: unknown): [string, string][] {
  try {
    parse(body)
  } catch (error) {
    if (error instanceof PushFault) return error.details.map(({ path, message }) => [path, message])
  }
  throw new Error('the push was not refused by a PushFault')
}

/** Whether a body gets a push or a PushFault, and nothing else. */
function isAnswered(body: unknown): boolean {
  try {
    const { accepted, rejected } = parse(body)
    return accepted + rejected.length >= 0
  } catch (error) {
    return error instanceof PushFault
  }
}

describe('a malformed push in the binary form', () => {
  const columns = (atMs: number[]): SampleColumns => ({ atMs: Float64Array.from(atMs), fieldIds: [], values: Float64Array.of() })
  const good = columns([NOW])
  const withBatch = (fields: object, block = encodeBlock(good)): Buffer => {
    const whole = encodeBinaryBatch(fields, good)
    return encodeBinaryPush({}, [
      Buffer.concat([whole.subarray(0, -encodeBlock(good).length - 1), Buffer.of(block.length), block]),
    ])
  }
  const ascending = (count: number) => columns(Array.from({ length: count }, (_, index) => NOW - count + index))
  it.each<[string, Buffer, string, string]>([
    ['nothing', Buffer.of(), '', 'version missing is unknown'],
    ['a part of one', byBlocks(good).subarray(0, -1), '', 'body is cut off'],
    ['no batch', encodeBinaryPush({}, []), 'batches', 'must be an array of 1 to 60 batches'],
    ['61 batches', byBlocks(...Array.from({ length: 61 }, () => good)), 'batches', 'must be an array of 1 to 60 batches'],
    ['fields that are no object', encodeBinaryPush([], [encodeBinaryBatch(head, good)]), '', 'must be a JSON object in UTF-8'],
    [
      'a batch of no UTF-8',
      Buffer.concat([Buffer.from('01027b7d01ff00', 'hex'), Buffer.of(4, 1, 3, 0, 0)]),
      'batches.0',
      'must be a JSON object in UTF-8',
    ],
    ['a batch without an id', withBatch({ ...head, batch_id: 5 }), 'batches.0.batch_id', 'must be a string'],
    ['samples next to the block', withBatch(byRows()), 'batches.0', 'must not have samples or columns in addition to its block'],
    ['another form of block', withBatch(head, Buffer.of(2, 0, 0, 0, 0)), 'batches.0.block', 'block form 2 is none of a push'],
    [
      'bytes after the block',
      withBatch(head, Buffer.concat([encodeBlock(good), Buffer.of(0)])),
      'batches.0.block',
      'bytes after the end of the block',
    ],
    ['1,001 samples', byBlocks(ascending(1_001)), 'batches.0.block', 'must have 1 to 1000 samples'],
    ['25 hours', byBlocks(columns([NOW - 25 * 3_600_000, NOW])), 'batches.0', 'must not span more than 24 hours'],
  ])('%s', (_, body, path, message) => {
    expect(detailsOf(body)).toContainEqual([path, message])
  })

  it('1,000 samples are no fault', () => expect(parse(byBlocks(ascending(1_000))).accepted).toBe(1_000))

  it('fields of a later version are ignored', () => {
    const later = { ...good, fieldIds: [1, 9_999], values: Float64Array.of(100, 5) }
    expect(parse(byBlocks(later))).toEqual(parse({ batches: [byColumns({ at_ms: [NOW], cpu: { percent: [1] } })] }))
  })

  it('any bytes, and any change of one, get a push or a PushFault', () => {
    const whole = byBlocks({
      atMs: Float64Array.of(NOW - 10, NOW),
      fieldIds: [1, 2],
      values: Float64Array.of(1, 2, 3, Number.NaN),
    })
    const changed = fc.tuple(fc.nat(whole.length - 1), fc.nat(255)).map(([at, byte]) => Buffer.from(whole.with(at, byte)))
    const any = fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes))
    expect(() => fc.assert(fc.property(fc.oneof(any, changed), isAnswered), { numRuns: 3_000 })).not.toThrow()
  })
})

describe('a malformed push', () => {
  const one = { at_ms: [NOW] }
  const sample = { at: '2026-11-20T18:30:00Z' }
  const many = Array.from({ length: 1_001 }, (_, index) => NOW - index)
  const filesystem = { mount: '/', fs_type: 'ext4', used_bytes: 5, total_bytes: 10, percent: 50 }
  const process = { pid: 1, name: 'init', cpu_percent: null, memory_bytes: 1 }
  const nic = { name: 'eth0', rx_bytes_per_sec: 1, tx_bytes_per_sec: 1 }
  it.each<[string, unknown, string]>([
    ['null', null, ''],
    ['an array', [], ''],
    ['neither form', head, ''],
    ['both forms', { ...byColumns(one), samples: [sample] }, ''],
    ['samples next to batches', { ...byColumns(one), batches: [byColumns(one)] }, ''],
    ['no batches', { batches: [] }, 'batches'],
    ['61 batches', { batches: Array.from({ length: 61 }, () => byColumns(one)) }, 'batches'],
    ['a batch that is a number', { batches: [byColumns(one), 5] }, 'batches.1'],
    ['a batch id that is no UUID', { ...byColumns(one), batch_id: 'x' }, 'batch_id'],
    ['no sent_at', { ...byColumns(one), sent_at: undefined }, 'sent_at'],
    ['a sent_at without a zone', { ...byColumns(one), sent_at: '2026-11-20T18:30:00' }, 'sent_at'],
    ['an empty agent version', { ...byColumns(one), agent_version: '' }, 'agent_version'],
    ['an agent version of 65 characters', { ...byColumns(one), agent_version: '😀'.repeat(65) }, 'agent_version'],
    ['NUL in a text', { ...byColumns(one), agent_version: '1\0' }, 'agent_version'],
    ['a lone surrogate', { ...byColumns(one), boot_id: '\ud800' }, 'boot_id'],
    ['a server id that is a number', { ...byColumns(one), server_id: 5 }, 'server_id'],
    ['columns that are an array', byColumns([]), 'columns'],
    ['no instants', byColumns({}), 'columns.at_ms'],
    ['empty instants', byColumns({ at_ms: [] }), 'columns.at_ms'],
    ['1,001 instants', byColumns({ at_ms: many }), 'columns.at_ms'],
    ['a fraction as instant', byColumns({ at_ms: [0.5] }), 'columns.at_ms'],
    ['a group that is null', byColumns({ ...one, cpu: null }), 'columns.cpu'],
    ['a column that is a number', byColumns({ ...one, cpu: { percent: 5 } }), 'columns.cpu.percent'],
    ['a column that is too long', byColumns({ ...one, cpu: { percent: [1, 2] } }), 'columns.cpu.percent'],
    ['a string in a column', byColumns({ ...one, cpu: { percent: ['5'] } }), 'columns.cpu.percent.0'],
    ['a string in a sample', { batches: [byRows({ ...sample, cpu: { percent: '5' } })] }, 'batches.0.samples.0.cpu.percent'],
    ['a group that is an array', byRows({ ...sample, disk: [] }), 'samples.0.disk'],
    ['no samples', byRows(), 'samples'],
    ['1,001 samples', byRows(...many.map(() => sample)), 'samples'],
    ['a sample that is null', { ...head, samples: [null] }, 'samples.0'],
    ['a sample without an instant', byRows({ cpu: { percent: 5 } }), 'samples.0.at'],
    ['30 February', byRows({ at: '2026-02-30T00:00:00Z' }), 'samples.0.at'],
    ['a span of more than 24 hours', byColumns({ at_ms: [NOW - DAY - 1, NOW] }), ''],
    ['65 filesystems', { ...byColumns(one), filesystems: Array.from({ length: 65 }, () => filesystem) }, 'filesystems'],
    [
      'a filesystem without a mount',
      { ...byColumns(one), filesystems: [{ ...filesystem, mount: undefined }] },
      'filesystems.0.mount',
    ],
    [
      'a filesystem of 101 percent',
      { ...byColumns(one), filesystems: [{ ...filesystem, percent: 101 }] },
      'filesystems.0.percent',
    ],
    ['half a byte', { ...byColumns(one), filesystems: [{ ...filesystem, used_bytes: 0.5 }] }, 'filesystems.0.used_bytes'],
    [
      'an interface without a rate',
      { ...byColumns(one), interfaces: [{ name: 'eth0', rx_bytes_per_sec: 1 }] },
      'interfaces.0.tx_bytes_per_sec',
    ],
    [
      'an interface with a negative rate',
      { ...byColumns(one), interfaces: [{ ...nic, rx_bytes_per_sec: -1 }] },
      'interfaces.0.rx_bytes_per_sec',
    ],
    ['an interface that is null', { ...byColumns(one), interfaces: [null] }, 'interfaces.0'],
    ['11 processes', { ...byColumns(one), processes: Array.from({ length: 11 }, () => process) }, 'processes'],
    ['a process without a name', { ...byColumns(one), processes: [{ ...process, name: '' }] }, 'processes.0.name'],
    ['a name of 65 characters', { ...byColumns(one), processes: [{ ...process, name: 'n'.repeat(65) }] }, 'processes.0.name'],
    ['101 percent of a machine', { ...byColumns(one), processes: [{ ...process, cpu_percent: 101 }] }, 'processes.0.cpu_percent'],
    [
      'a process without memory',
      { ...byColumns(one), processes: [{ ...process, memory_bytes: undefined }] },
      'processes.0.memory_bytes',
    ],
    ['a host that is a list', { ...byColumns(one), host: [] }, 'host'],
    ['half a second up', { ...byColumns(one), host: { uptime_seconds: 0.5 } }, 'host.uptime_seconds'],
    ['more users than there are', { ...byColumns(one), host: { logged_in_users: 1_000_001 } }, 'host.logged_in_users'],
    [
      '33 failed units',
      { ...byColumns(one), host: { failed_units: Array.from({ length: 33 }, () => 'a') } },
      'host.failed_units',
    ],
    ['a failed unit that is a number', { ...byColumns(one), host: { failed_units: ['a', 5] } }, 'host.failed_units.1'],
    [
      '33 missing processes',
      { ...byColumns(one), host: { missing_processes: Array.from({ length: 33 }, () => 'a') } },
      'host.missing_processes',
    ],
    [
      'a missing process of 65 characters',
      { ...byColumns(one), host: { missing_processes: ['a'.repeat(65)] } },
      'host.missing_processes.0',
    ],
    ['a reboot that is a word', { ...byColumns(one), host: { reboot_required: 'yes' } }, 'host.reboot_required'],
  ])('is refused whole for %s [PUSH-03, PUSH-05, PUSH-10]', (_, body, path) => {
    expect(detailsOf(body).map(([at]) => at)).toEqual([path])
  })

  it('is refused with up to 20 faults together', () => {
    expect(detailsOf({ ...byColumns({ at_ms: [1], cpu: 5 }), batch_id: 5, agent_version: 7 })).toHaveLength(3)
    expect(detailsOf(byRows(...Array.from({ length: 1_000 }, () => ({}))))).toHaveLength(20)
  })

  it('causes no other error than a PushFault, for any JSON', () => {
    const spoiled = fc
      .tuple(fc.constantFrom('cpu', 'at_ms', 'memory', 'x'), fc.jsonValue())
      .map(([name, any]) => byColumns({ ...one, [name]: any }))
    fc.assert(
      fc.property(
        fc.oneof(
          fc.jsonValue(),
          spoiled,
          fc.array(fc.jsonValue()).map((samples) => ({ ...head, samples })),
        ),
        (body) => {
          expect(isAnswered(body)).toBe(true)
        },
      ),
      { numRuns: 2_000 },
    )
  })
})
