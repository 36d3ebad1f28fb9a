import type { Dependency, Process, ServerDetails, ServerItem } from '@vedette/shared'
import { toTimestamp } from '@vedette/shared'
import { encodeId } from '../../platform/ids.ts'
import { toServerHealth } from './health-wire.ts'
import type { ServerItemRow, ServerRow } from './list-store.ts'
import type { ServerState } from './state-store.ts'

/** The newest sample as in the API, or null. */
export type Snapshot = ServerDetails['metrics']

/** What the fields of a server depend on in addition to its row. */
export interface ItemContext {
  onlineAfterMs: number
  /** Whether a newer version is known; null for a version that is not one of our releases. */
  isOutdated(agentVersion: string): boolean | null
}

function toFields(
  row: ServerItemRow,
  { onlineAfterMs, isOutdated }: ItemContext,
  hasTexts: boolean,
): Omit<ServerItem, 'metrics' | 'sparkline'> {
  const lastSeen = row.last_push_ms ?? row.registered_at.getTime()
  return {
    id: encodeId('server', row.id),
    hostname: row.hostname,
    display_name: row.display_name,
    os: row.os,
    kernel: row.kernel,
    status: row.last_push_ms !== null && row.last_push_ms > onlineAfterMs ? 'online' : 'offline',
    health: toServerHealth(row.findings ?? [], hasTexts),
    agent_version: row.agent_version,
    agent_outdated: isOutdated(row.agent_version),
    tags: row.tags,
    last_seen_at: toTimestamp(lastSeen),
    registered_at: toTimestamp(row.registered_at.getTime()),
  }
}

export interface ItemExtras {
  metrics?: Snapshot
  sparkline?: NonNullable<ServerItem['sparkline']>
}

export function toServerItem(row: ServerItemRow, context: ItemContext, extras: ItemExtras, hasTexts: boolean): ServerItem {
  return { ...toFields(row, context, hasTexts), ...extras }
}

export function toServerDetails(
  row: ServerRow,
  context: ItemContext,
  more: {
    state: ServerState | undefined
    processes: Process[]
    dependsOn: Dependency[]
    metrics: Snapshot
    sampleIntervalSeconds: number
    pushIntervalSeconds: number
  },
): ServerDetails {
  const { facts } = row
  return {
    ...toFields(row, context, true),
    arch: row.arch,
    machine_id: row.machine_id,
    managed: row.managed,
    cpu_model: facts.cpu_model ?? null,
    cpu_cores: facts.cpu_cores ?? null,
    memory_bytes: facts.memory_bytes ?? null,
    boot_time: facts.boot_time ?? null,
    ip_addresses: facts.ip_addresses ?? [],
    container: facts.container ?? null,
    dropped_samples: facts.dropped_samples ?? null,
    damaged_records: facts.damaged_records ?? null,
    sample_interval_seconds: more.sampleIntervalSeconds,
    push_interval_seconds: more.pushIntervalSeconds,
    filesystems: more.state?.filesystems ?? [],
    interfaces: more.state?.interfaces ?? [],
    processes: more.processes,
    uptime_seconds: more.state?.host.uptime_seconds ?? null,
    logged_in_users: more.state?.host.logged_in_users ?? null,
    failed_units: more.state?.host.failed_units ?? null,
    reboot_required: more.state?.host.reboot_required ?? null,
    missing_processes: more.state?.host.missing_processes ?? null,
    sources: facts.sources ?? null,
    sources_off: row.sources_off,
    unreadable_certificates: facts.unreadable_certificates ?? [],
    depends_on: more.dependsOn,
    description: row.description,
    runbook_url: row.runbook_url,
    responsible: row.responsible,
    links: row.links,
    metrics: more.metrics,
  }
}
