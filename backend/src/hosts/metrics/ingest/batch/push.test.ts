import { ALL_FIELDS } from '@vedette/shared'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Push } from './push.ts'
import { byBlocks, byColumns, byRows, DAY, head, limits, NOW, overJson, parse } from './test-push.ts'
import { decodeBlock, fromScaled } from '@vedette/shared/metrics/block'

/** `{ at: { 'group.field': value } }` of all that a push stores. */
function stored(push: Push): Record<number, Record<string, number>> {
  const found: Record<number, Record<string, number>> = {}
  for (const piece of push.batches.flatMap((batch) => batch.pieces)) {
    const { atMs, fieldIds, values } = decodeBlock(piece.block, piece.t0Ms)
    for (const [index, at] of atMs.entries()) {
      const sample = (found[at] ??= {})
      for (const [row, id] of fieldIds.entries()) {
        const field = ALL_FIELDS.find((candidate) => candidate.id === id)
        const value = values[row * atMs.length + index] ?? Number.NaN
        if (field && !Number.isNaN(value)) sample[`${field.group}.${field.name}`] = fromScaled(value, field)
      }
    }
  }
  return found
}

describe('parsePush accepts', () => {
  it('a batch by columns [PUSH-04, PUSH-33]', () => {
    const push = parse(
      byColumns({
        at_ms: [NOW, NOW + 10_000],
        cpu: { percent: [12.345, null], cores: [8, 8] },
        disk: { read_iops: [0.0004, 7] },
      }),
    )
    expect(push).toMatchObject({ accepted: 2, rejected: [], newestAtMs: NOW + 10_000, bootId: undefined, serverId: undefined })
    expect(push.batches[0]).toMatchObject({
      newestAtMs: NOW + 10_000,
    })
    expect(stored(push)).toEqual({
      [NOW]: { 'cpu.percent': 12.35, 'cpu.cores': 8, 'disk.read_iops': 0 },
      [NOW + 10_000]: { 'cpu.cores': 8, 'disk.read_iops': 7 },
    })
  })

  it('a batch by rows, an instant in any zone [PUSH-03]', () => {
    const push = parse(
      byRows({ at: '2026-11-20T20:00:00.5+02:00', tcp: { listen: 3, closing: null } }, { at: '2026-11-20T18:00:01Z' }),
    )
    expect(stored(push)).toEqual({ [NOW - 1_800_000 + 500]: { 'tcp.listen': 3 }, [NOW - 1_800_000 + 1_000]: {} })
  })

  it('several batches are parsed with the other fields of the request', () => {
    const batches = [byColumns({ at_ms: [NOW] }), byRows({ at: '2026-11-20T18:00:00Z' })]
    const push = parse({ boot_id: 'b1', server_id: 'srv_1', batches })
    expect(push).toMatchObject({ accepted: 2, newestAtMs: NOW, bootId: 'b1', serverId: 'srv_1' })
    expect(push.batches.map((batch) => batch.newestAtMs)).toEqual([NOW, NOW - 1_800_000])
  })

  it('unknown fields at every level, whatever they hold [WIRE-17]', () => {
    const unknown = { later: [{ deep: 'x' }], gpu: 'x', toString: null }
    const plain = parse({ ...byColumns({ at_ms: [NOW], cpu: { percent: [1] } }) })
    const push = parse({
      ...unknown,
      ...byColumns({ at_ms: [NOW], ...unknown, cpu: { percent: [1], ...unknown } }),
      filesystems: [],
      interfaces: [],
    })
    expect(push.batches[0]?.pieces).toEqual(plain.batches[0]?.pieces)
    expect(stored(parse({ ...byRows({ at: '2026-11-20T18:30:00Z', ...unknown, cpu: { ...unknown } }) }))).toEqual({ [NOW]: {} })
  })

  it('-0 as 0', () => {
    const zero = parse(JSON.parse(JSON.stringify(byColumns({ at_ms: [NOW], cpu: { percent: [0] } })).replace('[0]', '[-0.0]')))
    expect(stored(zero)).toEqual({ [NOW]: { 'cpu.percent': 0 } })
    expect(zero.batches[0]?.pieces).toEqual(parse(byColumns({ at_ms: [NOW], cpu: { percent: [0] } })).batches[0]?.pieces)
  })

  it('filesystems and interfaces, known fields only, rounded [PUSH-06, PUSH-07, PUSH-33]', () => {
    const filesystems = [{ mount: '/', fs_type: 'ext4', used_bytes: 5, total_bytes: 10, percent: 33.33333, inodes: 4 }]
    const interfaces = [{ name: 'eth0', rx_bytes_per_sec: 1.23456, tx_bytes_per_sec: null }]
    expect(parse({ ...byColumns({ at_ms: [NOW] }), filesystems, interfaces }).batches[0]?.state).toEqual({
      filesystems: [{ mount: '/', fs_type: 'ext4', used_bytes: 5, total_bytes: 10, percent: 33.33 }],
      interfaces: [{ name: 'eth0', rx_bytes_per_sec: 1.235, tx_bytes_per_sec: null }],
    })
  })

  it('processes and the state of the host are parsed with known fields only, and missing parts stay absent [AGENT-34]', () => {
    const processes = [{ pid: 7, name: 'node', cpu_percent: 1.006, memory_bytes: null, command: 'node --token=x' }]
    const known = { uptime_seconds: 5, failed_units: ['a.service'], missing_processes: ['nginx'] }
    const host = { ...known, later: [1] }
    expect(parse({ ...byColumns({ at_ms: [NOW] }), processes, host }).batches[0]?.state).toEqual({
      processes: [{ pid: 7, name: 'node', cpu_percent: 1.01, memory_bytes: null }],
      host: known,
    })
    expect(parse(byColumns({ at_ms: [NOW] })).batches[0]?.state).toEqual({})
  })

  it('the greatest values, at the bound', () => {
    const greatest = {
      cpu: { percent: [100], load_1: [90_071_992_547_409.9] },
      memory: { used_bytes: [2 ** 53 - 1] },
      disk: { read_iops: [9_007_199_254_740] },
    }
    expect(parse(byColumns({ at_ms: [NOW], ...greatest }))).toMatchObject({ accepted: 1, rejected: [] })
  })
})

describe('pieces', () => {
  it('are cut at the UTC hour and sorted', () => {
    const hour = Date.parse('2026-11-20T18:00:00.000Z')
    const push = parse(byColumns({ at_ms: [hour + 5, hour - 1, hour, hour - 7], cpu: { percent: [4, 2, 3, 1] } }))
    const pieces = push.batches[0]?.pieces ?? []
    expect(pieces.map(({ t0Ms, tLastMs, count }) => [t0Ms, tLastMs, count])).toEqual([
      [hour - 7, hour - 1, 2],
      [hour, hour + 5, 2],
    ])
    expect(Object.values(stored(push)).map((sample) => sample['cpu.percent'])).toEqual([1, 2, 3, 4])
  })

  it('hold the first of two values for one instant, however it is spelled, and count both [PUSH-20]', () => {
    const push = parse(
      byRows(
        { at: '2026-11-20T18:30:00Z', cpu: { percent: 1 } },
        { at: '2026-11-20T19:30:00.000+01:00', cpu: { percent: 2, cores: 4 } },
      ),
    )
    expect(push).toMatchObject({ accepted: 2, rejected: [] })
    expect(push.batches[0]?.pieces[0]?.count).toBe(2)
    expect(stored(push)).toEqual({ [NOW]: { 'cpu.percent': 1 } })
  })

  it('let a later value stand when the first for its instant was refused', () => {
    const push = parse(byColumns({ at_ms: [NOW, NOW], cpu: { percent: [101, 5] } }))
    expect([push.accepted, stored(push)]).toEqual([1, { [NOW]: { 'cpu.percent': 5 } }])
  })

  const reading = fc.option(fc.oneof(fc.double({ min: 0, max: 100, noNaN: true }), fc.integer({ min: 0, max: 100 })))
  const fieldNames = fc.uniqueArray(fc.constantFrom(...ALL_FIELDS), { minLength: 1, maxLength: 12, selector: ({ id }) => id })
  const anyBatch = fc
    .tuple(fieldNames, fc.array(fc.integer({ min: NOW - 4_000_000, max: NOW }), { minLength: 1, maxLength: 12 }))
    .chain(([fields, atMs]) =>
      fc.record({
        fields: fc.constant(fields),
        atMs: fc.constant(atMs),
        rows: fc.array(fc.array(reading, { minLength: fields.length, maxLength: fields.length }), {
          minLength: atMs.length,
          maxLength: atMs.length,
        }),
      }),
    )

  it('are the same by rows and by columns, and differ after any change of a value [PUSH-04, PUSH-21]', () => {
    fc.assert(
      fc.property(anyBatch, ({ fields, atMs, rows }) => {
        const columns: Record<string, Record<string, unknown>> = {}
        const samples = atMs.map((at): Record<string, unknown> => ({ at: new Date(at).toISOString() }))
        for (const [fieldIndex, { group, name }] of fields.entries()) {
          ;(columns[group] ??= {})[name] = rows.map((row) => row[fieldIndex])
          for (const [index, sample] of samples.entries())
            sample[group] = { ...(sample[group] as object), [name]: rows[index]?.[fieldIndex] }
        }
        const push = parse(overJson(byColumns({ at_ms: atMs, ...columns })))
        expect(parse(overJson(byRows(...samples)))).toEqual(push)
        const [first] = fields
        if (!first) return
        const changed = {
          ...columns,
          [first.group]: { ...columns[first.group], [first.name]: rows.map((row) => (row[0] ?? 50) / 2 + 0.001) },
        }
        const digests = parse(byColumns({ at_ms: atMs, ...changed })).batches[0]?.pieces.map(({ digest }) => digest)
        for (const piece of push.batches[0]?.pieces ?? []) expect(digests).not.toContain(piece.digest)
      }),
      { numRuns: 300 },
    )
  })

  it('are the same in the binary form, for values with the decimals of their unit, good ones and impossible ones [PUSH-36]', () => {
    // Greater ones have no third decimal as a double.
    const large = fc.integer({ min: 0, max: 2 ** 50 })
    const scaled = fc.option(fc.oneof(fc.nat({ max: 12_000 }), large, fc.integer({ min: -5, max: 5 })))
    const ascending = fc.uniqueArray(fc.integer({ min: NOW - 4_000_000, max: NOW + 400_000 }), { minLength: 1, maxLength: 12 })
    const anySamples = fc
      .tuple(fieldNames, ascending)
      .chain(([fields, atMs]) =>
        fc.tuple(
          fc.constant(fields.toSorted((one, other) => one.id - other.id)),
          fc.constant(atMs.toSorted((one, other) => one - other)),
          fc.array(scaled, { minLength: fields.length * atMs.length, maxLength: fields.length * atMs.length }),
        ),
      )
    fc.assert(
      fc.property(anySamples, ([fields, atMs, values]) => {
        const columns: Record<string, Record<string, unknown>> = {}
        for (const [row, field] of fields.entries())
          (columns[field.group] ??= {})[field.name] = values
            .slice(row * atMs.length, (row + 1) * atMs.length)
            .map((value) => value && fromScaled(value, field))
        const block = byBlocks({
          atMs: Float64Array.from(atMs),
          fieldIds: fields.map(({ id }) => id),
          values: Float64Array.from(values, (value) => value ?? Number.NaN),
        })
        expect(parse(block)).toEqual(parse({ batches: [byColumns({ at_ms: atMs, ...columns })] }))
      }),
      { numRuns: 300 },
    )
  })

  it('keep the digest when what surrounds the samples changes [PUSH-21]', () => {
    const [one, other] = [
      head,
      { ...head, sent_at: '2026-11-20T18:31:00Z', batch_id: '11890a5d-ac96-774b-bcce-b302099a8057' },
    ].map(
      (around) =>
        parse({ ...around, columns: { at_ms: [NOW, NOW + 1], cpu: { percent: [1, 2], cores: [null, null] } } }).batches[0]
          ?.pieces,
    )
    expect(other).toEqual(one)
    expect(one?.[0]?.digest).toHaveLength(8)
    const without = parse(byColumns({ at_ms: [NOW, NOW + 1], cpu: { percent: [1, 2] } }))
    expect(without.batches[0]?.pieces).toEqual(one)
  })
})

describe('one sample is refused and the rest kept', () => {
  it.each<[string, Record<string, unknown>, string]>([
    ['infinity', { cpu: { load_1: Number.POSITIVE_INFINITY } }, 'cpu.load_1 is not a finite number'],
    ['minus infinity', { memory: { used_bytes: Number.NEGATIVE_INFINITY } }, 'memory.used_bytes is not a finite number'],
    ['a percentage above 100', { cpu: { percent: 100.001 } }, 'cpu.percent is not between 0 and 100'],
    ['a percentage below 0', { disk: { usage_percent: -0.001 } }, 'disk.usage_percent is not between 0 and 100'],
    ['a negative size', { memory: { used_bytes: -1 } }, 'memory.used_bytes is negative'],
    ['a negative rate', { network: { rx_bytes_per_sec: -0.0001 } }, 'network.rx_bytes_per_sec is negative'],
    ['a negative count', { tcp: { listen: -1 } }, 'tcp.listen is negative'],
    ['a negative load', { cpu: { load_15: -0.01 } }, 'cpu.load_15 is negative'],
    ['a size of 2^53', { memory: { total_bytes: 2 ** 53 } }, 'memory.total_bytes is too large'],
    ['2^64, a wrapped counter', { network: { tx_bytes_per_sec: 2 ** 64 } }, 'network.tx_bytes_per_sec is too large'],
    ['a rate beyond exact thousandths', { disk: { read_iops: 9_007_199_254_741 } }, 'disk.read_iops is too large'],
  ])('%s [PUSH-26, PUSH-27, PUSH-28]', (_, groups, message) => {
    const good = { at: '2026-11-20T18:29:59Z', cpu: { percent: 5 } }
    const push = parse(byRows(good, { at: '2026-11-20T18:29:58Z', ...groups }))
    expect(push.rejected).toEqual([{ batch: 0, index: 1, code: 'invalid_value', message }])
    expect(push.accepted).toBe(1)
    expect(stored(push)).toEqual({ [NOW - 1_000]: { 'cpu.percent': 5 } })
  })

  it('an instant outside the window, both ends included in it [PUSH-24, PUSH-25]', () => {
    const { oldestMs, newestMs } = limits
    const atMs = [newestMs + 1, 0, NOW + 3_650 * DAY, NOW - 30 * DAY, -(2 ** 60), 1e300]
    expect(parse(byColumns({ at_ms: [newestMs, ...atMs] })).rejected.map(({ index, code }) => [index, code])).toEqual([
      [1, 'too_far_ahead'],
      [2, 'too_old'],
      [3, 'too_far_ahead'],
      [4, 'too_old'],
      [5, 'too_old'],
      [6, 'too_far_ahead'],
    ])
    expect([oldestMs, oldestMs - 1].map((ms) => parse(byColumns({ at_ms: [ms] })).accepted)).toEqual([1, 0])
  })

  it('and the answer names batch and index, once per sample, in order [PUSH-29]', () => {
    const bad = byColumns({ at_ms: [NOW, NOW + 1, 0], cpu: { percent: [1, 101, 101], cores: [-1, -1, 1] } })
    expect(parse({ batches: [byColumns({ at_ms: [NOW] }), bad] }).rejected.map(({ batch, index }) => [batch, index])).toEqual([
      [1, 0],
      [1, 1],
      [1, 2],
    ])
    const none = parse(bad)
    expect([none.accepted, none.newestAtMs, none.batches[0]?.pieces]).toEqual([0, undefined, []])
  })
})

it('24 hours exactly are no fault [PUSH-11]', () => {
  expect(parse(byColumns({ at_ms: [NOW - DAY, NOW] })).accepted).toBe(2)
})
