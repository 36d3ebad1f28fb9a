import type { MonitorItem, ServerItem } from '@vedette/shared'
import { Link } from '@tanstack/react-router'
import { CircleCheck } from 'lucide-react'
import type { ReactNode } from 'react'
import { Panel } from '../../components/page.tsx'
import { StatusBadge } from '../../components/status.tsx'
import { Ago } from '../../components/time.tsx'
import { percent, uptime } from '../../lib/format.ts'
import { text } from '../../messages/index.ts'
import type { Summary } from './summary.ts'

const words = text.overview
/** From here on a disk is worth a line: the default alert rule has the same bound. */
const FULL_PERCENT = 90

export function WrongNow({ summary: { monitors, servers } }: { summary: Summary }) {
  const full = servers.full.filter(({ metrics }) => (metrics?.disk?.usage_percent ?? 0) >= FULL_PERCENT)
  const total = monitors.down.total + monitors.degraded.total + servers.offline.total + full.length
  if (total === 0) {
    return (
      <section className="panel flex items-center gap-3 px-4 py-4 text-good">
        <CircleCheck size={20} aria-hidden="true" />
        <p className="font-semibold">{words.allGood}</p>
      </section>
    )
  }
  const shown = [
    ...monitors.down.monitors.map(monitorLine),
    ...servers.offline.servers.map(offlineLine),
    ...monitors.degraded.monitors.map(monitorLine),
    ...full.map(fullLine),
  ]
  return (
    <Panel title={words.wrong} flush>
      <ul className="divide-y divide-line border-line border-t">{shown}</ul>
      {total > shown.length && <p className="px-4 py-2 text-muted">{words.more(total - shown.length)}</p>}
    </Panel>
  )
}

function Line({
  status,
  name,
  about,
  link,
}: {
  status: string
  name: string
  about: ReactNode
  link: (className: string, children: ReactNode) => ReactNode
}) {
  return (
    <li>
      {link(
        'grid grid-cols-[6.5rem_minmax(0,1fr)] items-center gap-x-3 px-4 py-2.5 hover:bg-hover sm:grid-cols-[6.5rem_minmax(0,1fr)_auto]',
        <>
          <span>
            <StatusBadge status={status} />
          </span>
          <span className="truncate font-semibold">{name}</span>
          <span className="col-start-2 truncate text-muted sm:col-start-auto">{about}</span>
        </>,
      )}
    </li>
  )
}

const monitorLine = ({ id, name, url, status, uptime_7d }: MonitorItem) => (
  <Line
    key={id}
    status={status}
    name={name}
    about={`${url} · ${words.uptime} ${uptime(uptime_7d)}`}
    link={(className, children) => (
      <Link to="/monitors/$monitorId" params={{ monitorId: id }} className={className}>
        {children}
      </Link>
    )}
  />
)

const serverLine = (server: ServerItem, status: string, about: ReactNode) => (
  <Line
    key={server.id}
    status={status}
    name={server.display_name ?? server.hostname}
    about={about}
    link={(className, children) => (
      <Link to="/servers/$serverId" params={{ serverId: server.id }} className={className}>
        {children}
      </Link>
    )}
  />
)

const offlineLine = (server: ServerItem) =>
  serverLine(
    server,
    'offline',
    <>
      {words.lastSeen} <Ago at={server.last_seen_at} />
    </>,
  )

const fullLine = (server: ServerItem) => serverLine(server, 'full', words.diskFull(percent(server.metrics?.disk?.usage_percent)))
