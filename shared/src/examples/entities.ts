import type { EntityDetails, EntityList, EntityMetrics } from '../hosts/entities/wire.ts'
import type { ServerForecast } from '../hosts/forecast.ts'
import { PAGE, SERVER_ID } from './common.ts'

const ENTITY_ID = 'ent_01m7ynqn7regvvxphj8vj2pz1t'
const entity = {
  id: ENTITY_ID,
  server_id: SERVER_ID,
  server_name: 'web-1',
  kind: 'container',
  name: 'shop/web',
  attributes: { engine: 'docker', image: 'registry.example.com/shop:1.4', state: 'running', project: 'shop', service: 'web' },
  values: { cpu_percent: 3.25, memory_bytes: 134_217_728, running: 1, restarts: 0 },
  sampled_at: '2026-11-21T09:11:14.000Z',
  present: true,
  first_seen_at: '2026-11-20T08:00:14.000Z',
  last_seen_at: '2026-11-21T09:11:14.000Z',
} as const

const days = [
  { date: '2026-11-20', percent: 71.5 },
  { date: '2026-11-21', percent: 73.1 },
]

export const ENTITY_EXAMPLES = {
  ServerForecast: {
    example: {
      server_id: SERVER_ID,
      forecasts: [
        {
          subject: 'filesystem',
          mount: '/',
          days_until_full: 17.2,
          earliest_days: 15.9,
          latest_days: 18.8,
          percent_per_day: 1.55,
          days,
        },
        {
          subject: 'memory',
          mount: null,
          days_until_full: null,
          earliest_days: null,
          latest_days: null,
          silence: 'not_growing',
          percent_per_day: null,
          days,
        },
      ],
    } satisfies ServerForecast,
  },
  EntityList: { example: { entities: [entity], ...PAGE } satisfies EntityList },
  EntityDetails: {
    example: {
      ...entity,
      events: [{ at: '2026-11-21T03:12:09.000Z', type: 'died', exit_code: 137, oom: true, lines: ['out of memory'] }],
    } satisfies EntityDetails,
  },
  EntityMetrics: {
    example: {
      server_id: SERVER_ID,
      entity_id: ENTITY_ID,
      period: '15m',
      metrics: { cpu_percent: { newest: 3.25, avg: 2.9, max: 12.5 } },
      series: {
        step_seconds: 300,
        from: '2026-11-21T08:55:00.000Z',
        points: 4,
        fields: { cpu_percent: { avg: [null, 2.5, 2.95, 3.25], max: [null, 3, 12.5, 3.25] } },
      },
    } satisfies EntityMetrics,
  },
}
