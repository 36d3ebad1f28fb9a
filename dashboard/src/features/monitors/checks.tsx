import type { Check, MonitorDetails } from '@vedette/shared'
import { Panel } from '../../components/page.tsx'
import { PhaseBar } from '../../components/phases.tsx'
import { StatusBadge } from '../../components/status.tsx'
import { type Column, Table } from '../../components/table.tsx'
import { Ago } from '../../components/time.tsx'
import { milliseconds } from '../../lib/format.ts'
import { messages } from '../../messages/index.ts'

const text = messages.monitors.checks

/** The latest 20 checks, which come with the monitor. */
export function Checks({ monitor }: { monitor: MonitorDetails }) {
  const { recent_checks } = monitor
  const most = Math.max(1, ...recent_checks.map(({ response_ms }) => response_ms ?? 0))
  const columns: Column<Check>[] = [
    { head: text.outcome, cell: ({ outcome }) => <StatusBadge status={outcome} /> },
    { head: text.time, cell: ({ checked_at }) => <Ago at={checked_at} /> },
    ...(monitor.regions.length > 1 ? [{ head: text.region, cell: ({ region }: Check) => region, isExtra: true }] : []),
    { head: text.code, cell: ({ status_code }) => status_code ?? messages.unknown, isFigure: true },
    { head: text.response, cell: ({ response_ms }) => milliseconds(response_ms), isFigure: true },
    {
      head: text.phases,
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
    <Panel title={text.title} flush>
      {recent_checks.length > 0 ? (
        <Table
          label={text.title}
          columns={columns}
          rows={recent_checks}
          keyOf={({ checked_at, region }) => `${checked_at} ${region}`}
        />
      ) : (
        <p className="border-line border-t px-4 py-3 text-muted">{text.none}</p>
      )}
    </Panel>
  )
}
