const plural = (count: number, one: string, many: string) => `${count.toLocaleString('en')} ${count === 1 ? one : many}`

export const overview = {
  title: 'Overview',
  problems: 'Active problems',
  noProblems: 'All systems operational',
  monitors: 'Monitors',
  servers: 'Servers',
  lastSeen: 'last seen',
  more: (count: number) => `${count.toLocaleString('en')} more`,
  busiest: 'Busiest servers',
  incidents: 'All open incidents',
  auditLog: 'Audit log',
  outdated: (count: number, version: string) => `${plural(count, 'agent', 'agents')} older than ${version}`,
  activity: 'Activity (last 24 hours)',
  noActivity: 'No activity.',
  all: 'All',
  grid: {
    title: 'Everything at a glance',
    servers: (count: number) => plural(count, 'server', 'servers'),
    monitors: (count: number) => plural(count, 'monitor', 'monitors'),
    more: (count: number) => `${count.toLocaleString('en')} more are not shown.`,
  },
  empty: {
    title: 'Nothing is monitored yet',
    lead: 'Start with a server or an HTTP endpoint.',
    server: 'Add server',
    serverLead: 'Copy a command that contains a new key. The server appears here within seconds.',
    monitor: 'Add monitor',
    monitorLead: 'Test a URL before you save it, and see how long each phase takes.',
  },
}
