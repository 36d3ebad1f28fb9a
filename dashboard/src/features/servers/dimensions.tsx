import type { ServerDetails, ServerMetrics } from '@vedette/shared'
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { Chart } from '../../components/chart/chart.tsx'
import { Meter } from '../../components/meter.tsx'
import { Panel } from '../../components/page.tsx'
import { Sparkline } from '../../components/sparkline.tsx'
import { type Column, Table } from '../../components/table.tsx'
import { useViewer } from '../../lib/api.ts'
import { thresholdsOf } from '../../lib/chart-notes.ts'
import { allRulesQuery } from '../../lib/target-queries.ts'
import { percent, rate } from '../../lib/format.ts'
import type { Range } from '../../lib/range.ts'
import { messages } from '../../messages/index.ts'
import { mountChart, size } from './chart-lines.ts'
import { useNotes } from './charts.tsx'
import { dimensionQuery, metricsQuery } from './queries.ts'

const text = messages.servers

interface FilesystemsProps {
  server: ServerDetails
  range: Range
  onZoom: (from: number, to: number) => void
}

type Mount = NonNullable<ServerMetrics['by_mount']>[number]
type Interface = NonNullable<ServerMetrics['by_interface']>[number]

const MOUNTS: Column<Mount>[] = [
  { head: text.filesystem.mount, cell: ({ mount }) => <span className="font-mono text-[0.93rem]">{mount}</span> },
  {
    head: text.filesystem.used,
    cell: ({ used_bytes, total_bytes }) => `${size(used_bytes)} / ${size(total_bytes)}`,
    isFigure: true,
  },
  { head: text.filesystem.share, cell: (mount) => <Meter value={mount.percent} label={mount.mount} stacks />, isFigure: true },
  { head: text.filesystem.max, cell: ({ max_percent }) => percent(max_percent), isFigure: true, isExtra: true },
]

const NO_VALUES: readonly null[] = []
const INTERFACES: Column<Interface>[] = [
  { head: text.interface.name, cell: ({ name }) => <span className="font-mono text-[0.93rem]">{name}</span> },
  {
    head: text.interface.rx,
    isFigure: true,
    cell: ({ name, rx_bytes_per_sec, series }) => (
      <Flow name={`${name} ${text.interface.rx}`} mean={rx_bytes_per_sec} values={series?.rx_bytes_per_sec?.avg} />
    ),
  },
  {
    head: text.interface.tx,
    isFigure: true,
    cell: ({ name, tx_bytes_per_sec, series }) => (
      <Flow name={`${name} ${text.interface.tx}`} mean={tx_bytes_per_sec} values={series?.tx_bytes_per_sec?.avg} />
    ),
  },
]

function Flow({
  name,
  mean,
  values = NO_VALUES,
}: {
  name: string
  mean: number | null
  values?: readonly (number | null)[] | undefined
}) {
  return (
    <span className="flex items-center justify-end gap-3">
      <span className="max-sm:hidden">
        <Sparkline values={values} label={name} />
      </span>
      <span className="w-20">{rate(mean)}</span>
    </span>
  )
}

/** The filesystems over the range; nothing without one. */
export function Filesystems({ server, range, onZoom }: FilesystemsProps) {
  const viewer = useViewer()
  const { id: serverId, tags } = server
  const mounts = useQuery(dimensionQuery(viewer, serverId, range, 'mount')).data
  const { data: rules } = useQuery(allRulesQuery(viewer))
  const subject = { type: 'server', id: serverId, tags } as const
  const { bands, marks } = useNotes(server, range, useQuery(metricsQuery(viewer, serverId, range)).data?.series)
  const chart = useMemo(() => mountChart(mounts?.by_mount ?? []), [mounts])
  if (!mounts?.by_mount || mounts.by_mount.length === 0) return null
  return (
    <>
      {mounts.series && (
        <Chart
          {...chart}
          from={Date.parse(mounts.series.from)}
          stepSeconds={mounts.series.step_seconds}
          shared={serverId}
          bands={bands}
          marks={marks}
          thresholds={thresholdsOf(rules ?? [], subject, 'filesystem.percent')}
          onZoom={onZoom}
        />
      )}
      <Panel title={text.groups.filesystems} flush>
        <Table label={text.groups.filesystems} columns={MOUNTS} rows={mounts.by_mount} keyOf={({ mount }) => mount} />
        <Others count={mounts.others} />
      </Panel>
    </>
  )
}

/** The interfaces over the range; nothing without one. */
export function Interfaces({ serverId, range }: { serverId: string; range: Range }) {
  const interfaces = useQuery(dimensionQuery(useViewer(), serverId, range, 'interface')).data
  if (!interfaces?.by_interface || interfaces.by_interface.length === 0) return null
  return (
    <Panel title={text.groups.interfaces} flush>
      <Table label={text.groups.interfaces} columns={INTERFACES} rows={interfaces.by_interface} keyOf={({ name }) => name} />
      <Others count={interfaces.others} />
    </Panel>
  )
}

function Others({ count = 0 }: { count?: number | undefined }) {
  return count > 0 ? <p className="border-line border-t px-4 py-2 text-muted">{text.withoutHistory(count)}</p> : null
}
