import type { ReportDowntime, ReportFigures, ReportMonitor, UptimeReport } from '@vedette/shared'
import { Link } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { EmptyState, Fact, Panel, Stat } from '../../components/page.tsx'
import { type Column, Table } from '../../components/table.tsx'
import { Instant } from '../../components/time.tsx'
import { createPart } from '../../lib/create-part.tsx'
import { count, duration, orDash } from '../../lib/format.ts'
import { clock, dayAndClock, fullDate } from '../../lib/time.ts'
import { locale } from '../../messages/language.ts'
import { messages } from '../../messages/index.ts'
import { reports } from '../../messages/reports.ts'

const text = reports
const { Part: ReclassifiedNote } = createPart(() => import('../../components/reclassified-note.tsx'))
/** A report may have 100,000; the document for print and the JSON have them. */
const MOST_DOWNTIMES = 100

/** With the digits of the API, which truncates. */
const share = (percent: number | null): string =>
  orDash(percent, (value) => `${value.toLocaleString(locale, { minimumFractionDigits: 2, maximumFractionDigits: 4 })} %`)

export function Report({ report }: { report: UptimeReport }) {
  const { from, to, time_zone: zone, monitors, summary, late_maintenance: late } = report
  const instant = (at: string) => `${fullDate(Date.parse(at), zone)} ${clock(Date.parse(at), zone)}`
  if (monitors.length === 0)
    return (
      <section className="panel">
        <EmptyState title={text.none}>
          <p className="text-soft">{text.noneLead}</p>
        </EmptyState>
      </section>
    )
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
      <p className="text-muted">{text.covers(instant(from), instant(to), zone)}</p>
      {late.length > 0 && <p>{text.late(late.map(({ name }) => name).join(', '))}</p>}
      {report.reclassified && <ReclassifiedNote intervals={report.reclassified} />}
      <Summary figures={summary} />
      <Panel title={text.of} flush>
        <p className="px-4 pb-3 text-muted">{text.lead}</p>
        <Monitors monitors={monitors} />
      </Panel>
      <div className="grid items-start gap-4 xl:grid-cols-[minmax(0,2fr)_minmax(0,1fr)]">
        <Downtimes monitors={monitors} total={summary.downtime_count} zone={zone} />
        <Excluded figures={summary} />
      </div>
    </div>
  )
}

function Summary({ figures }: { figures: ReportFigures }) {
  const { uptime_percent, availability_percent, checks, seconds, downtime_count } = figures
  return (
    <dl aria-label={text.summary} className="panel grid grid-cols-2 gap-x-5 gap-y-3 px-4 py-3 sm:grid-cols-3 xl:grid-cols-6">
      <Stat name={text.uptime} value={share(uptime_percent)} />
      <Stat name={text.availability} value={share(availability_percent)} />
      <Stat name={text.checks} value={count(checks.total)} />
      <Stat name={text.down} value={count(checks.down)} tone={checks.down > 0 ? 'text-bad' : ''} />
      <Stat name={text.downtime} value={duration(seconds.down)} />
      <Stat name={text.downtimes} value={count(downtime_count)} />
    </dl>
  )
}

const MONITOR_COLUMNS: readonly Column<ReportMonitor>[] = [
  {
    head: text.monitor,
    isText: true,
    cell: ({ id, name }) => (
      <Link
        to="/monitors/$monitorId"
        params={{ monitorId: id }}
        className="cut block font-medium max-sm:w-28 hover:text-accent hover:underline"
      >
        {name}
      </Link>
    ),
  },
  { head: text.uptime, isFigure: true, cell: ({ uptime_percent }) => share(uptime_percent) },
  { head: text.availability, isFigure: true, cell: ({ availability_percent }) => share(availability_percent) },
  { head: text.checks, isFigure: true, cell: ({ checks }) => count(checks.total) },
  { head: text.down, isFigure: true, cell: ({ checks }) => count(checks.down) },
  { head: text.downtime, isFigure: true, cell: ({ seconds }) => duration(seconds.down) },
  { head: text.downtimes, isFigure: true, isExtra: true, cell: ({ downtime_count }) => count(downtime_count) },
  { head: text.maintenance, isFigure: true, isExtra: true, cell: ({ excluded }) => duration(excluded.maintenance_seconds) },
  { head: text.inconclusive, isFigure: true, isExtra: true, cell: ({ excluded }) => count(excluded.inconclusive_checks) },
]

/** Of more monitors the table is one of many rows, which are rendered when they are asked for. */
const MOST_MONITORS = 200

function Monitors({ monitors }: { monitors: readonly ReportMonitor[] }) {
  const [areAllShown, setAllShown] = useState(false)
  const shown = areAllShown ? monitors : monitors.slice(0, MOST_MONITORS)
  return (
    <>
      <Table label={text.of} columns={MONITOR_COLUMNS} rows={shown} keyOf={({ id }) => id} />
      {shown.length < monitors.length && (
        <p className="p-4">
          <Button onClick={() => setAllShown(true)}>{messages.list.showAll(monitors.length)}</Button>
        </p>
      )}
    </>
  )
}

function Excluded({ figures: { excluded } }: { figures: ReportFigures }) {
  const checks = text.maintenanceChecks(count(excluded.maintenance_checks), count(excluded.maintenance_failed_checks))
  return (
    <Panel title={text.excluded}>
      <dl>
        <Fact name={text.maintenance}>
          {duration(excluded.maintenance_seconds)} ({checks})
        </Fact>
        <Fact name={text.reclassified}>
          {duration(excluded.reclassified_seconds)} (
          {text.maintenanceChecks(count(excluded.reclassified_checks), count(excluded.reclassified_failed_checks))})
        </Fact>
        <Fact name={text.inconclusive}>
          {text.inconclusiveChecks(count(excluded.inconclusive_checks), duration(excluded.inconclusive_seconds))}
        </Fact>
        <Fact name={text.paused}>{duration(excluded.paused_seconds)}</Fact>
        <Fact name={text.noData}>{duration(excluded.no_data_seconds)}</Fact>
      </dl>
    </Panel>
  )
}

type Downtime = ReportDowntime & { monitor: string; key: string }

/** The latest first. */
function Downtimes({ monitors, total, zone }: { monitors: readonly ReportMonitor[]; total: number; zone: string }) {
  const shown = useMemo(
    () =>
      monitors
        .flatMap(({ id, name, downtimes }) => downtimes.map((each) => ({ ...each, monitor: name, key: `${id} ${each.from}` })))
        .toSorted((one, other) => Date.parse(other.from) - Date.parse(one.from))
        .slice(0, MOST_DOWNTIMES),
    [monitors],
  )
  const format = (ms: number) => dayAndClock(ms, zone)
  const columns: Column<Downtime>[] = [
    { head: text.from, cell: ({ from }) => <Instant at={from} format={format} /> },
    { head: text.to, cell: ({ to }) => (to === null ? text.stillDown : <Instant at={to} format={format} />) },
    { head: text.duration, isFigure: true, cell: ({ seconds }) => duration(seconds) },
    { head: text.monitor, cell: ({ monitor }) => monitor },
    { head: text.reason, isText: true, isExtra: true, cell: ({ reason }) => reason ?? text.before },
  ]
  return (
    <Panel title={text.downtimes} flush>
      {shown.length === 0 ? (
        <p className="border-line border-t px-4 py-3 text-muted">{text.noDowntimes}</p>
      ) : (
        <Table label={text.downtimes} columns={columns} rows={shown} keyOf={({ key }) => key} />
      )}
      {total > shown.length && (
        <p className="border-line border-t px-4 py-2.5 text-muted">{text.more(count(shown.length), count(total))}</p>
      )}
    </Panel>
  )
}
