import type { Overview, States } from '../pages/overview.ts'
import { INCIDENT } from './alerts.ts'
import { SERVER_ID } from './common.ts'

const server = {
  id: SERVER_ID,
  hostname: 'web-1',
  display_name: null,
  agent_version: '0.0.9',
  last_seen_at: '2026-11-21T08:41:03.512Z',
}

export const OVERVIEW_EXAMPLES = {
  Overview: {
    example: {
      at: '2026-11-21T09:15:00.000Z',
      monitors: { total: 12, up: 10, degraded: 0, down: 1, paused: 1 },
      servers: { total: 3, online: 2, offline: 1 },
      troubled_monitors: [
        {
          id: 'mon_01m7z3vk2kewwbm06fcdra9ncd',
          name: 'Shop',
          url: 'https://shop.example.com/health',
          status: 'down',
          status_since: '2026-11-21T09:11:14.000Z',
          reason: 'status 503 instead of 200',
        },
      ],
      offline_servers: [{ ...server, reason: null }],
      outdated_agents: { total: 1, agent_version: '0.1.0', servers: [server] },
      open_incidents: { total: 1, incidents: [INCIDENT] },
      changes: [
        {
          id: 'evt_01m7z4m0xbfb6r2m9tqk8v3hwe',
          type: 'incident.opened',
          timestamp: INCIDENT.opened_at,
          data: { incident: INCIDENT },
        },
      ],
      audit_events: null,
      last_export_at: '2026-11-21T03:00:00.112Z',
    } satisfies Overview,
  },
  States: {
    example: {
      at: '2026-11-21T09:15:00.000Z',
      monitors: [{ id: 'mon_01m7z3vk2kewwbm06fcdra9ncd', status: 'down', name: 'Shop', waiting: false, tags: ['prod'] }],
      servers: [{ id: SERVER_ID, status: 'online', name: 'web-1', waiting: false, tags: [] }],
      monitors_total: 1,
      servers_total: 1,
    } satisfies States,
  },
}
