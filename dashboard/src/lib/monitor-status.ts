import { isWatched } from '@vedette/shared/tables'
import type { MonitorItem } from '@vedette/shared'

type Monitor = Pick<MonitorItem, 'type' | 'status' | 'last_checked_at'>

/** Nothing is known of a monitor before its first check. A composite has none: its members decide from the beginning. */
export const isUnchecked = ({ type, last_checked_at }: Pick<Monitor, 'type' | 'last_checked_at'>): boolean =>
  last_checked_at === null && type !== 'composite'

/** The status that the page shows. */
export const shownStatus = (monitor: Monitor): string =>
  isUnchecked(monitor) && isWatched(monitor.status) ? 'pending' : monitor.status

/** Whether its first check is to come soon. A heartbeat may wait for its first ping for days. */
export const isWaiting = (monitor: Monitor): boolean => shownStatus(monitor) === 'pending' && monitor.type !== 'heartbeat'
