import { gzipSync } from 'node:zlib'
import { isStale } from '../../../querying/promql/index.ts'
import { ProtobufWriter } from '../../../platform/protobuf/protobuf-writer.ts'
import type { ExportedSeries } from '../series/exported-series.ts'

/** Flags of a data point: there is no value any more, as a stale marker of Prometheus says. */
const NO_RECORDED_VALUE = 1
const CUMULATIVE = 2
/** The fields of a metric for its data. */
const [GAUGE, SUM] = [5, 7]

/** `ExportMetricsServiceRequest` of OTLP, compressed. Counters are monotonic sums, all else gauges. */
export function encodeOtlp(series: readonly ExportedSeries[]): Buffer {
  const writer = new ProtobufWriter()
  for (const own of Map.groupBy(series, ({ resource }) => resource.id).values()) {
    const { resource } = own[0] as ExportedSeries
    writer.message(1, () => {
      writer.message(1, () => attributes(writer, 1, resource.attributes))
      writer.message(2, () => {
        if (resource.scope !== '') writer.message(1, () => writer.text(1, resource.scope))
        for (const [name, some] of Map.groupBy(own, (one) => one.name)) metric(writer, name, some)
      })
    })
  }
  return gzipSync(writer.finish(), { level: 1 })
}

function metric(writer: ProtobufWriter, name: string, series: readonly ExportedSeries[]): void {
  const { unit = '', isCounter = false } = series[0] ?? {}
  writer.message(2, () => {
    writer.text(1, name)
    if (unit !== '') writer.text(3, unit)
    writer.message(isCounter ? SUM : GAUGE, () => {
      for (const one of series) points(writer, one)
      if (!isCounter) return
      writer.integer(2, CUMULATIVE)
      writer.integer(3, 1)
    })
  })
}

function points(writer: ProtobufWriter, { labels, atMs, values }: ExportedSeries): void {
  for (const [index, at] of atMs.entries())
    writer.message(1, () => {
      const hasNone = isStale(values, index)
      writer.fixed64(3, BigInt(at) * 1_000_000n)
      if (!hasNone) writer.double(4, values[index] as number)
      attributes(writer, 7, labels)
      if (hasNone) writer.integer(8, NO_RECORDED_VALUE)
    })
}

function attributes(writer: ProtobufWriter, field: number, all: Readonly<Record<string, string>>): void {
  for (const [key, value] of Object.entries(all))
    writer.message(field, () => {
      writer.text(1, key)
      writer.message(2, () => writer.text(1, value))
    })
}

export const OTLP_HEADERS = { 'content-type': 'application/x-protobuf', 'content-encoding': 'gzip' } as const
