import { type Clock, pause } from '../process/clock.ts'
import type { AgentStatus } from '../process/status.ts'
import type { Service } from './service.ts'

const POLL_MS = 500
const MAX_RESTARTS = 3

export type TrialResult = 'accepted' | 'crashing' | 'timeout'

export interface TrialDeps {
  clock: Clock
  service: Service
  readStatus(): AgentStatus | undefined
  limitMs: number
}

/**
 * Watches a version that was just started: `accepted` with its first accepted push, `crashing` after three restarts, `timeout` after
 * `limitMs`. `restartsBefore` is the service manager's count before the start.
 */
export async function watchTrial(
  { clock, service, readStatus, limitMs }: TrialDeps,
  { version, beganAtMs }: { version: string; beganAtMs: number },
  restartsBefore: number,
): Promise<TrialResult> {
  const untilMs = clock.monotonicMs() + limitMs
  for (;;) {
    if (hasPushed(readStatus(), version, beganAtMs)) return 'accepted'
    const restarts = service.restarts()
    // A manual restart resets the count.
    if (restarts - (restarts < restartsBefore ? 0 : restartsBefore) >= MAX_RESTARTS) return 'crashing'
    if (clock.monotonicMs() >= untilMs) return 'timeout'
    await pause(clock, POLL_MS)
  }
}

function hasPushed(status: AgentStatus | undefined, version: string, sinceMs: number): boolean {
  return status?.agent_version === version && Date.parse(status.last_accepted_at ?? '') > sinceMs
}
