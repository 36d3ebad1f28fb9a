import { METRIC_FIELDS, METRIC_GROUPS } from '@vedette/shared'
import { describe, expect, it } from 'vitest'
import { fieldIdsOf, series, type PushedPiece } from '../aggregate/index.ts'
import { newestSample, toMetricGroups, toMetricSeries, toSnapshot } from './answer.ts'
import { decodeBlock } from '@vedette/shared/metrics/block'
import { row, summaryOf, T0, toPieces } from '../aggregate/test-rows.ts'

const { cpu, memory, disk, network } = METRIC_FIELDS
const every = fieldIdsOf(METRIC_GROUPS)

describe('toMetricGroups', () => {
  const rows = [
    row([
      [T0, { [cpu.percent.id]: 1_000, [cpu.load_1.id]: 50, [memory.percent.id]: 5_000, [memory.used_bytes.id]: 7 }],
      [T0 + 10, { [cpu.percent.id]: 2_000, [disk.read_iops.id]: 1_500, [network.rx_errors_per_sec.id]: 1 }],
      [T0 + 20, { [cpu.percent.id]: 1_001, [disk.read_iops.id]: 1_499, [network.rx_errors_per_sec.id]: 1 }],
      [T0 + 30, { [network.rx_errors_per_sec.id]: 2 }],
    ]),
  ]

  const groups = toMetricGroups(summaryOf(rows), METRIC_GROUPS)

  it('returns gauges as the newest value [METRIC-07, METRIC-10]', () => {
    expect(groups).toMatchObject({
      cpu: { current_percent: 10.01, avg_percent: 4_001 / 300, max_percent: 20, load_1: 0.5 },
      memory: { used_bytes: 7, percent: 50, avg_percent: 50, max_percent: 50 },
    })
    expect(groups.cpu).not.toHaveProperty('percent')
    expect(groups).not.toHaveProperty('tcp')
  })

  it('returns rates as the mean, of disk and network as an integer [METRIC-11, METRIC-12]', () =>
    expect(groups).toMatchObject({ disk: { read_iops: 1 }, network: { rx_errors_per_sec: 4 / 3_000 } }))

  it('returns fields without samples as null [WIRE-19]', () =>
    expect(groups).toMatchObject({
      cpu: { cores: null },
      memory: { swap_percent: null },
      disk: { usage_percent: null },
      network: { rx_bytes_per_sec: null },
    }))

  it('has the asked groups only, and none of an empty period [METRIC-05, METRIC-13]', () => {
    expect(Object.keys(toMetricGroups(summaryOf(rows), ['disk', 'tcp']))).toEqual(['disk'])
    expect(toMetricGroups(new Map(), METRIC_GROUPS)).toEqual({})
    const noPercent = toMetricGroups(summaryOf([row([[T0, { [cpu.cores.id]: 4 }]])]), ['cpu'])
    expect(noPercent.cpu).toMatchObject({ cores: 4, current_percent: null, avg_percent: null, max_percent: null })
  })
})

describe('toSnapshot', () => {
  it('returns only the newest sample, with integers where the wire has integers [SERVER-04]', () => {
    const [piece] = toPieces([
      row([
        [T0, { [memory.percent.id]: 100 }],
        [T0 + 10_000, { [cpu.percent.id]: 1_234, [disk.read_iops.id]: 1_500, [network.rx_errors_per_sec.id]: 1_500 }],
      ]),
    ]) as [PushedPiece]
    const { atMs, values } = newestSample(decodeBlock(piece.block, piece.t0Ms))
    const snapshot = toSnapshot(atMs, values)
    expect(Object.keys(snapshot)).toEqual(['sampled_at', 'cpu', 'disk', 'network'])
    expect(snapshot).toMatchObject({
      sampled_at: '2026-11-20T18:00:10.000Z',
      cpu: { percent: 12.34, cores: null },
      disk: { read_iops: 2 },
      network: { rx_errors_per_sec: 1.5 },
    })
  })
})

describe('toMetricSeries', () => {
  it('goes over the wire with gaps as null [METRIC-17, METRIC-18]', () => {
    const rows = [row([[T0 + 10_000, { [cpu.percent.id]: 1_234, [cpu.cores.id]: 8 }]])]
    const found = series(toPieces(rows), { fromMs: T0, toMs: T0 + 30_000 }, 10_000, every)
    expect(toMetricSeries(found, ['memory', 'cpu'])).toEqual({
      step_seconds: 10,
      from: '2026-11-20T18:00:00.000Z',
      points: 3,
      cpu: {
        percent: { avg: [null, 12.34, null], max: [null, 12.34, null] },
        cores: { avg: [null, 8, null], max: [null, 8, null] },
      },
    })
  })
})
