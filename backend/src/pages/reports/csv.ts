import { type ReportFigures, toCsvCell, type UptimeReport } from '@vedette/shared'
import { reclassifiedTexts } from './reclassified.ts'

type Row = ReportFigures & { id: string; name: string }

/** The columns, in their order. */
const COLUMNS: Readonly<Record<string, (row: Row, report: UptimeReport) => string | number | boolean | null | undefined>> = {
  monitor_id: ({ id }) => id,
  monitor: ({ name }) => name,
  from: (_row, { from }) => from,
  to: (_row, { to }) => to,
  uptime_percent: (row) => row.uptime_percent,
  availability_percent: (row) => row.availability_percent,
  checks: ({ checks }) => checks.total,
  up_checks: ({ checks }) => checks.up,
  degraded_checks: ({ checks }) => checks.degraded,
  down_checks: ({ checks }) => checks.down,
  up_seconds: ({ seconds }) => seconds.up,
  degraded_seconds: ({ seconds }) => seconds.degraded,
  down_seconds: ({ seconds }) => seconds.down,
  downtimes: (row) => row.downtime_count,
  maintenance_checks: ({ excluded }) => excluded.maintenance_checks,
  maintenance_failed_checks: ({ excluded }) => excluded.maintenance_failed_checks,
  maintenance_seconds: ({ excluded }) => excluded.maintenance_seconds,
  inconclusive_checks: ({ excluded }) => excluded.inconclusive_checks,
  inconclusive_seconds: ({ excluded }) => excluded.inconclusive_seconds,
  paused_seconds: ({ excluded }) => excluded.paused_seconds,
  no_data_seconds: ({ excluded }) => excluded.no_data_seconds,
  objective_percent: ({ objective }) => objective?.percent,
  objective_met: ({ objective }) => objective?.met,
  allowed_downtime_seconds: ({ objective }) => objective?.allowed_downtime_seconds,
  used_downtime_seconds: ({ objective }) => objective?.used_downtime_seconds,
  reclassified_checks: ({ excluded }) => excluded.reclassified_checks,
  reclassified_failed_checks: ({ excluded }) => excluded.reclassified_failed_checks,
  reclassified_seconds: ({ excluded }) => excluded.reclassified_seconds,
  reclassified: ({ id }, report) => reclassifiedTexts(report, id === '' ? undefined : id).join('; '),
}

/** A row for each monitor and one for all, by RFC 4180; an empty cell is unknown. Pure. */
export function toCsv(report: UptimeReport): string {
  const rows: Row[] = [...report.monitors, { id: '', name: 'total', ...report.summary }]
  const lines = rows.map((row) =>
    Object.values(COLUMNS)
      .map((valueOf) => toCsvCell(String(valueOf(row, report) ?? '')))
      .join(','),
  )
  return [Object.keys(COLUMNS).join(','), ...lines, ''].join('\r\n')
}
