import { toTimestamp } from '@vedette/shared'
import type { Clock } from '../platform/clock.ts'
import type { Db, Pool } from '../platform/db/index.ts'
import type { Uptime } from './presence.ts'
import type { ProcessList } from './process-store.ts'
import type { FreshState } from './state-store.ts'
import type { ItemExtras, Snapshot } from './wire.ts'

/** What the samples say of servers; the metrics feature stands behind it. */
export interface SampleSource {
  /** The newest sample of each server that has one, by server number. */
  newestSamples(organization: number, servers: readonly number[]): Promise<Map<number, NonNullable<Snapshot>>>
  sparklines(organization: number, servers: readonly number[]): Promise<Map<number, NonNullable<ItemExtras['sparkline']>>>
  /** State of this server that is newer than what is stored. */
  freshState(serverId: string): FreshState | undefined
  /** Process lists of this server that are not stored yet. */
  waitingProcesses(serverId: string): ProcessList[]
  deleteSamples(db: Db, organization: number, server: number): Promise<void>
}

export interface ServerDeps {
  db: Db
  pool: Pool
  clock: Clock
  uptime: Uptime
  samples: SampleSource
  /** Lets go of what refers to a server that is deleted; monitors, alert rules and incidents stand behind it. */
  forgetServer(db: Db, organization: number, serverId: string, at: Date): Promise<void>
  /** Whether a newer version of the agent is known; null for one that is not of ours. */
  isOutdated(agentVersion: string): boolean | null
  sampleIntervalSeconds: number
  pushIntervalSeconds: number
}

const DAY_MS = 86_400_000

/** Newest pushes are looked for in the partitions of today and yesterday. */
export const sinceDay = (nowMs: number): string => toTimestamp(nowMs - DAY_MS).slice(0, 10)
