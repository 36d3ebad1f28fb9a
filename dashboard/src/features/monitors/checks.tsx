import type { Check, MonitorDetails } from '@vedette/shared'
import { checkKindSpec } from '@vedette/shared/tables'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Panel } from '../../components/page.tsx'
import { PhaseBar } from '../../components/phases.tsx'
import { StatusBadge } from '../../components/status.tsx'
import { type Column, Table } from '../../components/table.tsx'
import { Ago } from '../../components/time.tsx'
import { useViewer } from '../../lib/api.ts'
import { type CheckRun, foldChecks } from '../../lib/check-runs.ts'
import { milliseconds } from '../../lib/format.ts'
import { clock, day, dayAndClock } from '../../lib/time.ts'
import { messages } from '../../messages/index.ts'
import { factsInShort } from './kind-facts.ts'
import { checksQuery } from './queries.ts'

const text = messages.monitors.checks

/** The latest checks: those with the same result in one line, or each of the latest 20, which come with the monitor. */
export function Checks({ monitor }: { monitor: MonitorDetails }) {
  const [isEach, setEach] = useState(false)
  const toggle = (
    <Button variant="quiet" small onClick={() => setEach(!isEach)}>
      {isEach ? text.folded : text.each}
    </Button>
  )
  return (
    <Panel title={text.title} flush aside={monitor.recent_checks.length > 0 && toggle}>
      {monitor.recent_checks.length === 0 ? (
        <p className="border-line border-t px-4 py-3 text-muted">{text.none}</p>
      ) : isEach ? (
        <EachCheck monitor={monitor} />
      ) : (
        <Runs monitor={monitor} />
      )}
    </Panel>
  )
}

function Runs({ monitor }: { monitor: MonitorDetails }) {
  const { data } = useQuery(checksQuery(useViewer(), monitor))
  const checks = data?.checks ?? monitor.recent_checks
  const hasCode = hasStatus(monitor)
  const columns: Column<CheckRun>[] = [
    {
      head: text.outcome,
      cell: ({ newest, count }) => (
        <span className="inline-flex items-center gap-2">
          <StatusBadge status={newest.outcome} />
          {count > 1 && text.times(count)}
        </span>
      ),
    },
    {
      head: text.time,
      cell: ({ newest, oldest, count }) => (count === 1 ? <Ago at={newest.checked_at} /> : spanText(oldest, newest)),
    },
    ...(hasCode
      ? [{ head: text.code, cell: ({ newest }: CheckRun) => newest.status_code ?? messages.unknown, isFigure: true }]
      : []),
    { head: text.meanResponse, cell: ({ meanMs }) => milliseconds(meanMs), isFigure: true },
    {
      head: hasCode ? text.error : text.facts,
      isExtra: true,
      isText: true,
      cell: ({ newest }) =>
        newest.error ? <span className="text-bad">{newest.error.message}</span> : !hasCode && factsInShort(newest),
    },
  ]
  return (
    <Table
      asCards
      label={text.title}
      columns={columns}
      rows={foldChecks(checks)}
      keyOf={({ newest }) => `${newest.checked_at} ${newest.region}`}
    />
  )
}

/** Only checks over HTTP have a status. */
const hasStatus = ({ type }: MonitorDetails): boolean => checkKindSpec(type)?.observes.includes('status') ?? true

/** `12:04–12:39`, with the day where it is another. */
function spanText(oldest: Check, newest: Check): string {
  const [from, to] = [Date.parse(oldest.checked_at), Date.parse(newest.checked_at)]
  const isSameDay = day(from) === day(to)
  const isToday = isSameDay && day(to) === day(Date.now())
  return `${isToday ? clock(from) : dayAndClock(from)}–${isSameDay ? clock(to) : dayAndClock(to)}`
}

function EachCheck({ monitor }: { monitor: MonitorDetails }) {
  const { recent_checks, regions = [] } = monitor
  const most = Math.max(1, ...recent_checks.map(({ response_ms }) => response_ms ?? 0))
  const columns: Column<Check>[] = [
    { head: text.outcome, cell: ({ outcome }) => <StatusBadge status={outcome} /> },
    { head: text.time, cell: ({ checked_at }) => <Ago at={checked_at} /> },
    ...(regions.length > 1 ? [{ head: text.region, cell: ({ region }: Check) => region, isExtra: true }] : []),
    ...(hasStatus(monitor)
      ? [{ head: text.code, cell: ({ status_code }: Check) => status_code ?? messages.unknown, isFigure: true }]
      : []),
    { head: text.response, cell: ({ response_ms }) => milliseconds(response_ms), isFigure: true },
    {
      head: text.phases,
      isExtra: true,
      isText: true,
      cell: (check) =>
        check.error ? (
          <span className="text-bad">{check.error.message}</span>
        ) : (
          <span className="block min-w-32">
            <PhaseBar times={check} most={most} />
          </span>
        ),
    },
  ]
  return (
    <Table
      asCards
      label={text.title}
      columns={columns}
      rows={recent_checks}
      keyOf={({ checked_at, region }) => `${checked_at} ${region}`}
    />
  )
}
