import { bitsOf, type SeriesFamily } from '../../../hosts/series/index.ts'
import { ProtobufWriter } from '../../../platform/protobuf/protobuf-writer.ts'
import type { ExportedSeries } from '../series/exported-series.ts'
import { snappy } from './snappy.ts'

/** Numbers of types; others are unknown, 0. */
const TYPES: Readonly<Record<string, number>> = { counter: 1, gauge: 2, histogram: 3, summary: 5, info: 6, stateset: 7 }

/** `prometheus.WriteRequest` of remote write 1.0, compressed: series, and what is said of their names. Labels go by name. */
export function encodeRemoteWrite(series: readonly ExportedSeries[], families: readonly SeriesFamily[] = []): Buffer {
  const writer = new ProtobufWriter()
  for (const one of series) writer.message(1, () => timeSeries(writer, one))
  for (const { name, type, unit, help } of families)
    writer.message(3, () => {
      writer.integer(1, TYPES[type] ?? 0)
      writer.text(2, name)
      if (help !== '') writer.text(4, help)
      if (unit !== '') writer.text(5, unit)
    })
  return snappy(writer.finish())
}

function timeSeries(writer: ProtobufWriter, { name, labels, atMs, values }: ExportedSeries): void {
  const all = Object.entries({ ...labels, __name__: name }).filter(([, value]) => value !== '')
  for (const [label, value] of all.sort(([one], [other]) => (one < other ? -1 : 1)))
    writer.message(1, () => {
      writer.text(1, label)
      writer.text(2, value)
    })
  // A copy of a NaN as a number may lose the bits that make it a stale marker.
  const bits = bitsOf(values)
  for (const [index, at] of atMs.entries())
    writer.message(2, () => {
      writer.fixed64(1, bits[index] as bigint)
      writer.integer(2, at)
    })
}

export const REMOTE_WRITE_HEADERS = {
  'content-type': 'application/x-protobuf',
  'content-encoding': 'snappy',
  'x-prometheus-remote-write-version': '0.1.0',
} as const
