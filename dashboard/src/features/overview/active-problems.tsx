import type { HealthFinding, IncidentListItem, Overview } from '@vedette/shared'
import { Link } from '@tanstack/react-router'
import { CircleCheck } from '../../components/icons.tsx'
import type { ReactNode } from 'react'
import { Panel } from '../../components/page.tsx'
import { StatusBadge } from '../../components/status.tsx'
import { Ago } from '../../components/time.tsx'
import { withoutIncident } from '../../lib/health.ts'
import { statusName } from '../../lib/status.ts'
import { storyTitle } from '../../lib/story-title.ts'
import { serverName } from '../../lib/server-name.ts'
import { messages } from '../../messages/index.ts'
import { hasProblems } from './has-problems.ts'

const text = messages.overview

/**
 * Open incidents, then failing monitors, offline servers and what is found on servers without one: no rule covers them, or the incident
 * was resolved manually.
 */
export function ActiveProblems({ overview }: { overview: Overview }) {
  const { open_incidents, troubled_monitors, offline_servers, unhealthy_servers } = overview
  const { incidents } = open_incidents
  const withIncident = new Set(incidents.flatMap(({ target, affected }) => (affected?.targets ?? [target]).map(({ id }) => id)))
  // A story that affects more than it names: what has no incident cannot be separated from those. Monitors are named before servers.
  const affectsMore = (type: 'monitor' | 'server') =>
    incidents.some(
      ({ affected: { total, targets } = { total: 0, targets: [] } }) =>
        total > targets.length && (type === 'server' || targets.some((target) => target.type === type)),
    )
  const offline = new Set(offline_servers.map(({ id }) => id))
  const rest = {
    monitors: troubled_monitors.filter(({ id }) => !affectsMore('monitor') && !withIncident.has(id)),
    servers: offline_servers.filter(({ id }) => !affectsMore('server') && !withIncident.has(id)),
    unhealthy: unhealthy_servers.servers.flatMap((server) => {
      const findings = offline.has(server.id) ? [] : withoutIncident(server.id, server.health, incidents)
      return findings.length > 0 ? [{ server, findings }] : []
    }),
  }
  if (!hasProblems(overview)) {
    return (
      <section className="panel flex items-center gap-3 px-4 py-4 text-good">
        <CircleCheck size={20} aria-hidden="true" />
        <p className="font-semibold">{text.noProblems}</p>
      </section>
    )
  }
  const hidden = open_incidents.total - incidents.reduce((sum, { incident_count: count = 1 }) => sum + count, 0)
  return (
    <Panel
      title={text.problems}
      flush
      aside={
        <Link to="/incidents" className="text-accent hover:underline">
          {text.incidents}
        </Link>
      }
    >
      <ul data-rows className="divide-y divide-line border-line border-t">
        {incidents.map((incident) => (
          <IncidentLine key={incident.id} incident={incident} />
        ))}
        {rest.monitors.map((monitor) => (
          <MonitorLine key={monitor.id} monitor={monitor} />
        ))}
        {rest.servers.map((server) => (
          <ServerLine key={server.id} server={server} />
        ))}
        {rest.unhealthy.map(({ server, findings }) => (
          <UnhealthyLine key={server.id} server={server} findings={findings} />
        ))}
      </ul>
      {hidden > 0 && <p className="px-4 py-2 text-muted">{text.more(hidden)}</p>}
    </Panel>
  )
}

const LINE =
  'grid grid-cols-[minmax(0,1fr)_auto] items-baseline gap-x-3 gap-y-1 sm:grid-cols-[7.5rem_minmax(0,1fr)_auto] px-4 py-2.5 hover:bg-hover'

interface LineProps {
  status: string
  name: string
  /** Shown below the name. */
  detail?: string | undefined
  since: ReactNode
}

function Line({ status, name, detail, since }: LineProps) {
  return (
    <>
      <span>
        <StatusBadge status={status} />
      </span>
      <span className="min-w-0 [overflow-wrap:anywhere] max-sm:order-1 max-sm:col-span-2">
        <span className="line-clamp-3 font-semibold sm:line-clamp-2">{name}</span>
        {detail !== undefined && <span className="line-clamp-2 text-[0.93rem] text-soft">{detail}</span>}
      </span>
      <span className="text-right text-[0.93rem] text-muted">{since}</span>
    </>
  )
}

function IncidentLine({ incident }: { incident: IncidentListItem }) {
  const { id, severity, status, opened_at } = incident
  return (
    <li>
      <Link to="/incidents/$incidentId" params={{ incidentId: id }} className={LINE}>
        <Line
          status={severity}
          name={storyTitle(incident)}
          detail={status === 'acknowledged' ? statusName('acknowledged') : undefined}
          since={<Ago at={opened_at} />}
        />
      </Link>
    </li>
  )
}

function MonitorLine({
  monitor: { id, name, status, status_since, reason },
}: {
  monitor: Overview['troubled_monitors'][number]
}) {
  return (
    <li>
      <Link to="/monitors/$monitorId" params={{ monitorId: id }} className={LINE}>
        <Line status={status} name={name} detail={reason ?? undefined} since={<Ago at={status_since} />} />
      </Link>
    </li>
  )
}

function ServerLine({ server }: { server: Overview['offline_servers'][number] }) {
  const { id, hostname, display_name, last_seen_at, reason } = server
  return (
    <li>
      <Link to="/servers/$serverId" params={{ serverId: id }} className={LINE}>
        <Line
          status="offline"
          name={serverName({ display_name, hostname })}
          detail={reason ?? undefined}
          since={
            <>
              {text.lastSeen} <Ago at={last_seen_at} />
            </>
          }
        />
      </Link>
    </li>
  )
}

interface UnhealthyProps {
  server: Overview['unhealthy_servers']['servers'][number]
  /** Worst first. */
  findings: readonly HealthFinding[]
}

function UnhealthyLine({ server, findings }: UnhealthyProps) {
  const [worst, ...others] = findings
  if (!worst) return null
  const more = others.length > 0 ? ` · ${messages.health.more(others.length)}` : ''
  return (
    <li>
      <Link to="/servers/$serverId" params={{ serverId: server.id }} className={LINE}>
        <Line
          status={worst.severity}
          name={serverName(server)}
          detail={`${worst.text}${more}`}
          since={<Ago at={worst.since} />}
        />
      </Link>
    </li>
  )
}
