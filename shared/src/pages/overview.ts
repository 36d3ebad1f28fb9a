import { type Static, Type } from 'typebox'
import { AuditEvent } from '../access/audit.ts'
import { LiveEvent } from '../notifying/events.ts'
import { IdOf } from '../wire/ids.ts'
import { IncidentListItem } from '../alerting/incidents.ts'
import { MonitorStatusName } from '../monitoring/monitors.ts'
import { HealthStatusName, ServerHealth } from '../hosts/health.ts'
import { ServerStatusName } from '../hosts/servers.ts'
import { Nullable, Ref, Timestamp } from '../wire/wire.ts'

const Count = Type.Integer({ minimum: 0 })
const One = { ...Count, examples: [1] }

const HostName = Type.String({ examples: ['web-1'] })

const TroubledMonitor = Type.Object({
  id: IdOf('monitor'),
  name: Type.String({ examples: ['Shop'] }),
  url: Type.String({ examples: ['https://shop.example.com/health'] }),
  status: { ...Ref(MonitorStatusName), examples: ['down'] },
  status_since: Timestamp,
  reason: Nullable(Type.String({ description: 'why the status changed', examples: ['status 503 (expected 200–399)'] })),
})

export const NamedServer = Type.Object(
  {
    id: IdOf('server'),
    hostname: HostName,
    display_name: Nullable(Type.String()),
    agent_version: Type.String({ examples: ['0.0.9'] }),
    last_seen_at: Timestamp,
  },
  { $id: 'NamedServer', description: 'A server in short' },
)

const OfflineServer = Type.Object({
  ...NamedServer.properties,
  reason: Nullable(Type.String({ description: 'why it is offline, if it is known: its token was replaced' })),
})

/** The beginning of each list, with its total. */
export const Overview = Type.Object(
  {
    at: Timestamp,
    monitors: Type.Object(
      { total: Count, up: Count, degraded: Count, down: Count, paused: Count, idle: Count },
      { examples: [{ total: 12, up: 10, degraded: 0, down: 1, paused: 0, idle: 0 }] },
    ),
    servers: Type.Object({ total: Count, online: Count, offline: Count }, { examples: [{ total: 3, online: 2, offline: 1 }] }),
    troubled_monitors: Type.Array(TroubledMonitor, {
      description: 'at most 20 monitors that are down or degraded: down first, then the newest',
    }),
    offline_servers: Type.Array(OfflineServer, {
      description: 'at most 20, most recently seen first; without those that registered in the last ten minutes and never pushed',
    }),
    unhealthy_servers: Type.Object(
      {
        total: One,
        servers: Type.Array(
          Type.Object({
            id: IdOf('server'),
            hostname: HostName,
            display_name: Nullable(Type.String()),
            health: Ref(ServerHealth),
          }),
          { description: 'at most 20, the worst first, then by name' },
        ),
      },
      { description: 'servers with a finding that is critical or a warning' },
    ),
    outdated_agents: Type.Object(
      {
        total: One,
        agent_version: Type.String({
          description:
            'the version that agents should have, of the release that this backend offers or of the backend itself; lower ones are outdated',
          examples: ['0.1.0'],
        }),
        servers: Type.Array(Ref(NamedServer), { description: 'at most 20, by name' }),
      },
      { description: 'servers whose agent is older than the backend' },
    ),
    open_incidents: Type.Object({
      total: One,
      incidents: Type.Array(Ref(IncidentListItem), {
        description:
          'at most 20 unresolved incidents, one for each story as with `group=story`: the most severe first, then the newest',
      }),
    }),
    changes: Type.Array(Ref(LiveEvent), {
      description: 'at most 50 events of the last 24 hours, newest first',
    }),
    audit_events: Type.Union([Type.Array(Ref(AuditEvent)), Type.Null()], {
      description: 'at most 20 of the last 24 hours, newest first; null if the caller may not read the audit log',
    }),
    last_export_at: Type.Union([Timestamp, Type.Null()], {
      description:
        'when the whole installation was last written to a file, by `vedette backup` or `vedette export`; null: never, or the caller may not manage integrations',
    }),
  },
  { $id: 'Overview', description: 'Active problems, and the changes of the last 24 hours' },
)
export type Overview = Static<typeof Overview>

/** How many monitors, and how many servers, the answer has at most. */
export const MAX_STATES = 5_000

const StateFields = {
  name: Type.String({ examples: ['Shop'] }),
  waiting: Type.Boolean({ description: 'true before the first check, and for ten minutes before the first push' }),
  since: Nullable({
    ...Timestamp,
    description:
      'when it came into its status; of a server that is offline its last push, of one that is online the begin of its worst finding, null without any',
  }),
  tags: Type.Array(Type.String({ examples: ['prod'] })),
}

/** The least of everything that is watched. */
export const States = Type.Object(
  {
    at: Timestamp,
    monitors: Type.Array(Type.Object({ id: IdOf('monitor'), status: Ref(MonitorStatusName), ...StateFields }), {
      description: `at most ${MAX_STATES}: the worst first, then by name`,
    }),
    servers: Type.Array(
      Type.Object({
        id: IdOf('server'),
        status: Ref(ServerStatusName),
        health: Ref(HealthStatusName),
        ...StateFields,
        name: HostName,
      }),
      {
        description: `at most ${MAX_STATES}: offline first, then the worst health, then by name`,
      },
    ),
    monitors_total: One,
    servers_total: One,
  },
  { $id: 'States', description: 'The status of all monitors and servers' },
)
export type States = Static<typeof States>
