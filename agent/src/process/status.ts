import { join } from 'node:path'
import { readTextIfThere, writeWhole } from './files.ts'
import { parseObject } from './identity.ts'

/** What a running agent writes about itself to `status.json` in the state folder. Times are ISO 8601; no secrets. */
export interface AgentStatus {
  agent_version: string
  pid: number
  started_at: string
  updated_at: string
  url: string
  server_id: string | null
  /** `starting` until the first answer; the others are those of the pusher. */
  state: 'starting' | 'pushing' | 'waiting' | 'refused' | 'cloned' | 'stopped'
  last_try_at: string | null
  last_accepted_at: string | null
  last_error: string | null
  accepted_samples: number
  duplicate_samples: number
  rejected_samples: number
  dropped_samples: number
  queued_batches: number
  queued_samples: number
  queued_bytes: number
  /** Where undelivered samples are stored, and why they are in memory. */
  spool: 'disk' | 'memory'
  spool_fault: string | null
  damaged_records: number
  sample_interval_seconds: number
  push_interval_seconds: number
  /** The backend's clock minus this host's; null while unknown. */
  clock_offset_ms: number | null
  /** Mounts that do not respond. */
  stale_mounts: string[]
}

function statusPath(stateDir: string): string {
  return join(stateDir, 'status.json')
}

export function writeStatus(stateDir: string, status: AgentStatus): void {
  // Not synced: after a power loss nobody needs the old status, and a sync at each push costs more than a sample.
  writeWhole(statusPath(stateDir), `${JSON.stringify(status, null, 2)}\n`)
}

/** Undefined if no agent has run with this state folder. */
export function readStatus(stateDir: string): AgentStatus | undefined {
  const text = readTextIfThere(statusPath(stateDir))
  const fields = text === undefined ? undefined : parseObject(text)
  // This program writes it atomically; a file from elsewhere shows as odd values, not as an error.
  return fields && (fields as unknown as AgentStatus)
}

/** The status as text, one line per topic, the most important first. */
export function describeStatus(status: AgentStatus, isRunning: boolean): string {
  const running = isRunning
    ? `running as process ${status.pid} since ${status.started_at}`
    : `not running (last seen ${status.updated_at})`
  const lines = [
    `vedette-agent ${status.agent_version}: ${running}`,
    `backend: ${status.url}`,
    `server: ${status.server_id ?? 'unknown (the token is from the config)'}`,
    `state: ${STATE_TEXTS[status.state]}`,
    `last accepted push: ${status.last_accepted_at ?? 'none yet'}`,
    `samples: ${status.accepted_samples} accepted, ${status.queued_samples} queued, ${status.rejected_samples} rejected, ${status.dropped_samples} dropped`,
    `intervals: a sample every ${status.sample_interval_seconds} s, a push every ${status.push_interval_seconds} s`,
  ]
  if (status.last_error) lines.push(`last error: ${status.last_error}`)
  if (status.spool_fault) lines.push(`spool: in memory (lost if the agent is killed): ${status.spool_fault}`)
  if (status.damaged_records > 0) lines.push(`spool: skipped ${status.damaged_records} damaged records`)
  if (status.clock_offset_ms !== null && Math.abs(status.clock_offset_ms) > 1_000) {
    lines.push(`clock: ${Math.round(status.clock_offset_ms / 1000)} s behind the backend's`)
  }
  if (status.stale_mounts.length > 0) lines.push(`mounts that do not respond: ${status.stale_mounts.join(', ')}`)
  return lines.join('\n')
}

const STATE_TEXTS: Record<AgentStatus['state'], string> = {
  starting: 'starting',
  pushing: 'pushing',
  waiting: 'the last push failed and is retried',
  refused:
    'the token is refused: run "vedette-agent token set" with the new token, or "vedette-agent register" with an API key; samples stay in the spool',
  cloned:
    'another host pushes with the token of this one; one is a copy of the other. Run "vedette-agent register" on one of them; samples stay in the spool',
  stopped: 'stopped',
}
