/**
 * What pages read of the API when they are opened by their address, without what all pages read and the stream of events; ids and
 * instants are left out. `npm test -- dashboard/test/pages` compares it with what a browser requests, `npm test -- backend/test/budgets`
 * counts what it costs the database.
 */
export const READS_OF_VIEWS = {
  '/': [
    '/v1/channels?page=1&limit=100',
    '/v1/overview',
    '/v1/overview/states',
    '/v1/schedules?page=1&limit=5',
    '/v1/servers?status=online&sort=-cpu&limit=6&include=metrics%2Csparkline',
    '/v1/slos?limit=20',
  ],
  '/servers': ['/v1/servers?sort=status&page=1&limit=100&include=metrics%2Csparkline%2Ccounts'],
  '/servers/$serverId': [
    '/v1/alert-rules?limit=100&page=1',
    '/v1/annotations?limit=100&from=instant&to=instant',
    '/v1/certificates?limit=50&server_id=srv_',
    '/v1/incidents?target=srv_&limit=100&from=instant&to=instant',
    '/v1/incidents?target=srv_&limit=100&status=open&status=acknowledged&sort=severity',
    '/v1/maintenance-windows?limit=100&page=1',
    '/v1/servers/srv_',
    '/v1/servers/srv_/entities?include=counts&limit=1',
    '/v1/servers/srv_/metrics?period=15m&by=interface&metrics=network&points=240',
    '/v1/servers/srv_/metrics?period=15m&by=mount&metrics=disk&points=240',
    '/v1/servers/srv_/metrics?period=15m&points=240',
  ],
  '/monitors': ['/v1/monitors?sort=status&page=1&limit=100&include=sparkline%2Cuptime%2Cfacts%2Ccounts'],
  '/monitors/$monitorId': [
    '/v1/annotations?limit=100&from=instant&to=instant',
    '/v1/incidents?target=mon_&limit=100&from=instant&to=instant',
    '/v1/incidents?target=mon_&limit=100&status=open&status=acknowledged&sort=severity',
    '/v1/maintenance-windows?limit=100&page=1',
    '/v1/monitors/mon_',
    '/v1/monitors/mon_/stats?from=instant&to=instant&points=200&include=phases',
    '/v1/monitors/mon_/stats?from=instant&to=instant&points=90',
    '/v1/monitors/mon_/stats?period=24h&points=200&include=phases',
    '/v1/monitors/mon_/transitions?from=instant&to=instant&limit=100',
    '/v1/monitors/mon_/transitions?limit=20',
  ],
  '/incidents': ['/v1/incidents?page=1&limit=50&include=counts&group=story&status=open&status=acknowledged&sort=severity'],
} as const
/** What they read of each schedule and objective, of which the filled organization of the pages has one each. */
export const READS_OF_ITEMS: Readonly<Record<string, readonly string[]>> = {
  '/': ['/v1/schedules/sch_/on-call', '/v1/slos/slo_'],
}
/** What every page reads, and the stream. */
export const READS_OF_ALL = ['/v1/events', '/v1/incidents?status=open&limit=1', '/v1/me'] as const
