/** Statuses and phases by the names of the API. This file needs no schema library, so that the page can load it alone. */

/** States of a region; monitors have them too. */
export const REGION_STATES = ['up', 'down', 'degraded'] as const
export type RegionState = (typeof REGION_STATES)[number]

/**
 * Those of a monitor that is not watched now: nothing is checked or awaited, nothing opens, and the time counts nowhere. `idle`: outside
 * of its active hours.
 */
export const UNWATCHED_STATUSES = ['paused', 'idle'] as const
export type UnwatchedStatus = (typeof UNWATCHED_STATUSES)[number]

export const MONITOR_STATUSES = [...REGION_STATES, ...UNWATCHED_STATUSES] as const
export type MonitorStatus = (typeof MONITOR_STATUSES)[number]

const UNWATCHED: ReadonlySet<string> = new Set(UNWATCHED_STATUSES)

/** Whether a monitor with this status is watched now. Pure. */
export const isWatched = <Status extends string>(status: Status): status is Exclude<Status, UnwatchedStatus> =>
  !UNWATCHED.has(status)

/** Stored by their index. */
export const OUTCOMES = ['up', 'degraded', 'down', 'inconclusive'] as const
export type Outcome = (typeof OUTCOMES)[number]

/** The parts of a response time, in their order. */
export const CHECK_PHASES = ['dns', 'connect', 'tls', 'first_byte', 'transfer'] as const
export type CheckPhase = (typeof CHECK_PHASES)[number]

export const SERVER_STATUSES = ['online', 'offline'] as const
export type ServerStatus = (typeof SERVER_STATUSES)[number]

export const MONITOR_SORTS = ['name', 'created_at', 'status', 'uptime', 'response_ms'] as const
export type MonitorSort = (typeof MONITOR_SORTS)[number]
export const SERVER_SORTS = ['name', 'created_at', 'status', 'health', 'cpu', 'memory', 'disk', 'last_seen_at'] as const
export type ServerSort = (typeof SERVER_SORTS)[number]
