import { Ref, type ReportFormat, UptimeReport, UptimeReportPage, UptimeReportQuery, UptimeReportTable } from '@vedette/shared'
import { type RouteDeps, tenantOf } from '../../access/auth/index.ts'
import type { Reader } from '../../platform/db/index.ts'
import { yieldToEventLoop } from '../../platform/concurrency/yield-to-event-loop.ts'
import { type App, readerLanguage } from '../../platform/http/index.ts'
import type { Language } from '../../platform/language/index.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { toCsv } from './csv.ts'
import { REPORT_POLICY, toHtml } from './html.ts'
import { reportInLanguage } from './in-language.ts'
import { readUptimeReport } from './service.ts'

export interface ReportRouteDeps extends RouteDeps {
  reader: Reader
  clock: Clock
}

interface Text {
  write(report: UptimeReport, language: Language): string
  headers: object
}

/** The table is for programs: its names of columns and its words are English in every language. */
const TEXTS: Readonly<Record<Exclude<ReportFormat, 'json'>, Text>> = {
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
          'Uptime of monitors over a month, a quarter or any range up to 400 days, with downtimes and with what is excluded; at most 1,000 monitors. `format=csv` answers `text/csv`, `format=html` a page for print without script.',
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
      config: { access: 'read', speaks: 'itself' },
    },
    async (request, reply) => {
      const { query } = request
      const { format = 'json' } = query
      const language = format === 'csv' ? 'en' : readerLanguage(request)
      const read = await reader(({ db }) => readUptimeReport({ db, clock }, tenantOf(principalOf(request)), query))
      const report = await reportInLanguage(read, language, yieldToEventLoop)
      if (language !== 'en') reply.header('content-language', language)
      if (format === 'json') return report
      const { write, headers } = TEXTS[format]
      const name = `uptime-${report.from.slice(0, 10)}-${report.to.slice(0, 10)}.${format}`
      return reply
        .headers({ ...headers, 'content-disposition': `${format === 'csv' ? 'attachment' : 'inline'}; filename="${name}"` })
        .send(write(report, language))
    },
  )
}
