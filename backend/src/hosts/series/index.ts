export { seriesFeature } from './feature.ts'
export { readSeries } from './query/read.ts'
export {
  type Family as SeriesFamily,
  countSeries,
  findFamilies,
  findLabels,
  findSeries,
  findSeriesNumbers,
  type FoundSeries,
  listFamilies,
  pageSeries,
} from './storage/series-store.ts'
export { compactSeries } from './compact.ts'
export { decodeChunk } from './storage/chunk.ts'
export { countSeriesSamples } from './storage/chunk-store.ts'
export { continuePath, EXPORT_PATH_HEADER, readOtlpResponse } from './decoding/index.ts'
export { readReceivedSeries, type ReceivedSeriesPush } from './storage/received-store.ts'
export { bitsOf, joinSamples, type Samples } from './storage/samples.ts'
