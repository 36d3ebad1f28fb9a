import type { ExportedSeries } from '../series/samples.ts'
import { ProtobufWriter } from '../../../platform/protobuf/protobuf-writer.ts'
import { snappy } from './snappy.ts'

/** `prometheus.WriteRequest` of remote write 1.0, compressed. Labels go by name. */
export function encodeRemoteWrite(series: readonly ExportedSeries[]): Buffer {
  const writer = new ProtobufWriter()
  for (const { name, labels, atMs, values } of series)
    writer.message(1, () => {
      const all = Object.entries({ ...labels, __name__: name }).filter(([, value]) => value !== '')
      for (const [label, value] of all.sort(([one], [other]) => (one < other ? -1 : 1)))
        writer.message(1, () => {
          writer.text(1, label)
          writer.text(2, value)
        })
      for (const [index, at] of atMs.entries())
        writer.message(2, () => {
          writer.double(1, values[index] as number)
          writer.integer(2, at)
        })
    })
  return snappy(writer.finish())
}

export const REMOTE_WRITE_HEADERS = {
  'content-type': 'application/x-protobuf',
  'content-encoding': 'snappy',
  'x-prometheus-remote-write-version': '0.1.0',
} as const
