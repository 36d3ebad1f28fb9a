/**
 * Bounds of the wire that the agent must keep. They are written in the shared contract beside its schemas, whose library is too
 * heavy to load here: a test holds the two equal.
 */
export const MAX_SAMPLES_PER_BATCH = 1_000
export const MAX_BATCH_SPAN_MS = 86_400_000
export const MAX_BATCHES_PER_REQUEST = 60
export const MAX_PUSH_BYTES = 1_048_576
export const MAX_FILESYSTEMS = 64
export const MAX_INTERFACES = 64
export const MAX_MOUNT_LENGTH = 1024

/** What a backend may ask of an agent, and what a config may fix. */
export const SAMPLE_INTERVAL_SECONDS = { min: 1, max: 300, default: 10 }
export const PUSH_INTERVAL_SECONDS = { min: 5, max: 3_600, default: 60 }
