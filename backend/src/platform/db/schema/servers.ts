import type { ContainerFacts, Dependency, FoundSources, OptionalSource, UnreadableCertificate } from '@vedette/shared'
import type { ColumnType, Generated } from 'kysely'
import type { Instant, Json, ManagedColumn, TargetDescriptionColumns } from './columns.ts'

interface ServerTable extends TargetDescriptionColumns {
  organization: number
  id: string
  /** Compact surrogate in the sample tables. */
  number: Generated<number>
  machine_id: string
  token_hash: Buffer
  token_created_at: Instant
  boot_id: string | null
  /** Boot ids that another took the place of, newest first, bounded. */
  former_boot_ids: string[]
  hostname: string
  display_name: string | null
  os: string
  kernel: string
  arch: string
  agent_version: string
  tags: string[]
  /** `cpu_model`, `cpu_cores`, `memory_bytes`, `boot_time`, `ip_addresses`, `container`, `dropped_samples`, `damaged_records`, `sources`, `unreadable_certificates`: what is known of them. */
  facts: Json<ServerFacts>
  /** With stored ids; also of deleted monitors and servers. */
  depends_on: ColumnType<Dependency[], string | undefined, string>
  /** What its agent does not read although it could. */
  sources_off: Generated<OptionalSource[]>
  registered_at: Instant
  managed: ManagedColumn
}

export interface ServerFacts {
  cpu_model?: string
  cpu_cores?: number
  memory_bytes?: number
  boot_time?: string
  ip_addresses?: string[]
  container?: ContainerFacts
  dropped_samples?: number
  damaged_records?: number
  sources?: FoundSources
  unreadable_certificates?: UnreadableCertificate[]
}

/** Made with the server; each push updates it in its own transaction. */
interface ServerNewestTable {
  organization: number
  id: string
  /** When the server was registered. */
  created_at: Instant
  /** When the last accepted push came, ms; null before the first. */
  last_push_ms: number | null
  /** Instant of the newest sample, ms; 0 before the first. The values are those of this sample. */
  sampled_at_ms: Generated<number>
  /** Hundredths of a percent; null where the sample has none. */
  cpu: number | null
  memory: number | null
  disk: number | null
}

interface ServerStateTable {
  organization: number
  server_id: string
  /** Instant of the sample that the rest belongs to, ms; 0 when none came. */
  state_at_ms: number
  filesystems: Json<unknown>
  interfaces: Json<unknown>
  host: Json<unknown>
}

/** What is wrong with a server; no row before its first derivation. */
interface ServerHealthTable {
  organization: number
  server_id: string
  /** Index of the status. */
  level: number
  findings: Json<unknown>
  memory: Json<unknown>
  /** Instant of the newest sample of the derivation that changed it, ms. */
  derived_ms: number
}

interface ProcessListTable {
  organization: number
  server: number
  /** The newest sample of the batch that brought the list, ms. */
  at_ms: number
  day: string
  /** Encoded by its store. */
  processes: Buffer
}

interface DeletedMachineTable {
  organization: number
  machine_id: string
  deleted_at: Instant
}

interface OfflineServerTable {
  organization: number
  server_id: string
}

export interface ServerTables {
  server: ServerTable
  server_newest: ServerNewestTable
  server_state: ServerStateTable
  server_health: ServerHealthTable
  process_list: ProcessListTable
  deleted_machine: DeletedMachineTable
  offline_server: OfflineServerTable
}
