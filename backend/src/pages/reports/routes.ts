import { Ref, type ReportFormat, UptimeReport, UptimeReportPage, UptimeReportQuery, UptimeReportTable } from '@vedette/shared'
import { type RouteDeps, tenantOf } from '../../access/auth/index.ts'
import type { Reader } from '../../platform/db/index.ts'
import type { App } from '../../platform/http/index.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { toCsv } from './csv.ts'
import { REPORT_POLICY, toHtml } from './html.ts'
import { readUptimeReport } from './service.ts'

export interface ReportRouteDeps extends RouteDeps {
  reader: Reader
  clock: Clock
}

const TEXTS: Readonly<Record<Exclude<ReportFormat, 'json'>, { write(report: UptimeReport): string; headers: object }>> = {
  csv: { write: toCsv, headers: { 'content-type': 'text/csv; charset=utf-8' } },
  html: {
    write: toHtml,
    headers: { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': REPORT_POLICY },
  },
}

export function reportRoutes(app: App, { reader, clock, principalOf }: ReportRouteDeps): void {
  app.get(
    '/v1/reports/uptime',
    {
      schema: {
        operationId: 'getUptimeReport',
        summary: 'Get an uptime report',
        description:
          'Uptime of monitors over a month, a quarter or any range up to 400 days, with downtimes and with what is excluded; at most 200 monitors. `format=csv` answers `text/csv`, `format=html` a page for print without script.',
        tags: ['monitors'],
        querystring: UptimeReportQuery,
        response: {
          200: {
            description: 'The format that was chosen',
            content: {
              'application/json': { schema: Ref(UptimeReport) },
              'text/csv': { schema: Ref(UptimeReportTable) },
              'text/html': { schema: Ref(UptimeReportPage) },
            },
          },
        },
      },
      config: { access: 'read' },
    },
    async (request, reply) => {
      const { query } = request
      const report = await reader(({ db }) => readUptimeReport({ db, clock }, tenantOf(principalOf(request)), query))
      const { format = 'json' } = query
      if (format === 'json') return report
      const { write, headers } = TEXTS[format]
      const name = `uptime-${report.from.slice(0, 10)}-${report.to.slice(0, 10)}.${format}`
      return reply
        .headers({ ...headers, 'content-disposition': `${format === 'csv' ? 'attachment' : 'inline'}; filename="${name}"` })
        .send(write(report))
    },
  )
}
