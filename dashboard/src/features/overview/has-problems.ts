import type { Overview } from '@vedette/shared'

/** Whether anything is wrong: open incidents, failing monitors, or servers that are offline or unhealthy. */
export const hasProblems = ({ open_incidents, monitors, offline_servers, unhealthy_servers }: Overview): boolean =>
  open_incidents.total + monitors.down + monitors.degraded + offline_servers.length + unhealthy_servers.total > 0
