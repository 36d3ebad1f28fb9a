import type { Managed, PageLink } from '@vedette/shared'
import type { ColumnType } from 'kysely'

export type Instant = ColumnType<Date, Date, Date>
export type Json<T> = ColumnType<T, string, string>
/** Where a resource of the configuration is managed; null: by hand. `setManaged` writes it. */
export type ManagedColumn = ColumnType<Managed | null, never, never>

/** What people say about it. */
export interface RuleDescriptionColumns {
  description: ColumnType<string | null, string | null | undefined, string | null>
  runbook_url: ColumnType<string | null, string | null | undefined, string | null>
}

/** The same of a monitor or server. */
export interface TargetDescriptionColumns extends RuleDescriptionColumns {
  responsible: ColumnType<string | null, string | null | undefined, string | null>
  links: ColumnType<PageLink[], string | undefined, string>
}

/** Of a resource that can be restored for a while after its deletion. */
export interface DeletedColumns {
  /** Null: it is not deleted. */
  deleted_at: ColumnType<Date | null, Date | null | undefined, Date | null>
  /** Where others named it, for its restore. */
  deleted_references: ColumnType<unknown, string | null | undefined, string | null>
}

/** The tables that have these. */
export const RESTORABLE_TABLES = [
  'alert_rule',
  'alert_source',
  'channel',
  'escalation_policy',
  'identity_provider',
  'maintenance_window',
  'schedule',
  'slo',
  'status_page',
] as const
export type RestorableTable = (typeof RESTORABLE_TABLES)[number]
