import { type Static, Type } from 'typebox'
import { ReclassifiedOf } from '../monitoring/reclassifications.ts'
import { IdOf } from '../wire/ids.ts'
import { MAX_TAG_LENGTH, MAX_TAGS } from '../wire/limits.ts'
import { InstantText, LaterTimestamp, Nullable, Ref, Timestamp, TimeZoneName } from '../wire/wire.ts'

/** A report of more monitors is refused. */
export const MAX_REPORT_MONITORS = 1_000
/** Of one monitor, in a report; the rest is only counted. */
export const MAX_REPORT_DOWNTIMES = 500
/** Of all monitors of a report: of more than 200, each lists its share of them. */
export const MAX_LISTED_DOWNTIMES = 100_000
export const REPORT_FORMATS = ['json', 'csv', 'html'] as const
export type ReportFormat = (typeof REPORT_FORMATS)[number]
/** Percent of checks. */
export const OBJECTIVE = { minimum: 50, maximum: 99.999 } as const

const Edge = (description: string) => Type.Optional(InstantText(description))

export const UptimeReportQuery = Type.Object(
  {
    from: Edge('Start, inclusive: an instant, or a day as `2026-11-01` in the time zone. Default: the start of the last month'),
    to: Edge('End, exclusive, at most 400 days later. Default: the end of the last month'),
    time_zone: Type.Optional(
      Type.String({ minLength: 1, maxLength: 64, description: 'IANA name: of days, and of times in HTML. Default `UTC`' }),
    ),
    monitor: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 200 }), {
        maxItems: 100,
        description: 'Only the monitor with this id; repeat it for several',
      }),
    ),
    tag: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: MAX_TAG_LENGTH }), {
        maxItems: MAX_TAGS,
        description: 'Only monitors with this tag; repeat it to require several tags',
      }),
    ),
    page: Type.Optional(
      Type.String({ minLength: 1, maxLength: 200, description: 'Only monitors that the status page with this id shows' }),
    ),
    objective: Type.Optional(
      Type.Number({ ...OBJECTIVE, description: 'Adds whether this percentage of checks was reached, and the allowed downtime' }),
    ),
    format: Type.Optional(
      Type.Enum([...REPORT_FORMATS], { default: 'json', description: '`csv`: a row for each monitor; `html`: a page for print' }),
    ),
  },
  { additionalProperties: false },
)
export type UptimeReportQuery = Static<typeof UptimeReportQuery>

const Count = Type.Integer({ minimum: 0 })
const Seconds = Type.Number({ minimum: 0 })
const Percent = Nullable(Type.Number({ minimum: 0, maximum: 100 }))

export const ReportChecks = Type.Object(
  { total: Count, up: Count, degraded: Count, down: Count },
  {
    $id: 'ReportChecks',
    description: 'Conclusive checks of all regions, with those in maintenance windows and without those that people left out',
    examples: [{ total: 89_280, up: 89_100, degraded: 138, down: 42 }],
  },
)

export const ReportSeconds = Type.Object(
  { up: Seconds, degraded: Seconds, down: Seconds },
  {
    $id: 'ReportSeconds',
    description: 'Time in which the status was this, without excluded time',
    examples: [{ up: 2_665_920, degraded: 4_140, down: 1_140 }],
  },
)

export const ReportExcluded = Type.Object(
  {
    maintenance_checks: { ...Count, examples: [480] },
    maintenance_failed_checks: { ...Count, examples: [40] },
    maintenance_seconds: { ...Seconds, examples: [14_400] },
    inconclusive_checks: Count,
    inconclusive_seconds: {
      ...Seconds,
      description: 'each check stands for one interval of its region; this time stays in the seconds of the status',
    },
    paused_seconds: Seconds,
    no_data_seconds: {
      ...Seconds,
      description:
        'before the monitor existed, and whole UTC hours (before the last 35 days: days) without a conclusive check where that is longer than three intervals',
    },
    reclassified_checks: { ...Count, description: 'reclassified as `excluded`; those as `maintenance` are in maintenance' },
    reclassified_failed_checks: Count,
    reclassified_seconds: Seconds,
  },
  { $id: 'ReportExcluded', description: 'What is left out, and why' },
)

export const ReportObjective = Type.Object(
  {
    percent: Type.Number({ ...OBJECTIVE, examples: [99.9] }),
    met: { ...Nullable(Type.Boolean({ examples: [true] })), description: 'by `availability_percent`; null without checks' },
    allowed_downtime_seconds: { ...Seconds, description: 'of the time in `seconds`', examples: [2_671.2] },
    used_downtime_seconds: { ...Seconds, description: '`seconds.down`', examples: [1_140] },
  },
  { $id: 'ReportObjective', description: 'Whether the objective of the query was met' },
)

const Figures = {
  uptime_percent: {
    ...Percent,
    description: 'share of the checks that were not down, as in the stats of a monitor; null without checks',
    examples: [99.9529],
  },
  availability_percent: {
    ...Percent,
    description: 'the same without checks in maintenance windows: what an objective is compared with',
    examples: [99.9977],
  },
  checks: Ref(ReportChecks),
  seconds: Ref(ReportSeconds),
  excluded: Ref(ReportExcluded),
  downtime_count: { ...Count, description: 'times that the status was down', examples: [1] },
  objective: Type.Union([Ref(ReportObjective), Type.Null()], { description: 'null without `objective`' }),
}

export const ReportFigures = Type.Object(Figures, {
  $id: 'ReportFigures',
  description: 'Uptime of monitors over a range; of several the sums, and the shares of all their checks',
})
export type ReportFigures = Static<typeof ReportFigures>

export const ReportDowntime = Type.Object(
  {
    from: { ...Timestamp, description: 'when the status became down, or the start of the range' },
    to: { ...Nullable(Timestamp), description: 'null: it is still down', examples: ['2026-11-21T09:30:14.000Z'] },
    seconds: { ...Seconds, examples: [1_140] },
    excluded_seconds: { ...Seconds, description: 'of `seconds`, in maintenance, reclassified or without data' },
    reason: {
      ...Nullable(Type.String({ examples: ['status 503 (expected 200–399)'] })),
      description: 'null where it began before the range',
    },
  },
  { $id: 'ReportDowntime', description: 'A time in which the status of a monitor was down' },
)
export type ReportDowntime = Static<typeof ReportDowntime>

export const ReportMonitor = Type.Object(
  {
    id: IdOf('monitor'),
    name: Type.String({ examples: ['Shop'] }),
    ...Figures,
    downtimes: Type.Array(Ref(ReportDowntime), { description: `oldest first, the first ${MAX_REPORT_DOWNTIMES}` }),
  },
  { $id: 'ReportMonitor', description: 'The figures of one monitor, with its downtimes' },
)
export type ReportMonitor = Static<typeof ReportMonitor>

export const LateMaintenance = Type.Object(
  {
    id: IdOf('maintenanceWindow'),
    name: Type.String({ examples: ['Sunday updates'] }),
    changed_at: LaterTimestamp,
  },
  { $id: 'LateMaintenance', description: 'A maintenance window that was created or changed after it had begun' },
)
export type LateMaintenance = Static<typeof LateMaintenance>

export const UptimeReport = Type.Object(
  {
    from: {
      ...Timestamp,
      examples: ['2026-11-01T00:00:00.000Z'],
      description: 'a range that begins before the single checks (35 days) is widened to whole UTC days',
    },
    to: { ...LaterTimestamp, description: 'not after `generated_at`' },
    time_zone: TimeZoneName,
    generated_at: LaterTimestamp,
    summary: Ref(ReportFigures),
    monitors: Type.Array(Ref(ReportMonitor), { description: 'by name' }),
    late_maintenance: Type.Array(Ref(LateMaintenance), {
      description:
        'windows of these monitors in the range that were created or changed after they had begun: the time before is not left out',
    }),
    reclassified: ReclassifiedOf('the range'),
  },
  { $id: 'UptimeReport', description: 'Uptime of monitors over a range, with what is excluded' },
)
export type UptimeReport = Static<typeof UptimeReport>

export const UptimeReportTable = Type.String({
  $id: 'UptimeReportTable',
  description: 'A line for each monitor',
  examples: ['monitor_id,monitor,from,to\r\n'],
})

export const UptimeReportPage = Type.String({
  $id: 'UptimeReportPage',
  description: 'A page for print, without script',
  examples: ['<!doctype html>'],
})
