import protobuf from 'protobufjs'

/** The messages of remote write as their authors publish them, without what no test sends. */
const { root: version1 } = protobuf.parse(`
  syntax = "proto3";
  package prometheus;
  message WriteRequest { repeated TimeSeries timeseries = 1; repeated MetricMetadata metadata = 3; }
  message TimeSeries {
    repeated Label labels = 1; repeated Sample samples = 2; repeated Exemplar exemplars = 3; repeated Histogram histograms = 4;
  }
  message Label { string name = 1; string value = 2; }
  message Sample { double value = 1; int64 timestamp = 2; }
  message Exemplar { repeated Label labels = 1; double value = 2; int64 timestamp = 3; }
  message Histogram { uint64 count_int = 1; double sum = 3; sint32 schema = 4; int64 timestamp = 15; }
  message MetricMetadata { uint32 type = 1; string metric_family_name = 2; string help = 4; string unit = 5; }
`)

const { root: version2 } = protobuf.parse(`
  syntax = "proto3";
  package io.prometheus.write.v2;
  message Request { repeated string symbols = 4; repeated TimeSeries timeseries = 5; }
  message TimeSeries {
    repeated uint32 labels_refs = 1; repeated Sample samples = 2; repeated Histogram histograms = 3; repeated Exemplar exemplars = 4;
    Metadata metadata = 5;
  }
  message Sample { double value = 1; int64 timestamp = 2; int64 start_timestamp = 3; }
  message Exemplar { repeated uint32 labels_refs = 1; double value = 2; int64 timestamp = 3; }
  message Histogram { uint64 count_int = 1; double sum = 3; sint32 schema = 4; int64 timestamp = 15; }
  message Metadata { uint32 type = 1; uint32 help_ref = 3; uint32 unit_ref = 4; }
`)

const encodeAs =
  (type: protobuf.Type) =>
  (message: object): Buffer =>
    Buffer.from(type.encode(type.fromObject(message)).finish())

export const encodeVersion1 = encodeAs(version1.lookupType('prometheus.WriteRequest'))
export const encodeVersion2 = encodeAs(version2.lookupType('io.prometheus.write.v2.Request'))

export interface SentSeries {
  labels: Record<string, string>
  samples: { value: number; timestamp: number }[]
}

/** The series in version 1. */
export const toVersion1 = (series: readonly SentSeries[]): Buffer =>
  encodeVersion1({
    timeseries: series.map(({ labels, samples }) => ({
      labels: Object.entries(labels).map(([name, value]) => ({ name, value })),
      samples,
    })),
  })

/** The series in version 2. */
export function toVersion2(series: readonly SentSeries[]): Buffer {
  const symbols = ['']
  const refOf = (text: string): number => (symbols.includes(text) ? symbols.indexOf(text) : symbols.push(text) - 1)
  const timeseries = series.map(({ labels, samples }) => ({ labelsRefs: Object.entries(labels).flat().map(refOf), samples }))
  return encodeVersion2({ symbols, timeseries })
}

/** A message in a message, as bytes. */
export const inField = (number: number, bytes: Uint8Array): Buffer => Buffer.concat([headOf(number, bytes.length), bytes])

/** Of a message in a message: its tag and its length. */
export const headOf = (number: number, length: number): Buffer =>
  Buffer.from(
    protobuf.Writer.create()
      .uint32((number << 3) | 2)
      .uint32(length)
      .finish(),
  )
