import type { Selectable } from 'kysely'
import type { AccountTables } from './schema/accounts.ts'
import type { AlertSourceTables } from './schema/alert-sources.ts'
import type { AlertTables } from './schema/alerts.ts'
import type { CertificateTables } from './schema/certificates.ts'
import type { ChangeSetTables } from './schema/change-sets.ts'
import type { CheckTables } from './schema/checks.ts'
import type { EntityTables } from './schema/entities.ts'
import type { ExportTables } from './schema/exports.ts'
import type { HeartbeatTables } from './schema/heartbeats.ts'
import type { InstallationTables } from './schema/installation.ts'
import type { OrganizationTables } from './schema/organizations.ts'
import type { SampleTables } from './schema/samples.ts'
import type { SeriesTables } from './schema/series.ts'
import type { ServerTables } from './schema/servers.ts'
import type { StatusPageTables } from './schema/status-pages.ts'

export type { StartedRun } from './schema/heartbeats.ts'
export type { ServerFacts } from './schema/servers.ts'

/** Every table, as its migrations made it. */
export interface Database
  extends InstallationTables,
    AccountTables,
    OrganizationTables,
    ServerTables,
    SampleTables,
    SeriesTables,
    CheckTables,
    EntityTables,
    HeartbeatTables,
    AlertTables,
    AlertSourceTables,
    CertificateTables,
    ChangeSetTables,
    ExportTables,
    StatusPageTables {}

/** A row as queries return it. */
export type TableRow<Table extends keyof Database> = Selectable<Database[Table]>
