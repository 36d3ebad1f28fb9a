import type { ServerDetails } from '@vedette/shared'
import type { ReactNode } from 'react'
import { CopyButton } from '../../components/copy.tsx'
import { DependencyList } from '../../components/dependencies.tsx'
import { Fact, Panel } from '../../components/page.tsx'
import { Instant } from '../../components/time.tsx'
import { bytes, cores, count, duration, fixed, orDash } from '../../lib/format.ts'
import { alerts } from '../../messages/alerts.ts'
import { messages } from '../../messages/index.ts'
import { LastPush } from './last-push.tsx'
import { OutdatedBadge } from './outdated-badge.tsx'

const text = messages.servers.facts

/** The facts of a server; unknown ones are left out. */
export function Facts({ server }: { server: ServerDetails }) {
  const { metrics, ip_addresses, failed_units, missing_processes, reboot_required, container, boot_time } = server
  const lines: [string, ReactNode][] = [
    [text.hostname, server.hostname],
    [text.os, server.os],
    [text.kernel, server.kernel],
    [text.arch, server.arch],
    [text.cpu, server.cpu_model && `${server.cpu_model} · ${cores(server.cpu_cores)}`],
    [text.memory, server.memory_bytes !== null && bytes(server.memory_bytes)],
    [text.booted, boot_time && <Instant at={boot_time} />],
    [text.addresses, ip_addresses.length > 0 && ip_addresses.join(', ')],
    [text.users, orDash(server.logged_in_users, String)],
    [text.failed, failed_units && <Problems key="failed" names={failed_units} />],
    [text.missing, missing_processes && <Problems key="missing" names={missing_processes} />],
    [
      text.reboot,
      reboot_required !== null && (reboot_required ? <span className="text-warn">{messages.yes}</span> : messages.no),
    ],
    [text.container, container?.runtime],
    [text.agent, <AgentVersion key="agent" server={server} />],
    [text.intervals, `${duration(server.sample_interval_seconds)} · ${duration(server.push_interval_seconds)}`],
    [text.seen, <LastPush key="seen" server={server} />],
    [text.sampled, metrics && <Instant key="sampled" at={metrics.sampled_at} />],
    [text.delay, metrics && sampleDelay(server)],
    [text.dropped, server.dropped_samples !== null && count(server.dropped_samples)],
    [text.damaged, server.damaged_records !== null && count(server.damaged_records)],
    [
      alerts.dependencies.label,
      server.depends_on.length > 0 && <DependencyList key="dependencies" dependsOn={server.depends_on} />,
    ],
    [text.registered, <Instant key="registered" at={server.registered_at} />],
  ]
  return (
    <Panel title={text.title}>
      <dl>
        {lines
          .filter(([, value]) => value !== null && value !== undefined && value !== false && value !== '')
          .map(([name, value]) => (
            <Fact key={name} name={name}>
              {value}
            </Fact>
          ))}
        <Fact name={text.id}>
          <span className="inline-flex items-center gap-1 font-mono text-[0.88rem]">
            {server.id}
            <CopyButton value={server.id} />
          </span>
        </Fact>
      </dl>
    </Panel>
  )
}

function Problems({ names }: { names: readonly string[] }) {
  return names.length === 0 ? messages.no : <span className="text-bad">{names.join(', ')}</span>
}

function AgentVersion({ server: { agent_version, agent_outdated } }: { server: ServerDetails }) {
  return (
    <>
      {agent_version} {agent_outdated && <OutdatedBadge />}
    </>
  )
}

/** The time from the latest sample to its receipt; negative where the clock of the host is ahead. */
function sampleDelay({ metrics, last_seen_at }: ServerDetails): string {
  const seconds = (Date.parse(last_seen_at) - Date.parse(metrics?.sampled_at ?? last_seen_at)) / 1000
  return `${seconds < 0 ? '−' : ''}${fixed(Math.abs(seconds), 1)} s`
}
