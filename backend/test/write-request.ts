/** A series as a test writes it: labels, and samples as pairs of an instant, ms, and a value. */
export interface WrittenSeries {
  labels: Record<string, string>
  samples: readonly (readonly [atMs: number, value: number])[]
}

/** A WriteRequest of remote write 1.0, compressed. */
export function writeRequest(
  series: readonly WrittenSeries[],
  metadata: readonly { name: string; help: string }[] = [],
): Buffer<ArrayBuffer> {
  return snappy(
    Buffer.concat([
      ...series.map(({ labels, samples }) =>
        field(
          1,
          Buffer.concat([
            ...Object.entries(labels).map(([name, value]) => field(1, Buffer.concat([text(1, name), text(2, value)]))),
            ...samples.map(([atMs, value]) => field(2, Buffer.concat([double(1, value), Buffer.of(2 << 3), varint(atMs)]))),
          ]),
        ),
      ),
      // A counter.
      ...metadata.map(({ name, help }) => field(3, Buffer.concat([Buffer.of(1 << 3, 1), text(2, name), text(4, help)]))),
    ]),
  )
}

function varint(value: number): Buffer {
  const bytes: number[] = []
  let rest = value
  while (rest >= 128) {
    bytes.push((rest % 128) | 128)
    rest = Math.floor(rest / 128)
  }
  return Buffer.from([...bytes, rest])
}

const field = (number: number, content: Buffer): Buffer =>
  Buffer.concat([Buffer.of((number << 3) | 2), varint(content.length), content])
const text = (number: number, value: string): Buffer => field(number, Buffer.from(value))

function double(number: number, value: number): Buffer {
  const bytes = Buffer.alloc(9)
  bytes[0] = (number << 3) | 1
  bytes.writeDoubleLE(value, 1)
  return bytes
}

/** Snappy's block format, with nothing made shorter: literals of up to 65,536 bytes. */
function snappy(bytes: Buffer): Buffer<ArrayBuffer> {
  const parts = [varint(bytes.length)]
  for (let at = 0; at < bytes.length; at += 65_536) {
    const part = bytes.subarray(at, at + 65_536)
    const head = Buffer.alloc(3)
    head[0] = 61 << 2
    head.writeUInt16LE(part.length - 1, 1)
    parts.push(head, part)
  }
  return Buffer.concat(parts)
}
