import { ALL_FIELDS } from '../../shared/src/index.ts'
import { fromScaled, type SampleColumns } from '../../shared/src/metrics/block/index.ts'

const FIELDS = new Map(ALL_FIELDS.map((field) => [field.id, field]))
/** A literal of Snappy has its length in two bytes. */
const LITERAL_BYTES = 65_536

/** Samples of one host as Prometheus and its kin take them: one series a field, with labels for its group and the host. */
export function toRemoteWrite(host: string, { atMs, fieldIds, values }: SampleColumns): Buffer {
  const series = fieldIds.flatMap((id, row) => {
    const field = FIELDS.get(id)
    if (!field) return []
    const labels = { __name__: field.group, field: field.name, group: field.group, host }
    const samples = Buffer.alloc(atMs.length * MAX_SAMPLE_BYTES)
    let end = 0
    for (const [index, at] of atMs.entries())
      end = writeSample(samples, end, fromScaled(values[row * atMs.length + index] as number, field), at)
    return [inField(1, Buffer.concat([...Object.entries(labels).map(toLabel), samples.subarray(0, end)]))]
  })
  return asSnappy(Buffer.concat(series))
}

const MAX_SAMPLE_BYTES = 20

function writeSample(out: Buffer, start: number, value: number, atMs: number): number {
  const instant = varint(atMs)
  out[start] = (2 << 3) | 2
  out[start + 1] = 10 + instant.length
  out[start + 2] = (1 << 3) | 1
  out.writeDoubleLE(value, start + 3)
  out[start + 11] = 2 << 3
  out.set(instant, start + 12)
  return start + 12 + instant.length
}

const toLabel = ([name, value]: [string, string]): Buffer =>
  inField(1, Buffer.concat([inField(1, Buffer.from(name)), inField(2, Buffer.from(value))]))

const inField = (number: number, bytes: Uint8Array): Buffer =>
  Buffer.concat([[(number << 3) | 2], varint(bytes.length), bytes].map((part) => Buffer.from(part)))

function varint(value: number): number[] {
  const bytes: number[] = []
  let rest = value
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 128)
  return [...bytes, rest]
}

/** Literals only: nothing is compressed, which spares the receiver work. */
function asSnappy(bytes: Buffer): Buffer {
  const parts: Uint8Array[] = [Uint8Array.from(varint(bytes.length))]
  for (let at = 0; at < bytes.length; at += LITERAL_BYTES) {
    const literal = bytes.subarray(at, at + LITERAL_BYTES)
    const head = Buffer.from([61 << 2, 0, 0])
    head.writeUInt16LE(literal.length - 1, 1)
    parts.push(head, literal)
  }
  return Buffer.concat(parts)
}
