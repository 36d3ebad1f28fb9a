import type { UptimeReport } from '@vedette/shared'
import { textOf } from '../../lib/list-search.ts'

export const REPORT_PERIODS = ['this_month', 'last_month', 'this_quarter', 'last_quarter'] as const
export type ReportPeriod = (typeof REPORT_PERIODS)[number]
export const REPORT_SUBJECTS = ['tag', 'monitor', 'page'] as const
export type ReportSubject = (typeof REPORT_SUBJECTS)[number]

/** The parameters of the report in the URL, without defaults: last month, all monitors. */
export interface ReportSearch {
  period?: ReportPeriod
  /** Days such as `2026-10-31`, both inclusive; together, in place of a period. */
  from?: string
  to?: string
  /** Without `what` it is still to be chosen. */
  of?: ReportSubject
  /** A tag, or the id of a monitor or status page. */
  what?: string
}

export function reportSearch(search: Record<string, unknown>): ReportSearch {
  const period = REPORT_PERIODS.find((each) => each === search['period'])
  const of = REPORT_SUBJECTS.find((each) => each === search['of'])
  const [from, to, what] = [textOf(search['from']), textOf(search['to']), textOf(search['what'])]
  return {
    ...(from !== undefined && to !== undefined && isDay(from) && isDay(to) ? { from, to } : period && { period }),
    ...(of && { of, ...(what !== undefined && { what }) }),
  }
}

/** The report on display: without a chosen time that of this month, if nothing was checked in the last one. */
export function shownSearch(search: ReportSearch, lastMonth: Pick<UptimeReport, 'summary'> | undefined): ReportSearch {
  const isChosen = search.period !== undefined || search.from !== undefined
  return !isChosen && lastMonth?.summary.checks.total === 0 ? { ...search, period: 'this_month' } : search
}

/** Whether it is a day of the calendar, such as `2026-10-31`. */
export function isDay(text: string): boolean {
  const ms = Date.parse(`${text}T00:00Z`)
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(`${text}T`)
}
