import { Type } from 'typebox'

/** States of a region; monitors have them too. */
export const REGION_STATES = ['up', 'down', 'degraded'] as const
export type RegionState = (typeof REGION_STATES)[number]

export const MONITOR_STATUSES = [...REGION_STATES, 'paused'] as const
export type MonitorStatus = (typeof MONITOR_STATUSES)[number]
export const MonitorStatusName = Type.Enum([...MONITOR_STATUSES], { $id: 'MonitorStatus' })
