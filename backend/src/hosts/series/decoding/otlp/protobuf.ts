import { BYTES, FIXED64, ProtobufReader, tagOf, VARINT } from '../protobuf.ts'
import { type Bounds, DEFAULT_BOUNDS, faultIn, type Received } from '../received.ts'
import { Attributes, type AttributeValue } from './attributes.ts'
import { POINT_FIELDS } from './point-fields.ts'
import { type MetricHead, type Scope, Translator } from './translator.ts'
import { emptyPoint, integerOf, millisecondsOf } from './numbers.ts'

const FIRST = tagOf(1, BYTES)
const SECOND = tagOf(2, BYTES)

const SCHEMA_URL = tagOf(3, BYTES)
const SCOPE_ATTRIBUTES = tagOf(3, BYTES)

const UNIT = tagOf(3, BYTES)
const DATA: ReadonlyMap<number, MetricHead['data']> = new Map([
  [tagOf(5, BYTES), 'gauge'],
  [tagOf(7, BYTES), 'sum'],
  [tagOf(9, BYTES), 'histogram'],
  [tagOf(10, BYTES), 'exponentialHistogram'],
  [tagOf(11, BYTES), 'summary'],
])
const TEMPORALITY = tagOf(2, VARINT)
const IS_MONOTONIC = tagOf(3, VARINT)

const TIME = tagOf(3, FIXED64)
const NO_RECORDED_VALUE = 1

/** `ExportMetricsServiceRequest` of OTLP, without the attributes in `dropped`. Throws DecodingFault. */
export function decodeOtlpProtobuf(body: Uint8Array, bounds: Bounds = DEFAULT_BOUNDS, dropped?: ReadonlySet<string>): Received {
  const decoder = new OtlpDecoder(body, bounds, dropped)
  decoder.readRequest()
  return decoder.translator.toReceived()
}

/** A part of a message may come after what needs it: each message is read once for its head, and again for what is within. */
class OtlpDecoder {
  readonly translator: Translator
  readonly #reader: ProtobufReader

  constructor(body: Uint8Array, bounds: Bounds, dropped: ReadonlySet<string> | undefined) {
    this.translator = new Translator(bounds, dropped)
    this.#reader = new ProtobufReader(body)
  }

  readRequest(): void {
    this.#eachMessage(FIRST, 'resourceMetrics', () => this.#readResourceMetrics())
  }

  #readResourceMetrics(): void {
    const attributes = new Attributes()
    this.#eachMessage(FIRST, 'resource', () => this.#readAttributes(FIRST, attributes), true)
    this.translator.beginResource(attributes)
    this.#eachMessage(SECOND, 'scopeMetrics', () => this.#readScopeMetrics())
    this.translator.endResource()
  }

  #readScopeMetrics(): void {
    const scope: Scope = { name: '', version: '', schemaUrl: '', attributes: new Attributes() }
    this.#readHead((tag, reader) => {
      if (tag === SCHEMA_URL) scope.schemaUrl = reader.text()
      else if (tag === FIRST) this.#within('scope', () => this.#readScope(scope))
      else reader.skip(tag)
    })
    this.translator.beginScope(scope)
    this.#eachMessage(SECOND, 'metrics', () => this.#readMetric())
  }

  #readScope(scope: Scope): void {
    this.#eachField((tag, reader) => {
      if (tag === FIRST) scope.name = reader.text()
      else if (tag === SECOND) scope.version = reader.text()
      else if (tag === SCOPE_ATTRIBUTES) this.#readAttribute(scope.attributes)
      else reader.skip(tag)
    })
  }

  #readMetric(): void {
    const head: MetricHead = { name: '', description: '', unit: '', data: 'gauge', isMonotonic: false, temporality: 0 }
    let dataTag = 0
    this.#readHead((tag, reader) => {
      const data = DATA.get(tag)
      if (tag === FIRST) head.name = reader.text()
      else if (tag === SECOND) head.description = reader.text()
      else if (tag === UNIT) head.unit = reader.text()
      else if (data === undefined) reader.skip(tag)
      else {
        head.data = data
        dataTag = tag
        this.#within(data, () => this.#readTemporality(head))
      }
    })
    if (dataTag === 0) return
    this.translator.beginMetric(head)
    this.#eachMessage(dataTag, head.data, () => this.#eachMessage(FIRST, 'dataPoints', () => this.#readPoint(head.data)), true)
  }

  #readTemporality(head: MetricHead): void {
    this.#eachField((tag, reader) => {
      if (tag === TEMPORALITY) head.temporality = reader.uint32()
      else if (tag === IS_MONOTONIC) head.isMonotonic = reader.uint32() !== 0
      else reader.skip(tag)
    })
  }

  #readPoint(data: MetricHead['data']): void {
    const point = emptyPoint()
    const fields = POINT_FIELDS[data]
    this.#eachField((tag, reader) => {
      if (tag === TIME) {
        reader.fixed64()
        point.timeMs = millisecondsOf(reader.low, reader.high)
      } else if (tag === fields.attributes) this.#readAttribute(point.attributes)
      else if (tag === fields.flags) point.hasNoValue = (reader.uint32() & NO_RECORDED_VALUE) !== 0
      else if (tag === fields.exemplars) {
        reader.skip(tag)
        this.translator.addExemplar()
      } else if (!fields.read(tag, reader, point)) reader.skip(tag)
    })
    this.translator.addPoint(point)
  }

  #readAttributes(wanted: number, attributes: Attributes): void {
    this.#eachField((tag, reader) => {
      if (tag === wanted) this.#readAttribute(attributes)
      else reader.skip(tag)
    })
  }

  #readAttribute(attributes: Attributes): void {
    this.#within(`attributes[${attributes.pairs.length}]`, () => {
      const [key, value] = this.#readKeyValue(attributes, 0)
      attributes.add(key, value)
    })
  }

  #readKeyValue(attributes: Attributes, depth: number): [string, AttributeValue] {
    attributes.count(depth)
    let key = ''
    let value: AttributeValue = null
    this.#eachField((tag, reader) => {
      if (tag === FIRST) key = reader.text()
      else if (tag === SECOND) {
        const outer = reader.enter()
        value = this.#readValue(attributes, depth)
        reader.leave(outer)
      } else reader.skip(tag)
    })
    return [key, value]
  }

  #readValue(attributes: Attributes, depth: number): AttributeValue {
    let value: AttributeValue = null
    this.#eachField((tag, reader) => {
      if (tag === tagOf(1, BYTES)) value = reader.text()
      else if (tag === tagOf(2, VARINT)) value = reader.uint32() !== 0
      else if (tag === tagOf(3, VARINT)) {
        reader.varint64()
        value = integerOf(reader.low, reader.high)
      } else if (tag === tagOf(4, FIXED64)) value = reader.double()
      else if (tag === tagOf(5, BYTES)) value = this.#readArray(attributes, depth + 1)
      else if (tag === tagOf(6, BYTES)) value = this.#readMap(attributes, depth + 1)
      else if (tag === tagOf(7, BYTES)) {
        const start = reader.skipBytes()
        value = reader.bytes.subarray(start, reader.at)
      } else reader.skip(tag)
    })
    return value
  }

  #readArray(attributes: Attributes, depth: number): AttributeValue {
    const values: AttributeValue[] = []
    this.#eachIn((tag, reader) => {
      if (tag !== FIRST) return reader.skip(tag)
      attributes.count(depth)
      const outer = reader.enter()
      values.push(this.#readValue(attributes, depth))
      reader.leave(outer)
    })
    return values
  }

  #readMap(attributes: Attributes, depth: number): AttributeValue {
    const entries: [string, AttributeValue][] = []
    this.#eachIn((tag, reader) => {
      if (tag !== FIRST) return reader.skip(tag)
      const outer = reader.enter()
      entries.push(this.#readKeyValue(attributes, depth))
      reader.leave(outer)
    })
    return { entries }
  }

  /** The fields of the message that the reader is in. The reader is at its end then. */
  #eachField(read: (tag: number, reader: ProtobufReader) => void): void {
    const reader = this.#reader
    for (let tag = reader.tag(); tag !== 0; tag = reader.tag()) read(tag, reader)
  }

  /** The fields of the message that comes next. */
  #eachIn(read: (tag: number, reader: ProtobufReader) => void): void {
    const outer = this.#reader.enter()
    this.#eachField(read)
    this.#reader.leave(outer)
  }

  /** As `eachField`, but the reader is at the start of the message again then. */
  #readHead(read: (tag: number, reader: ProtobufReader) => void): void {
    const start = this.#reader.at
    this.#eachField(read)
    this.#reader.at = start
  }

  /** Each message of this tag in the message that the reader is in; the reader is at the start of that one again then. */
  #eachMessage(wanted: number, name: string, read: () => void, isSingle = false): void {
    let index = 0
    this.#readHead((tag, reader) => {
      if (tag === wanted) this.#within(isSingle ? name : `${name}[${index++}]`, read)
      else reader.skip(tag)
    })
  }

  #within(place: string, read: () => void): void {
    const reader = this.#reader
    try {
      const outer = reader.enter()
      read()
      reader.leave(outer)
    } catch (error) {
      throw faultIn(place, error)
    }
  }
}
