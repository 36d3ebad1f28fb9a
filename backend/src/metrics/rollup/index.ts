export { type Compaction, compactSamples, dueUntilMs, LATE_AFTER_MS } from './compact.ts'
export { createMeans, MEANS_BYTES } from './means.ts'
export { HOUR_MS, MAX_AHEAD_MS, toPiece } from './hour.ts'
export { readHours } from './hours.ts'
export { lockLateHours } from './nodes-store.ts'
export { createSampleReader, type SampleReader, type Sinks } from './read.ts'
export {
  countMarks,
  deleteRollups,
  listSampleHours,
  oldestLateHour,
  oldestMark,
  type Progress,
  readNewestHours,
  readProgress,
} from './store.ts'
