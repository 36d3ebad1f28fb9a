import type { ReportFigures, UptimeReport } from '../pages/reports.ts'
import type { CreateSloBody, PatchSloBody, Slo, SloDetails, SloList } from '../monitoring/slos.ts'
import { PAGE } from './common.ts'

const slo: Slo = {
  id: 'slo_01m7z5b2dqf4s8y3v6k9x0c1wh',
  name: 'Shop answers',
  target: { id: null, tag: 'shop' },
  kind: 'availability',
  threshold_ms: null,
  objective: 99.9,
  window: '30d',
  time_zone: 'UTC',
  channel_ids: ['chn_01m7z5b2dqf4s8y3v6k9x0c1wh'],
  escalation_policy_id: null,
  burn_alerts: ['1h', '6h', '3d'],
  created_at: '2026-11-21T09:31:12.000Z',
  updated_at: '2026-11-21T09:31:12.000Z',
}
const details: SloDetails = {
  ...slo,
  status: {
    from: '2026-10-22T09:31:12.001Z',
    to: '2026-11-21T09:31:12.001Z',
    exact_from: '2026-10-22T09:31:12.001Z',
    exact_until: '2026-11-21T09:00:00.000Z',
    good: 86_370,
    bad: 30,
    total: 86_400,
    good_percent: 99.96527777777777,
    budget_left_percent: 65.27777777777777,
    burn_rates: [
      { window: '1h', burn_rate: 0, total: 120, too_few_checks: false },
      { window: '6h', burn_rate: 1.3888888888888888, total: 720, too_few_checks: false },
      { window: '3d', burn_rate: 0.5787037037037037, total: 8_640, too_few_checks: false },
    ],
  },
}

const figures: ReportFigures = {
  uptime_percent: 99.9529,
  availability_percent: 99.9977,
  checks: { total: 89_280, up: 89_100, degraded: 138, down: 42 },
  seconds: { up: 2_665_920, degraded: 4_140, down: 1_140 },
  excluded: {
    maintenance_checks: 480,
    maintenance_failed_checks: 40,
    maintenance_seconds: 14_400,
    inconclusive_checks: 3,
    inconclusive_seconds: 90,
    paused_seconds: 0,
    no_data_seconds: 0,
  },
  downtime_count: 1,
  objective: { percent: 99.9, met: true, allowed_downtime_seconds: 2_671.2, used_downtime_seconds: 1_140 },
}

export const REPORT_EXAMPLES = {
  CreateSloBody: {
    example: { name: 'Shop answers', target: { tag: 'shop' }, objective: 99.9, channel_ids: [] } satisfies CreateSloBody,
  },
  PatchSloBody: { example: { objective: 99.5, burn_alerts: ['1h', '6h'] } satisfies PatchSloBody },
  SloDetails: { example: details },
  SloList: { example: { slos: [slo], ...PAGE } satisfies SloList },
  UptimeReport: {
    example: {
      from: '2026-10-01T00:00:00.000Z',
      to: '2026-11-01T00:00:00.000Z',
      time_zone: 'UTC',
      generated_at: '2026-11-21T09:11:14.000Z',
      summary: figures,
      monitors: [
        {
          id: 'mon_01m7z3vk2kewwbm06fcdra9ncd',
          name: 'Shop',
          ...figures,
          downtimes: [
            {
              from: '2026-10-19T03:12:08.000Z',
              to: '2026-10-19T03:31:08.000Z',
              seconds: 1_140,
              excluded_seconds: 0,
              reason: 'status 503 (expected 200–399)',
            },
          ],
        },
      ],
    } satisfies UptimeReport,
  },
}
