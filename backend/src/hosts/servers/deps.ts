import type { HostCertificate } from '@vedette/shared'
import type { Clock } from '../../platform/time/clock.ts'
import type { Db, Pool } from '../../platform/db/index.ts'
import type { Uptime } from './presence.ts'
import type { ProcessList } from './process-store.ts'
import type { FreshState } from './state-store.ts'
import type { ItemExtras, Snapshot } from './wire.ts'

/** Reads of server samples. Implemented by the metrics feature. */
export interface SampleSource {
  /** The newest sample of each server that has one, by server number. */
  newestSamples(organization: number, servers: readonly number[]): Promise<Map<number, NonNullable<Snapshot>>>
  sparklines(organization: number, servers: readonly number[]): Promise<Map<number, NonNullable<ItemExtras['sparkline']>>>
  /** Unstored state of this server, newer than its stored state. */
  freshState(serverId: string): FreshState | undefined
  /** Process lists of this server that are not yet stored. */
  pendingProcesses(serverId: string): ProcessList[]
  deleteSamples(db: Db, organization: number, server: number): Promise<void>
}

/** All that a host reports; the server is locked. */
export type HostCertificateRecorder = (
  db: Db,
  server: { organization: number; serverId: string },
  certificates: readonly HostCertificate[],
  atMs: number,
) => Promise<void>

export interface ServerDeps {
  db: Db
  pool: Pool
  clock: Clock
  uptime: Uptime
  samples: SampleSource
  /** Deletes what monitors, alert rules and incidents store about a deleted server. */
  deleteServerReferences(db: Db, organization: number, serverId: string, at: Date): Promise<void>
  /** Whether a newer agent version is known; null for a version that is not one of our releases. */
  isOutdated(agentVersion: string): boolean | null
  /** Stores which certificates the files of a host have. Implemented by the certificates feature. */
  recordCertificates: HostCertificateRecorder
  sampleIntervalSeconds: number
  pushIntervalSeconds: number
  /** Registrations that one API key or user may make in one hour. */
  registrationsPerHour: number
}
