import { ALL_FIELDS } from '../../shared/src/index.ts'
import { fromScaled, type SampleColumns } from '../../shared/src/hosts/metrics/block/index.ts'

const FIELDS = new Map(ALL_FIELDS.map((field) => [field.id, field]))

/** Samples of one host as Prometheus and its kin take them: one series a field, with labels for its group and the host. */
export const toRemoteWrite = (host: string, samples: SampleColumns): Buffer => compress(toWriteRequest(host, samples))

/** The same before it is compressed. */
export function toWriteRequest(host: string, { atMs, fieldIds, values }: SampleColumns): Buffer {
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
  return Buffer.concat(series)
}

export const MAX_SAMPLE_BYTES = 20

export function writeSample(out: Buffer, start: number, value: number, atMs: number): number {
  const instant = varint(atMs)
  out[start] = (2 << 3) | 2
  out[start + 1] = 10 + instant.length
  out[start + 2] = (1 << 3) | 1
  out.writeDoubleLE(value, start + 3)
  out[start + 11] = 2 << 3
  out.set(instant, start + 12)
  return start + 12 + instant.length
}

export const toLabel = ([name, value]: [string, string]): Buffer =>
  inField(1, Buffer.concat([inField(1, Buffer.from(name)), inField(2, Buffer.from(value))]))

export const inField = (number: number, bytes: Uint8Array): Buffer =>
  Buffer.concat([[(number << 3) | 2], varint(bytes.length), bytes].map((part) => Buffer.from(part)))

export function varint(value: number): number[] {
  const bytes: number[] = []
  let rest = value
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 128)
  return [...bytes, rest]
}

const HASH_BITS = 12
const table = new Int32Array(1 << HASH_BITS)
const LEAST_MATCH = 4
const [MOST_COPIED, FARTHEST] = [64, 65_535]

/** Snappy, by the first earlier place with the same four bytes, as its own encoder does. */
export function compress(bytes: Buffer): Buffer {
  const out = Buffer.allocUnsafe(32 + bytes.length + Math.ceil(bytes.length / 6))
  const length = varint(bytes.length)
  out.set(length)
  let end = length.length
  table.fill(-1)
  let literalFrom = 0
  let at = 0
  while (at + LEAST_MATCH <= bytes.length) {
    const word = bytes.readInt32LE(at)
    const slot = Math.imul(word, 0x1e35a7bd) >>> (32 - HASH_BITS)
    const earlier = table[slot] as number
    table[slot] = at
    if (earlier < 0 || at - earlier > FARTHEST || bytes.readInt32LE(earlier) !== word) {
      at += 1
      continue
    }
    end = writeLiteral(out, end, bytes.subarray(literalFrom, at))
    let same = LEAST_MATCH
    while (at + same < bytes.length && bytes[earlier + same] === bytes[at + same]) same += 1
    end = writeCopies(out, end, at - earlier, same)
    at += same
    literalFrom = at
  }
  end = writeLiteral(out, end, bytes.subarray(literalFrom))
  return out.subarray(0, end)
}

function writeLiteral(out: Buffer, start: number, bytes: Buffer): number {
  let end = start
  const last = bytes.length - 1
  if (last < 0) return start
  if (last < 60) out[end++] = last << 2
  else if (last < 256) end = out.writeUInt8(last, out.writeUInt8(60 << 2, end))
  else end = out.writeUInt16LE(last, out.writeUInt8(61 << 2, end))
  out.set(bytes, end)
  return end + bytes.length
}

function writeCopies(out: Buffer, start: number, distance: number, length: number): number {
  let end = start
  for (let rest = length; rest > 0; rest -= MOST_COPIED) {
    const copied = Math.min(rest, MOST_COPIED)
    end = out.writeUInt16LE(distance, out.writeUInt8(((copied - 1) << 2) | 2, end))
  }
  return end
}
