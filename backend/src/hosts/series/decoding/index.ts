export { type HostSample, type HostState, NEW_HOST, toHostSamples } from './host-samples.ts'
export { LabelSetCache } from './label-set-cache.ts'
export {
  type Bounds,
  DecodingFault,
  DEFAULT_BOUNDS,
  type Label,
  type LabelSet,
  type Received,
  type ReceivedMetadata,
  type ReceivedSeries,
  type SeriesType,
} from './received.ts'
export { decodeRemoteWrite1 } from './remote-write-1.ts'
export { decodeRemoteWrite2 } from './remote-write-2.ts'
export { unsnappy } from './snappy.ts'
export { decodeOtlpJson } from './otlp/json.ts'
export { decodeOtlpProtobuf } from './otlp/protobuf.ts'
export { encodeOtlpResponse, encodeRpcStatus, type OtlpEncoding, readOtlpResponse } from './otlp/response.ts'
export { continuePath, EXPORT_PATH_HEADER, exportPathOf } from './export-path.ts'
