import { Collector } from './collector.ts'
import { LabelWriter, readLabelSet } from './label-set.ts'
import { LabelSetCache } from './label-set-cache.ts'
import { BYTES, ProtobufReader, tagOf, VARINT } from './protobuf.ts'
import { type Bounds, DecodingFault, DEFAULT_BOUNDS, faultIn, type LabelSet, type Received, type SeriesType } from './received.ts'
import { readSample, seriesTypeOf } from './remote-write-1.ts'

const SYMBOL = tagOf(4, BYTES)
const TIMESERIES = tagOf(5, BYTES)

const LABEL_REFS = tagOf(1, BYTES)
const LABEL_REF = tagOf(1, VARINT)
const SAMPLE = tagOf(2, BYTES)
const HISTOGRAM = tagOf(3, BYTES)
const EXEMPLAR = tagOf(4, BYTES)
const METADATA = tagOf(5, BYTES)

const METADATA_TYPE = tagOf(1, VARINT)
const HELP_REF = tagOf(3, VARINT)
const UNIT_REF = tagOf(4, VARINT)

/**
 * `io.prometheus.write.v2.Request`. Label sets of earlier requests come from `known`, those of version 1 too. Throws DecodingFault.
 */
export function decodeRemoteWrite2(
  body: Uint8Array,
  bounds: Bounds = DEFAULT_BOUNDS,
  known = new LabelSetCache({ sets: bounds.series, bytes: body.length }),
): Received {
  const reader = new ProtobufReader(body)
  const request = new Request(reader, bounds, known, findSymbols(body))
  let index = 0
  for (let tag = reader.tag(); tag !== 0; tag = reader.tag()) {
    if (tag !== TIMESERIES) {
      reader.skip(tag)
      continue
    }
    try {
      request.readSeries()
    } catch (error) {
      throw faultIn(`timeseries[${index}]`, error)
    }
    index += 1
  }
  return request.collector.toReceived()
}

/** Where the lengths of the symbols begin: they may stand after the series that name them. */
function findSymbols(body: Uint8Array): Int32Array {
  const reader = new ProtobufReader(body)
  let places = new Int32Array(64)
  let count = 0
  for (let tag = reader.tag(); tag !== 0; tag = reader.tag()) {
    if (tag === SYMBOL) {
      if (count === places.length) {
        const longer = new Int32Array(2 * count)
        longer.set(places)
        places = longer
      }
      places[count++] = reader.at
    }
    reader.skip(tag)
  }
  return places.subarray(0, count)
}

interface SeriesMetadata {
  type: SeriesType
  help: string
  unit: string
}

class Request {
  readonly collector: Collector
  readonly #reader: ProtobufReader
  /** A second one, which jumps to the symbols. */
  readonly #symbolReader: ProtobufReader
  readonly #bounds: Bounds
  readonly #known: LabelSetCache
  readonly #symbols: Int32Array
  readonly #texts = new Map<number, string>()
  readonly #labels: LabelWriter

  constructor(reader: ProtobufReader, bounds: Bounds, known: LabelSetCache, symbols: Int32Array) {
    this.#reader = reader
    this.#symbolReader = new ProtobufReader(reader.bytes)
    this.#bounds = bounds
    this.#known = known
    this.#symbols = symbols
    this.#labels = new LabelWriter(bounds)
    this.collector = new Collector(bounds)
  }

  readSeries(): void {
    const { collector } = this
    collector.countSeries()
    const reader = this.#reader
    const outer = reader.enter()
    this.#labels.clear()
    let name: number | undefined
    let [samples, histograms] = [0, 0]
    let metadata: SeriesMetadata | undefined
    const take = (ref: number) => {
      if (name === undefined) name = ref
      else {
        this.#writeLabel(name, ref)
        name = undefined
      }
    }
    for (let tag = reader.tag(); tag !== 0; tag = reader.tag())
      if (tag === LABEL_REFS) {
        const refsEnd = reader.enter()
        while (reader.at < reader.end) take(reader.uint32())
        reader.leave(refsEnd)
      } else if (tag === LABEL_REF) take(reader.uint32())
      else if (tag === SAMPLE) readSample(reader, collector, samples++)
      else if (tag === METADATA) metadata = this.#readMetadata()
      else {
        reader.skip(tag)
        if (tag === EXEMPLAR) collector.exemplars += 1
        else if (tag === HISTOGRAM) histograms += 1
      }
    reader.leave(outer)
    if (name !== undefined) throw new DecodingFault('an odd number of references', 'labels_refs')
    const labels = this.#find()
    collector.close(labels, metadata?.type, metadata?.unit)
    collector.refuseHistograms(histograms)
    if (metadata && typeof labels !== 'string') this.#describe(labels, metadata)
  }

  #writeLabel(nameRef: number, valueRef: number): void {
    const reader = this.#symbolReader
    const nameStart = this.#goTo(nameRef)
    const nameEnd = reader.at
    const valueStart = this.#goTo(valueRef)
    this.collector.countLabelBytes(this.#labels.write(reader.bytes, nameStart, nameEnd, valueStart, reader.at))
  }

  /** Where a symbol begins; it ends where the reader of symbols stands. */
  #goTo(ref: number): number {
    const place = this.#symbols[ref]
    if (place === undefined) throw new DecodingFault(`${ref} is none of the ${this.#symbols.length} symbols`)
    this.#symbolReader.at = place
    return this.#symbolReader.skipBytes()
  }

  #find(): LabelSet | string {
    const { reader, length } = this.#labels
    if (this.#labels.refusal !== undefined) return this.#labels.refusal
    return this.#known.get(reader, 0, length, () => readLabelSet(reader, 0, length, this.#bounds))
  }

  #readMetadata(): SeriesMetadata {
    const reader = this.#reader
    const outer = reader.enter()
    const metadata: SeriesMetadata = { type: 'unknown', help: '', unit: '' }
    for (let tag = reader.tag(); tag !== 0; tag = reader.tag())
      if (tag === METADATA_TYPE) metadata.type = seriesTypeOf(reader.uint32())
      else if (tag === HELP_REF) metadata.help = this.#textOf(reader.uint32())
      else if (tag === UNIT_REF) metadata.unit = this.#textOf(reader.uint32())
      else reader.skip(tag)
    reader.leave(outer)
    return metadata
  }

  #textOf(ref: number): string {
    const known = this.#texts.get(ref)
    if (known !== undefined) return known
    this.#goTo(ref)
    this.#symbolReader.at = this.#symbols[ref] as number
    const text = this.#symbolReader.text()
    this.#texts.set(ref, text)
    return text
  }

  /** Once for each metric: the series of a histogram or summary say it of the metric without their suffix. */
  #describe(labels: LabelSet, { type, help, unit }: SeriesMetadata): void {
    const series = labels.find(([name]) => name === '__name__')?.[1] ?? ''
    const name = type === 'histogram' || type === 'summary' ? series.replace(/_(?:bucket|sum|count)$/, '') : series
    this.collector.describe({ name, type, unit, help })
  }
}
