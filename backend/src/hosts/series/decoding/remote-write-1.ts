import { LABEL, readLabelSet } from './label-set.ts'
import { LabelSetCache } from './label-set-cache.ts'
import { BYTES, FIXED64, ProtobufReader, tagOf, VARINT } from './protobuf.ts'
import { Collector } from './collector.ts'
import {
  type Bounds,
  DEFAULT_BOUNDS,
  faultIn,
  type LabelSet,
  type Received,
  type ReceivedMetadata,
  type SeriesType,
} from './received.ts'

const TIMESERIES = tagOf(1, BYTES)
const METADATA = tagOf(3, BYTES)

const SAMPLE = tagOf(2, BYTES)
const EXEMPLAR = tagOf(3, BYTES)
const HISTOGRAM = tagOf(4, BYTES)

const SAMPLE_VALUE = tagOf(1, FIXED64)
const SAMPLE_TIME = tagOf(2, VARINT)

const METADATA_TYPE = tagOf(1, VARINT)
const METADATA_NAME = tagOf(2, BYTES)
const METADATA_HELP = tagOf(4, BYTES)
const METADATA_UNIT = tagOf(5, BYTES)

/** A histogram of gauges has no type here. */
const TYPES: readonly SeriesType[] = ['unknown', 'counter', 'gauge', 'histogram', 'unknown', 'summary', 'info', 'stateset']
export const seriesTypeOf = (number: number): SeriesType => TYPES[number] ?? 'unknown'

/**
 * `prometheus.WriteRequest`. Label sets of earlier requests come from `known`, if their bytes are the same. Throws DecodingFault.
 */
export function decodeRemoteWrite1(
  body: Uint8Array,
  bounds: Bounds = DEFAULT_BOUNDS,
  known = new LabelSetCache({ sets: bounds.series, bytes: body.length }),
): Received {
  const reader = new ProtobufReader(body)
  const collector = new Collector(bounds)
  const find = (source: ProtobufReader, start: number, end: number) =>
    known.get(source, start, end, () => readLabelSet(source, start, end, bounds))
  let index = 0
  for (let tag = reader.tag(); tag !== 0; tag = reader.tag())
    if (tag === TIMESERIES) {
      collector.countSeries()
      try {
        const outer = reader.enter()
        readSeries(reader, collector, find)
        reader.leave(outer)
      } catch (error) {
        throw faultIn(`timeseries[${index}]`, error)
      }
      index += 1
    } else if (tag === METADATA) readMetadata(reader, collector)
    else reader.skip(tag)
  return collector.toReceived()
}

type Find = (source: ProtobufReader, start: number, end: number) => LabelSet | string

function readSeries(reader: ProtobufReader, collector: Collector, find: Find): void {
  let [start, end] = [0, 0]
  let scattered: Buffer[] | undefined
  let [samples, histograms] = [0, 0]
  for (let from = reader.at, tag = reader.tag(); tag !== 0; from = reader.at, tag = reader.tag())
    if (tag === LABEL) {
      reader.skipBytes()
      if (end === 0) start = from
      // No sender is known to do so, but it is allowed: other fields between the labels.
      else if (end !== from) scattered ??= [reader.bytes.subarray(start, end)]
      scattered?.push(reader.bytes.subarray(from, reader.at))
      end = reader.at
    } else if (tag === SAMPLE) readSample(reader, collector, samples++)
    else {
      reader.skip(tag)
      if (tag === EXEMPLAR) collector.exemplars += 1
      else if (tag === HISTOGRAM) histograms += 1
    }
  const labels = scattered ? Buffer.concat(scattered) : undefined
  collector.close(labels ? find(new ProtobufReader(labels), 0, labels.length) : find(reader, start, end))
  collector.refuseHistograms(histograms)
}

/** Of both versions: version 2 adds the start of a counter, which is read over. */
export function readSample(reader: ProtobufReader, collector: Collector, index: number): void {
  try {
    readSampleFields(reader, collector)
  } catch (error) {
    throw faultIn(`samples[${index}]`, error)
  }
}

function readSampleFields(reader: ProtobufReader, collector: Collector): void {
  const outer = reader.enter()
  let [time, low, high] = [0, 0, 0]
  for (let tag = reader.tag(); tag !== 0; tag = reader.tag())
    if (tag === SAMPLE_VALUE) {
      reader.fixed64()
      low = reader.low
      high = reader.high
    } else if (tag === SAMPLE_TIME) time = reader.safeInteger()
    else reader.skip(tag)
  reader.leave(outer)
  collector.add(time, low, high)
}

function readMetadata(reader: ProtobufReader, collector: Collector): void {
  try {
    collector.addMetadata(readMetadataFields(reader))
  } catch (error) {
    throw faultIn(`metadata[${collector.metadataCount}]`, error)
  }
}

function readMetadataFields(reader: ProtobufReader): ReceivedMetadata {
  const outer = reader.enter()
  const metadata: ReceivedMetadata = { name: '', type: 'unknown', unit: '', help: '' }
  for (let tag = reader.tag(); tag !== 0; tag = reader.tag())
    if (tag === METADATA_TYPE) metadata.type = seriesTypeOf(reader.uint32())
    else if (tag === METADATA_NAME) metadata.name = reader.text()
    else if (tag === METADATA_HELP) metadata.help = reader.text()
    else if (tag === METADATA_UNIT) metadata.unit = reader.text()
    else reader.skip(tag)
  reader.leave(outer)
  return metadata
}
