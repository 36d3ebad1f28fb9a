import type { Check, MonitorDetails } from '@vedette/shared'
import { Panel } from '../../components/page.tsx'
import { PhaseBar } from '../../components/phases.tsx'
import { StatusBadge } from '../../components/status.tsx'
import { type Column, Table } from '../../components/table.tsx'
import { Ago } from '../../components/time.tsx'
import { milliseconds } from '../../lib/format.ts'
import { text } from '../../messages/index.ts'

const words = text.monitors.checks

/** The twenty newest, as they come with the monitor. */
export function Checks({ monitor }: { monitor: MonitorDetails }) {
  const { recent_checks } = monitor
  const most = Math.max(1, ...recent_checks.map(({ response_ms }) => response_ms ?? 0))
  const columns: Column<Check>[] = [
    { head: words.outcome, cell: ({ outcome }) => <StatusBadge status={outcome} /> },
    { head: words.at, cell: ({ checked_at }) => <Ago at={checked_at} /> },
    ...(monitor.regions.length > 1 ? [{ head: words.region, cell: ({ region }: Check) => region, isExtra: true }] : []),
    { head: words.code, cell: ({ status_code }) => status_code ?? text.unknown, isFigure: true },
    { head: words.response, cell: ({ response_ms }) => milliseconds(response_ms), isFigure: true },
    {
      head: words.phases,
      isExtra: true,
      cell: (check) =>
        check.error ? (
          <span className="text-bad" title={check.error.message}>
            {check.error.message}
          </span>
        ) : (
          <span className="block min-w-32">
            <PhaseBar times={check} most={most} />
          </span>
        ),
    },
  ]
  return (
    <Panel title={words.title} flush>
      {recent_checks.length > 0 ? (
        <Table
          label={words.title}
          columns={columns}
          rows={recent_checks}
          keyOf={({ checked_at, region }) => `${checked_at} ${region}`}
        />
      ) : (
        <p className="border-line border-t px-4 py-3 text-muted">{words.none}</p>
      )}
    </Panel>
  )
}
