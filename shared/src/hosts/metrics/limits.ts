// Bounds of what agents send. Without a schema library, so that an agent can load them alone.
import { DAY_MS } from '../../wire/durations.ts'

export const MAX_SAMPLES_PER_BATCH = 1_000
export const MAX_BATCH_SPAN_MS = DAY_MS
export const MAX_BATCHES_PER_REQUEST = 60
/** A push on the wire, and once inflated. */
export const MAX_PUSH_BYTES = 1_048_576
export const MAX_INFLATED_PUSH_BYTES = 4_194_304
export const MAX_FILESYSTEMS = 64
export const MAX_INTERFACES = 64
export const MAX_MOUNT_LENGTH = 1_024
/** Those that use most CPU and those that use most memory, five each: ten when no process is both. */
export const TOP_PROCESSES = 5
export const MAX_PROCESSES = 2 * TOP_PROCESSES
export const MAX_PROCESS_NAME_LENGTH = 64
export const MAX_FAILED_UNITS = 32
/** Of those that an agent watches. */
export const MAX_MISSING_PROCESSES = 32
export const MAX_UNIT_NAME_LENGTH = 256

/** What a backend may ask of its agents, and what an agent's own config may fix. */
export const SAMPLE_INTERVAL_SECONDS = { min: 1, max: 300, default: 10 } as const
export const PUSH_INTERVAL_SECONDS = { min: 5, max: 3_600, default: 60 } as const
