import { HOUR_MS, MINUTE_MS } from '@vedette/shared'

// What suppresses incidents, for the evaluation and for replays. All of it is pure.

/** After so many incidents within this time the next one is notified only if it lasts. */
export const FLAPS = 3
export const FLAPPING_MS = HOUR_MS
export const LASTING_MS = 5 * MINUTE_MS
/**
 * The longest that an incident waits for checks of what it depends on, and for the next ping of a heartbeat: those of a domain come
 * once a day, and those of a backup perhaps once a month.
 */
export const MAX_WAIT_MS = 15 * MINUTE_MS
/** A server that went silent is reported within this time after the threshold. */
export const EVALUATION_MS = 5_000
/** After a failed check the next follows in 5 s. */
export const REPEAT_SECONDS = 5
/** After its server is online again a monitor has this time to recover, and a threshold to be evaluated. */
const HOST_RECOVERY_MS = 3 * MINUTE_MS

/** What an incident is about. */
interface Topic {
  type: string
  metric: string
}

/** Whether an offline server suppresses this: what runs on it and what is measured of it, not its own status. */
export const dependsOnHost = ({ type, metric }: Topic): boolean => type === 'monitor' || metric !== 'status'

/** Whether the incident waits for checks of what its target depends on: those of a status do, as that may be the cause. */
export const waitsForParents = (metric: string, subject: { depends_on: readonly unknown[] } | undefined): boolean =>
  metric === 'status' && (subject?.depends_on.length ?? 0) > 0

/** Not a monitor's status: while it flaps, its incident stays open. */
export const mustLastWhenFlapping = ({ type, metric }: Topic): boolean => type !== 'monitor' || metric !== 'status'

/** How long an incident must last until it is notified, by how many there were within `FLAPPING_MS` before it. */
export const lastingMs = (topic: Topic, before: number): number =>
  before >= FLAPS && mustLastWhenFlapping(topic) ? LASTING_MS : 0

/** How long an incident waits at least after everything that its target depends on is up again. */
export function hostRecoveryMs(metric: string, { type, host_id: hostId }: { type: string; host_id: string | null }): number {
  const isOnHost = type === 'monitor' ? hostId !== null : metric !== 'status'
  return isOnHost ? HOST_RECOVERY_MS : 0
}
