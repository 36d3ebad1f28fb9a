import type { ServerDetails } from '@vedette/shared'
import type { ReactNode } from 'react'
import { CopyButton } from '../../components/copy.tsx'
import { Fact, Panel } from '../../components/page.tsx'
import { Ago, Instant } from '../../components/time.tsx'
import { bytes, cores, count, duration, known } from '../../lib/format.ts'
import { text } from '../../messages/index.ts'
import { Outdated } from './outdated.tsx'

const words = text.servers.facts

/** What is known of the host; what it does not tell has no line. */
export function Facts({ server }: { server: ServerDetails }) {
  const { metrics, ip_addresses, failed_units, reboot_required, container, boot_time } = server
  const lines: [string, ReactNode][] = [
    [words.hostname, server.hostname],
    [words.os, server.os],
    [words.kernel, server.kernel],
    [words.arch, server.arch],
    [words.cpu, server.cpu_model && `${server.cpu_model} · ${cores(server.cpu_cores)}`],
    [words.memory, server.memory_bytes !== null && bytes(server.memory_bytes)],
    [words.booted, boot_time && <Instant at={boot_time} />],
    [words.addresses, ip_addresses.length > 0 && ip_addresses.join(', ')],
    [words.users, known(server.logged_in_users, String)],
    [
      words.failed,
      failed_units && (failed_units.length === 0 ? words.no : <span className="text-bad">{failed_units.join(', ')}</span>),
    ],
    [words.reboot, reboot_required !== null && (reboot_required ? <span className="text-warn">{words.yes}</span> : words.no)],
    [words.container, container?.runtime],
    [words.agent, <AgentVersion key="agent" server={server} />],
    [words.intervals, `${duration(server.sample_interval_seconds)} · ${duration(server.push_interval_seconds)}`],
    [words.seen, <Ago key="seen" at={server.last_seen_at} />],
    [words.sampled, metrics && <Instant key="sampled" at={metrics.sampled_at} />],
    [words.skew, metrics && skewOf(server)],
    [words.dropped, server.dropped_samples !== null && count(server.dropped_samples)],
    [words.damaged, server.damaged_records !== null && count(server.damaged_records)],
    [words.registered, <Instant key="registered" at={server.registered_at} />],
  ]
  return (
    <Panel title={words.title}>
      <dl>
        {lines
          .filter(([, value]) => value !== null && value !== undefined && value !== false && value !== '')
          .map(([name, value]) => (
            <Fact key={name} name={name}>
              {value}
            </Fact>
          ))}
        <Fact name={words.id}>
          <span className="inline-flex items-center gap-1 font-mono text-[0.88rem]">
            {server.id}
            <CopyButton value={server.id} />
          </span>
        </Fact>
      </dl>
    </Panel>
  )
}

function AgentVersion({ server: { agent_version, agent_outdated } }: { server: ServerDetails }) {
  return (
    <>
      {agent_version} {agent_outdated && <Outdated />}
    </>
  )
}

/** Between the newest sample and its receipt: a push's age, or a clock that is off. */
function skewOf({ metrics, last_seen_at }: ServerDetails): string {
  const seconds = (Date.parse(last_seen_at) - Date.parse(metrics?.sampled_at ?? last_seen_at)) / 1000
  return `${seconds < 0 ? '−' : ''}${Math.abs(seconds).toFixed(1)} s`
}
