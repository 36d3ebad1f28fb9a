import { type Clock, pause } from '../clock.ts'
import type { AgentStatus } from '../status.ts'
import type { Service } from './service.ts'

const LOOK_MS = 500
const DEATHS = 3

export type Verdict = 'good' | 'dying' | 'silent'

export interface TrialDeps {
  clock: Clock
  service: Service
  readStatus(): AgentStatus | undefined
  limitMs: number
}

/**
 * Whether a version that was just started does its work: `good` with its first accepted push, `dying` when it was started anew three
 * times, `silent` when the time is over. `restartsBefore` is what the service manager counted before.
 */
export async function watchTrial(
  { clock, service, readStatus, limitMs }: TrialDeps,
  { version, beganAtMs }: { version: string; beganAtMs: number },
  restartsBefore: number,
): Promise<Verdict> {
  const untilMs = clock.monotonicMs() + limitMs
  for (;;) {
    if (hasPushed(readStatus(), version, beganAtMs)) return 'good'
    const restarts = service.restarts()
    // A restart that somebody asked for begins the count anew.
    if (restarts - (restarts < restartsBefore ? 0 : restartsBefore) >= DEATHS) return 'dying'
    if (clock.monotonicMs() >= untilMs) return 'silent'
    await pause(clock, LOOK_MS)
  }
}

function hasPushed(status: AgentStatus | undefined, version: string, sinceMs: number): boolean {
  return status?.agent_version === version && Date.parse(status.last_accepted_at ?? '') > sinceMs
}
