import { MAX_ALERT_SAMPLES } from '@vedette/shared'
import { sql } from 'kysely'
import {
  binaryArray,
  createResourceStore,
  type Db,
  type ExternalAlert,
  type PageRequest,
  type TableRow,
} from '../../platform/db/index.ts'
import { overflowOf } from './alert.ts'

const COLUMNS = [
  'id',
  'name',
  'type',
  'enabled',
  'severity_map',
  'default_severity',
  'tags',
  'tag_labels',
  'group_by',
  'routes',
  'resolve_after_seconds',
  'max_open',
  'muted',
  'template',
  'confirm',
  'token_hash',
  'last_received_at',
  'received_count',
  'managed',
  'created_at',
  'updated_at',
] as const

type StoredRow = Pick<TableRow<'alert_source'>, (typeof COLUMNS)[number]>

/** With whom it notifies, which its row of rules says. */
export type SourceRow = StoredRow & { channel_ids: string[]; escalation_policy_id: string | null }

/** What people say of a source. */
export type SourceColumns = Omit<
  SourceRow,
  'id' | 'token_hash' | 'confirm' | 'last_received_at' | 'received_count' | 'managed' | 'created_at' | 'updated_at'
>

const sources = createResourceStore('alert_source', COLUMNS, ['severity_map', 'template', 'routes'])

/** Lock what a source refers to before the source. */
export const { lock: lockSource, remove: deleteSource, deleted: deletedSources } = sources

type OwnColumns = Omit<SourceColumns, 'channel_ids' | 'escalation_policy_id'>

export const insertSource = (
  db: Db,
  organization: number,
  source: OwnColumns & Pick<SourceRow, 'id' | 'token_hash'>,
  at: Date,
): Promise<void> => sources.insert(db, organization, source as never, at)

export const updateSource = (
  db: Db,
  organization: number,
  id: string,
  change: Partial<OwnColumns> & { token_hash?: Buffer },
  at: Date,
): Promise<void> => sources.update(db, organization, id, change, at)

/** Adds whom each notifies. */
async function withRecipients(db: Db, organization: number, rows: readonly StoredRow[]): Promise<SourceRow[]> {
  if (rows.length === 0) return []
  const rules = await db
    .selectFrom('alert_rule')
    .select(['id', 'channel_ids', 'escalation_policy_id'])
    .where('organization', '=', organization)
    .where('target_type', '=', 'source')
    .where('deleted_at', 'is', null)
    .where(
      'id',
      'in',
      rows.map(({ id }) => id),
    )
    .execute()
  const byId = new Map(rules.map((rule) => [rule.id, rule]))
  return rows.map((row) => {
    const { channel_ids = [], escalation_policy_id = null } = byId.get(row.id) ?? {}
    return { ...row, channel_ids, escalation_policy_id }
  })
}

/** Undefined across organizations. */
export async function findSource(db: Db, organization: number, id: string): Promise<SourceRow | undefined> {
  const row = await sources.find(db, organization, id)
  return row && (await withRecipients(db, organization, [row]))[0]
}

/** One page, newest first, and the total. */
export async function listSources(
  db: Db,
  organization: number,
  page: PageRequest,
): Promise<{ total: number; rows: SourceRow[] }> {
  const { total, rows } = await sources.list(db, organization, page)
  return { total, rows: await withRecipients(db, organization, rows) }
}

export const readSources = async (db: Db, organization: number, ids?: readonly string[]): Promise<SourceRow[]> =>
  withRecipients(db, organization, await sources.readAll(db, organization, ids))

/** A source that takes alerts. */
export type ReceivingSource = StoredRow & { organization: number }

const receiving = (db: Db) =>
  db
    .selectFrom('alert_source')
    .select([...COLUMNS, 'organization'])
    .where('enabled', '=', true)
    .where('deleted_at', 'is', null)

/** By its token; undefined for one that is unknown, deleted or disabled. */
export const findReceiving = (db: Db, hash: Buffer): Promise<ReceivingSource | undefined> =>
  receiving(db).where('token_hash', '=', hash).executeTakeFirst()

/** The same by its id. Locked: requests of one source come one after the other where they change something. */
export const lockReceiving = (db: Db, organization: number, id: string): Promise<ReceivingSource | undefined> =>
  receiving(db).where('organization', '=', organization).where('id', '=', id).forNoKeyUpdate().executeTakeFirst()

/** An open or muted incident of a source. */
export interface OpenRow {
  rule_id: string
  target_id: string
  series: string
  incident_id: string
  incident_at: Date
  is_muted: boolean
  story_id: string | null
  ends_at: Date | null
  notified_at: Date | null
  escalation_due_at: Date | null
}

const OPEN = [
  'rule_id',
  'target_id',
  'series',
  'incident_id',
  'incident_at',
  'is_muted',
  'story_id',
  'ends_at',
  'notified_at',
  'escalation_due_at',
] as const

/** Those with these fingerprints, and how many are open of their source without the incident about too many. */
export async function readOpen(
  db: Db,
  organization: number,
  sourceId: string,
  series: readonly string[],
): Promise<{ rows: OpenRow[]; total: number }> {
  const { rows } = await sql<(OpenRow | Record<keyof OpenRow, null>) & { total: number }>`
    select ${sql.join(OPEN.map((name) => sql.ref(`o.${name}`)))}, counted.total
    from (${openCount(organization, sourceId)}) as counted
    left join open_incident as o on o.organization = ${organization} and o.rule_id = ${sourceId}
      and o.series = any(${binaryArray.uuid(series)}::uuid[])`.execute(db)
  return { rows: rows.filter((row): row is OpenRow & { total: number } => row.incident_id !== null), total: rows[0]?.total ?? 0 }
}

const openCount = (organization: number, sourceId: string) => sql<{ total: number }>`
  select count(*)::int as total from open_incident
  where organization = ${organization} and rule_id = ${sourceId} and series <> ${overflowOf(sourceId)}`

/** How many are open or muted of a source, without the incident about too many. */
export async function countOpen(db: Db, organization: number, sourceId: string): Promise<number> {
  const { rows } = await openCount(organization, sourceId).execute(db)
  return rows[0]?.total ?? 0
}

/** Those of a source: all, those with these fingerprints, or those that have ended by an instant. `isLocked`: until the transaction ends. */
export function listOpen(
  db: Db,
  organization: number,
  sourceId: string,
  { series, endedBy, isLocked = false }: { series?: readonly string[]; endedBy?: Date; isLocked?: boolean } = {},
): Promise<OpenRow[]> {
  return db
    .selectFrom('open_incident')
    .select(OPEN)
    .where('organization', '=', organization)
    .where('rule_id', '=', sourceId)
    .$if(series !== undefined, (query) => query.where(sql<boolean>`series = any(${binaryArray.uuid(series ?? [])}::uuid[])`))
    .$if(endedBy !== undefined, (query) => query.where('ends_at', '<=', endedBy as Date))
    .$if(isLocked, (query) => query.orderBy('target_id').orderBy('series').forUpdate())
    .execute()
}

/** Those of these incidents that are acknowledged. */
export async function listAcknowledged(db: Db, organization: number, incidentIds: readonly string[]): Promise<Set<string>> {
  const { rows } = await sql<{ id: string }>`
    select id from incident
    where organization = ${organization} and id = any(${incidentIds}::uuid[]) and status = 'acknowledged'`.execute(db)
  return new Set(rows.map(({ id }) => id))
}

/** Sources of which something has ended by an instant, and whether an end is planned at all. */
export async function listEnded(db: Db, at: Date, limit: number): Promise<{ organization: number; id: string }[]> {
  const { rows } = await sql<{ organization: number; id: string }>`
    select distinct organization, rule_id as id from open_incident where ends_at <= ${at} limit ${limit}`.execute(db)
  return rows
}

export async function hasEnds(db: Db): Promise<boolean> {
  const { rows } = await sql<{ has: boolean }>`
    select exists (select from open_incident where ends_at is not null) as has`.execute(db)
  return rows[0]?.has ?? false
}

/** Requests that a source has sent. */
export interface Receipt {
  organization: number
  id: string
  count: number
  lastAtMs: number
}

/** What a person has to confirm; null once that is done. */
export const setConfirm = async (
  db: Db,
  organization: number,
  id: string,
  confirm: { topic: string; url: string } | null,
): Promise<void> => {
  await db
    .updateTable('alert_source')
    .set({ confirm: confirm && JSON.stringify(confirm) })
    .where('organization', '=', organization)
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .execute()
}

export async function addReceipts(db: Db, receipts: readonly Receipt[]): Promise<void> {
  if (receipts.length === 0) return
  const column = <T>(pick: (receipt: Receipt) => T): T[] => receipts.map(pick)
  await sql`
    update alert_source as source set received_count = source.received_count + given.count,
      last_received_at = greatest(source.last_received_at, given.last_at)
    from unnest(${column(({ organization }) => organization)}::int[], ${column(({ id }) => id)}::uuid[],
      ${column(({ count }) => count)}::int[], ${column(({ lastAtMs }) => new Date(lastAtMs))}::timestamptz[])
      as given (organization, id, count, last_at)
    where source.organization = given.organization and source.id = given.id and source.deleted_at is null`.execute(db)
}

export type SampleRow = Pick<TableRow<'alert_sample'>, 'at' | 'id' | 'body' | 'outcome'>

/** Stores a request and deletes what is older than the last ones. */
export async function insertSample(
  db: Db,
  organization: number,
  sourceId: string,
  { at, id, body, outcome }: SampleRow,
): Promise<void> {
  await sql`
    with inserted as (
      insert into alert_sample (organization, source_id, at, id, body, outcome)
      values (${organization}, ${sourceId}, ${at}, ${id}, ${body}, ${JSON.stringify(outcome)}::jsonb)
    )
    delete from alert_sample where organization = ${organization} and source_id = ${sourceId} and id in (
      select id from alert_sample where organization = ${organization} and source_id = ${sourceId}
      order by id desc offset ${MAX_ALERT_SAMPLES - 1}
    )`.execute(db)
}

/** The newest first. */
export const listSamples = (db: Db, organization: number, sourceId: string): Promise<SampleRow[]> =>
  db
    .selectFrom('alert_sample')
    .select(['at', 'id', 'body', 'outcome'])
    .where('organization', '=', organization)
    .where('source_id', '=', sourceId)
    .orderBy('id', 'desc')
    .execute()

/** An open alert as its sender may read it. */
export interface OpenAlertRow {
  at: Date
  external: ExternalAlert
  evidence: Record<string, unknown>
  summary: string
  parent_id: string | null
  ends_at: Date | null
}

/** The alerts of a source that are open at an instant, the oldest first, without the incident that says that they are too many. */
export const listOpenAlerts = (db: Db, organization: number, sourceId: string, at: Date): Promise<OpenAlertRow[]> =>
  db
    .selectFrom('open_incident as o')
    .innerJoin('incident as i', (join) =>
      join.onRef('i.organization', '=', 'o.organization').onRef('i.id', '=', 'o.incident_id').onRef('i.at', '=', 'o.incident_at'),
    )
    .select(['i.at', 'i.external', 'i.evidence', 'i.summary', 'i.parent_id', 'o.ends_at'])
    .where('o.organization', '=', organization)
    .where('o.rule_id', '=', sourceId)
    .where('o.is_muted', '=', false)
    .where('o.series', '<>', overflowOf(sourceId))
    .where((eb) => eb.or([eb('o.ends_at', 'is', null), eb('o.ends_at', '>', at)]))
    .orderBy('i.at')
    .orderBy('i.id')
    .execute() as Promise<OpenAlertRow[]>
