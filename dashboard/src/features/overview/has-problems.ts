import type { Overview } from '@vedette/shared'

/** Whether anything is wrong: open incidents, failing monitors, or servers that are offline. */
export const hasProblems = ({ open_incidents, monitors, offline_servers }: Overview): boolean =>
  open_incidents.total + monitors.down + monitors.degraded + offline_servers.length > 0
