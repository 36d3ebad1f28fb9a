import type { ReportFigures, UptimeReport } from '../reports.ts'

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
