import { writeVarint } from '@vedette/shared/metrics/block'
import { BYTES, ProtobufReader, tagOf } from './protobuf.ts'
import { type Bounds, DecodingFault, faultIn, type Label, type LabelSet } from './received.ts'

/** Of a `TimeSeries` of remote write 1. */
export const LABEL = tagOf(1, BYTES)
const NAME = tagOf(1, BYTES)
const VALUE = tagOf(2, BYTES)

/** The label messages in [start, end) of the reader, or why the series is refused. The reader's place is as before. */
export function readLabelSet(reader: ProtobufReader, start: number, end: number, bounds: Bounds): LabelSet | string {
  const { at: outerAt, end: outerEnd } = reader
  reader.at = start
  reader.end = end
  const labels: Label[] = []
  let bytes = 0
  for (let index = 0; reader.tag() !== 0; index++)
    try {
      const label = readLabel(reader)
      if (label[1] === '') continue
      if (label[0] === '') throw new DecodingFault('the name is empty')
      bytes += Buffer.byteLength(label[0]) + Buffer.byteLength(label[1])
      // All are read, so that a fault is found; what is refused need not be kept.
      if (labels.length <= bounds.labels) labels.push(label)
    } catch (error) {
      throw faultIn(`labels[${index}]`, error)
    }
  reader.at = outerAt
  reader.end = outerEnd
  return toLabelSet(labels, bytes, bounds)
}

function readLabel(reader: ProtobufReader): Label {
  const outer = reader.enter()
  let name = ''
  let value = ''
  for (let tag = reader.tag(); tag !== 0; tag = reader.tag())
    if (tag === NAME) name = reader.text()
    else if (tag === VALUE) value = reader.text()
    else reader.skip(tag)
  reader.leave(outer)
  return [name, value]
}

/** Sorts the labels, which have neither empty names nor empty values; or why the series is refused. */
function toLabelSet(labels: Label[], bytes: number, bounds: Bounds): LabelSet | string {
  const reason = refusalOf(labels, bytes, bounds)
  if (reason !== undefined) return reason
  labels.sort(compareLabels)
  for (let index = 1; index < labels.length; index++)
    if (labels[index]?.[0] === labels[index - 1]?.[0])
      throw new DecodingFault(`the label ${quote(labels[index]?.[0])} comes twice`, 'labels')
  if (!labels.some(([name]) => name === '__name__')) throw new DecodingFault('the label __name__ is missing', 'labels')
  return labels
}

/** Why a series with these labels is not taken; undefined: it is. `bytes`: of all names and values. */
export function refusalOf(labels: readonly Label[], bytes: number, bounds: Bounds): string | undefined {
  const reason = countRefusal(labels.length, bytes, bounds)
  if (reason !== undefined) return reason
  // Neither a text nor JSON of Postgres can hold it.
  return labels.some(([name, value]) => name.includes('\0') || value.includes('\0')) ? 'a label has a NUL character' : undefined
}

function countRefusal(count: number, bytes: number, bounds: Bounds): string | undefined {
  if (count > bounds.labels) return `a series has more than ${bounds.labels} labels`
  return bytes > bounds.labelBytes ? `the labels of a series have more than ${bounds.labelBytes} bytes` : undefined
}

const quote = (name = ''): string => JSON.stringify(name.slice(0, 64).toWellFormed())

export const compareLabels = ([left]: Label, [right]: Label): number => compareUtf8(left, right)

/** As their bytes compare. Code units compare otherwise only where one is half of a pair and the other is above all halves. */
export function compareUtf8(left: string, right: string): number {
  const length = Math.min(left.length, right.length)
  for (let index = 0; index < length; index++) {
    const difference = rankOf(left.charCodeAt(index)) - rankOf(right.charCodeAt(index))
    if (difference !== 0) return difference
  }
  return left.length - right.length
}

const rankOf = (unit: number): number => (unit < 0xd800 ? unit : unit < 0xe000 ? unit + 0x2000 : unit - 0x800)

/** Room for two tags and two lengths in a label, and for its own. */
const LABEL_HEAD_BYTES = 18

/** Writes labels as the messages of remote write 1, so that both versions have the same bytes for the same labels. */
export class LabelWriter {
  /** Over the bytes that were written. Another one after each growth. */
  reader = new ProtobufReader(Buffer.alloc(1_024))
  length = 0
  /** Why the labels since `clear` are not taken; what comes after it was found is left out. */
  refusal: string | undefined
  readonly #bounds: Bounds
  #count = 0
  #bytes = 0

  constructor(bounds: Bounds) {
    this.#bounds = bounds
  }

  clear(): void {
    this.length = 0
    this.#count = 0
    this.#bytes = 0
    this.refusal = undefined
  }

  /** A label whose name and value are parts of `source`; returns how many bytes that made. */
  write(source: Buffer, nameStart: number, nameEnd: number, valueStart: number, valueEnd: number): number {
    const [nameLength, valueLength] = [nameEnd - nameStart, valueEnd - valueStart]
    if (this.refusal !== undefined || valueLength === 0) return 0
    this.#count += 1
    this.#bytes += nameLength + valueLength
    this.refusal = countRefusal(this.#count, this.#bytes, this.#bounds)
    if (this.refusal !== undefined) return 0
    const before = this.length
    this.#makeRoom(nameLength + valueLength + LABEL_HEAD_BYTES)
    const { bytes } = this.reader
    const inner = 2 + lengthOfVarint(nameLength) + nameLength + lengthOfVarint(valueLength) + valueLength
    bytes[this.length] = LABEL
    let end = writeVarint(bytes, this.length + 1, inner)
    bytes[end] = NAME
    end = copy(source, nameStart, nameEnd, bytes, writeVarint(bytes, end + 1, nameLength))
    bytes[end] = VALUE
    this.length = copy(source, valueStart, valueEnd, bytes, writeVarint(bytes, end + 1, valueLength))
    return this.length - before
  }

  #makeRoom(more: number): void {
    const { bytes } = this.reader
    if (this.length + more <= bytes.length) return
    const longer = Buffer.alloc(Math.max(this.length + more, 2 * bytes.length))
    bytes.copy(longer, 0, 0, this.length)
    this.reader = new ProtobufReader(longer)
  }
}

const lengthOfVarint = (value: number): number => (value < 128 ? 1 : value < 16_384 ? 2 : value < 2_097_152 ? 3 : 4)

/** Most labels are short: a loop costs less than a call. */
function copy(source: Buffer, start: number, end: number, target: Buffer, at: number): number {
  if (end - start > 32) source.copy(target, at, start, end)
  else for (let index = start; index < end; index++) target[at + index - start] = source[index] as number
  return at + end - start
}
