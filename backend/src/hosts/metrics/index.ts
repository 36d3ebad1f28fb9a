export { createPushes, metricFeature, type PushContext } from './feature.ts'

export type { EntityRecorder } from './ingest/submit.ts'

export { createIngester, type IngestCounts } from './ingest/ingester.ts'
export {
  type DecodedPush,
  decodePushes,
  fieldIdOf,
  type FieldReading,
  fullnessIdOf,
  inUnitOf,
  LIVE_MS,
  readLive,
} from './live/live.ts'
export type { LiveMean } from './live/live-window.ts'
export { createLiveWindows, type LiveWindows, type MeanQuestion } from './live/live-windows.ts'
export { type FieldQuestion, type FieldSamples, type FoundFields, readMeans, readSingle } from './query/field-samples.ts'
export { type Gauge, readGauges } from './query/gauges.ts'
export { readSteps, type StepValues } from './query/steps.ts'
export { readNewestPushes, type RecentPush } from './live/live-store.ts'
export {
  countSamplesOfDays,
  GIVEN_UP_AFTER_MS,
  type PushPlace,
  type ReceivedPush,
  readReceived,
  UNSENT_KEPT_MS,
} from './storage/received-store.ts'
export { readMountsOfMany, readSlots, readSlotsOfServers, type SlotRow } from './storage/dimension-store.ts'
export { createProcessBuffer } from './ingest/process-buffer.ts'
export { keepPartitions, type Retention } from './storage/partitions.ts'
export { readSamples, type SampleHour } from './query/all-samples.ts'
export { sampleSource } from './query/read-metrics.ts'

export { readStorage, type StorageState } from './storage/state.ts'
export { createStateBuffer } from './ingest/state-buffer.ts'

export { compactSamples, LATE_SETTLES_MS } from './compaction/compact.ts'
export { readProgress as readSampleProgress } from './storage/progress-store.ts'

export { createSampleReader, type SampleReader } from './query/sample-reader.ts'
export { HOUR_MS } from './storage/schedule.ts'
export { INSTANTS, pack, readHead, readPart } from './storage/packed/index.ts'
export { alignWindow, chooseStep } from './aggregate/index.ts'
export { resolveWindow } from './query/window.ts'
