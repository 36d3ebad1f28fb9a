import type { ServerItem } from '@vedette/shared'
import { Link } from '@tanstack/react-router'
import { memo, type ReactNode } from 'react'
import { Meter } from '../../components/meter.tsx'
import { Sparkline } from '../../components/sparkline.tsx'
import { StatusBadge } from '../../components/status.tsx'
import { Tags } from '../../components/tags.tsx'
import { Ago, useTextOfNow } from '../../components/time.tsx'
import { rate } from '../../lib/format.ts'
import { isProblem } from '../../lib/health.ts'
import { findingName } from '../../lib/health-tabs.ts'
import { useIsOpenRow } from '../../lib/open-row.ts'
import { worstStatus } from '../../lib/server-status.ts'
import { messages } from '../../messages/index.ts'
import { LastPush } from './last-push.tsx'
import { OutdatedBadge } from './outdated-badge.tsx'

const text = messages.servers

/** The grid columns of the header and of each row. Curves come where the names have room next to them. */
export const COLUMNS =
  'grid items-center gap-x-4 md:grid-cols-[minmax(0,1fr)_8.5rem_8.5rem_8.5rem_5rem] xl:grid-cols-[minmax(0,1fr)_8.5rem_8.5rem_8.5rem_8.5rem_6rem] min-[88rem]:grid-cols-[minmax(0,1fr)_15.5rem_15.5rem_9rem_8.5rem_6rem]'

export const ServerRow = memo(({ server, onTag }: { server: ServerItem; onTag: (tag: string) => void }) => {
  const { id, hostname, display_name, os, tags, agent_outdated, metrics, sparkline, health } = server
  const [worst, ...others] = health.findings.filter(isProblem)
  const { columns } = text
  const isOpen = useIsOpenRow(id)
  return (
    // Rows out of view cost no layout and no paint.
    <li
      className={`${COLUMNS} relative grid-cols-3 gap-y-1.5 px-4 py-2 [content-visibility:auto] [contain-intrinsic-size:auto_3.4rem] hover:bg-hover ${isOpen ? 'bg-accent-ground' : ''}`}
    >
      <div className="flex min-w-0 items-center gap-3 max-md:col-span-3">
        <StatusBadge status={useTextOfNow((nowMs) => worstStatus(server, nowMs))} />
        <div className="min-w-0 flex-1">
          <Link to="/servers/$serverId" params={{ serverId: id }} className="block cut font-semibold row-link" title={hostname}>
            {display_name ?? hostname}
          </Link>
          <div className="flex min-w-0 items-center gap-2 text-[0.88rem] text-muted">
            {worst ? (
              <span className={`truncate ${worst.severity === 'critical' ? 'text-bad' : 'text-warn'}`}>
                {findingName(worst.code)} · <Ago at={worst.since} />
                {others.length > 0 && ` · ${messages.health.more(others.length)}`}
              </span>
            ) : (
              <span className="truncate">{os}</span>
            )}
            {agent_outdated && <OutdatedBadge />}
            <span className="ml-auto shrink-0 md:hidden">
              <LastPush server={server} />
            </span>
            <span className="relative z-10 max-w-3/5 shrink-0 max-sm:hidden">
              <Tags tags={tags} onTag={onTag} most={2} />
            </span>
          </div>
        </div>
      </div>
      <Reading name={columns.cpu}>
        <Meter value={metrics?.cpu?.percent} label={columns.cpu} stacks />
        <span className="hidden min-[88rem]:block">
          <Sparkline values={sparkline?.cpu_percent ?? []} max={100} label={text.cpuDay} />
        </span>
      </Reading>
      <Reading name={columns.memory}>
        <Meter value={metrics?.memory?.percent} label={columns.memory} stacks />
        <span className="hidden min-[88rem]:block">
          <Sparkline values={sparkline?.memory_percent ?? []} max={100} label={text.memoryDay} className="text-chart-2" />
        </span>
      </Reading>
      <Reading name={columns.disk}>
        <Meter value={metrics?.disk?.usage_percent} label={columns.disk} stacks />
      </Reading>
      <div className="text-right text-[0.88rem] text-soft leading-4.5 max-xl:hidden">
        <div>↓ {rate(metrics?.network?.rx_bytes_per_sec)}</div>
        <div>↑ {rate(metrics?.network?.tx_bytes_per_sec)}</div>
      </div>
      <div className="text-right text-[0.92rem] text-muted max-md:hidden">
        <LastPush server={server} />
      </div>
    </li>
  )
})

function Reading({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="flex items-center gap-3 max-md:flex-col max-md:items-stretch max-md:gap-0">
      <span className="shrink-0 truncate text-[0.86rem] text-muted md:hidden">{name}</span>
      {children}
    </div>
  )
}
