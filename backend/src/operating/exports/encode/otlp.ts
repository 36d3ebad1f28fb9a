import { gzipSync } from 'node:zlib'
import { encodeId } from '../../../platform/ids.ts'
import type { HostRow } from '../../prometheus/index.ts'
import type { ExportedSeries } from '../series/samples.ts'
import { ProtobufWriter } from '../../../platform/protobuf/protobuf-writer.ts'

/** `ExportMetricsServiceRequest` of OTLP, compressed: a resource of each host, all metrics as gauges. */
export function encodeOtlp(series: readonly ExportedSeries[]): Buffer {
  const writer = new ProtobufWriter()
  for (const [host, own] of Map.groupBy(series, ({ host }) => host))
    writer.message(1, () => {
      writer.message(1, () => attributes(writer, 1, resourceOf(host)))
      writer.message(2, () => {
        writer.message(1, () => writer.text(1, 'vedette'))
        for (const [name, some] of Map.groupBy(own, (one) => one.name)) metric(writer, name, some)
      })
    })
  return gzipSync(writer.finish(), { level: 1 })
}

/** By the instance a receiver that looks at services alone knows one host from another. */
function resourceOf({ id, name }: HostRow): Record<string, string> {
  const serverId = encodeId('server', id)
  return { 'host.name': name, 'host.id': serverId, 'service.name': 'vedette', 'service.instance.id': serverId }
}

function metric(writer: ProtobufWriter, name: string, series: readonly ExportedSeries[]): void {
  writer.message(2, () => {
    writer.text(1, name)
    const unit = series[0]?.unit ?? ''
    if (unit !== '') writer.text(3, unit)
    writer.message(5, () => {
      for (const { labels, atMs, values } of series)
        for (const [index, at] of atMs.entries())
          writer.message(1, () => {
            writer.fixed64(3, BigInt(at) * 1_000_000n)
            writer.double(4, values[index] as number)
            attributes(writer, 7, labels)
          })
    })
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
