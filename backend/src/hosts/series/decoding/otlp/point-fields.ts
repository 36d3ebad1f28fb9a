import { BYTES, FIXED64, type ProtobufReader, tagOf, VARINT } from '../protobuf.ts'
import type { MetricHead, Point } from './translator.ts'

const COUNT = tagOf(4, FIXED64)
/** Of histograms and summaries; of numbers field 4 is the value. */
const SUM = tagOf(5, FIXED64)

interface PointFields {
  attributes: number
  flags: number
  exemplars: number
  /** False for a field that it does not know. */
  read: (tag: number, reader: ProtobufReader, point: Point) => boolean
}

/** The fields of a point by the kind of its metric; the time is field 3 of all. */
export const POINT_FIELDS: Readonly<Record<MetricHead['data'], PointFields>> = {
  gauge: { attributes: tagOf(7, BYTES), flags: tagOf(8, VARINT), exemplars: tagOf(5, BYTES), read: readNumber },
  sum: { attributes: tagOf(7, BYTES), flags: tagOf(8, VARINT), exemplars: tagOf(5, BYTES), read: readNumber },
  histogram: { attributes: tagOf(9, BYTES), flags: tagOf(10, VARINT), exemplars: tagOf(8, BYTES), read: readHistogram },
  exponentialHistogram: { attributes: tagOf(1, BYTES), flags: tagOf(10, VARINT), exemplars: tagOf(11, BYTES), read: () => false },
  summary: { attributes: tagOf(7, BYTES), flags: tagOf(8, VARINT), exemplars: -1, read: readSummary },
}

function readNumber(tag: number, reader: ProtobufReader, point: Point): boolean {
  if (tag === tagOf(4, FIXED64)) point.value = reader.double()
  else if (tag === tagOf(6, FIXED64)) {
    reader.fixed64()
    point.value = (reader.high | 0) * 2 ** 32 + reader.low
  } else return false
  return true
}

function readHistogram(tag: number, reader: ProtobufReader, point: Point): boolean {
  if (tag === COUNT) point.count = unsigned(reader)
  else if (tag === SUM) point.sum = reader.double()
  else if (tag === tagOf(6, BYTES)) readPacked(reader, () => point.bucketCounts.push(unsigned(reader)))
  else if (tag === tagOf(6, FIXED64)) point.bucketCounts.push(unsigned(reader))
  else if (tag === tagOf(7, BYTES)) readPacked(reader, () => point.explicitBounds.push(reader.double()))
  else if (tag === tagOf(7, FIXED64)) point.explicitBounds.push(reader.double())
  else return false
  return true
}

function readSummary(tag: number, reader: ProtobufReader, point: Point): boolean {
  if (tag === COUNT) point.count = unsigned(reader)
  else if (tag === SUM) point.sum = reader.double()
  else if (tag === tagOf(6, BYTES)) point.quantiles.push(readQuantile(reader))
  else return false
  return true
}

function readQuantile(reader: ProtobufReader): { quantile: number; value: number } {
  const outer = reader.enter()
  const result = { quantile: 0, value: 0 }
  for (let tag = reader.tag(); tag !== 0; tag = reader.tag())
    if (tag === tagOf(1, FIXED64)) result.quantile = reader.double()
    else if (tag === tagOf(2, FIXED64)) result.value = reader.double()
    else reader.skip(tag)
  reader.leave(outer)
  return result
}

function readPacked(reader: ProtobufReader, read: () => void): void {
  const outer = reader.enter()
  while (reader.at < reader.end) read()
  reader.leave(outer)
}

function unsigned(reader: ProtobufReader): number {
  reader.fixed64()
  return reader.high * 2 ** 32 + reader.low
}
