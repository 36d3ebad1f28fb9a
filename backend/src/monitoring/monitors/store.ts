import { sql } from 'kysely'
import type { TargetAlerts } from '../../alerting/alerts/index.ts'
import { announceChange, type Db, type PageRequest, readPage, type TableRow } from '../../platform/db/index.ts'

const COLUMNS = [
  'id',
  'number',
  'name',
  'type',
  'url',
  'method',
  'interval_seconds',
  'timeout_seconds',
  'regions',
  'request_encrypted',
  'options',
  'assertions',
  'follow_redirects',
  'verify_tls',
  'confirmations',
  'tags',
  'server_id',
  'depends_on',
  'description',
  'runbook_url',
  'responsible',
  'links',
  'active_hours',
  'managed',
  'created_at',
  'updated_at',
] as const

export type MonitorRow = Pick<TableRow<'monitor'>, (typeof COLUMNS)[number]>

/** The stored definition. */
export type MonitorColumns = Omit<MonitorRow, 'number' | 'managed' | 'created_at' | 'updated_at'>

/** The organization's monitors among these ids, unordered. */
export function findMonitors(db: Db, organization: number, ids: readonly string[]): Promise<MonitorRow[]> {
  return selectMonitors(db, organization, ids).execute()
}

/** All monitors of the organization that are not deleted, or those among these ids. */
export const readMonitors = (db: Db, organization: number, ids?: readonly string[]): Promise<MonitorRow[]> =>
  db
    .selectFrom('monitor')
    .select(COLUMNS)
    .where('organization', '=', organization)
    .where('deleted_at', 'is', null)
    .$if(ids !== undefined, (query) => query.where(sql<boolean>`id = any(${ids}::uuid[])`))
    .execute()

const selectMonitors = (db: Db, organization: number, ids: readonly string[]) =>
  db
    .selectFrom('monitor')
    .select(COLUMNS)
    .where('organization', '=', organization)
    .where('id', 'in', ids)
    .where('deleted_at', 'is', null)

/**
 * As `findMonitors`, locked until the transaction ends, in the order of ids to prevent deadlocks. Lock a monitor before its
 * schedule and its status.
 */
export function lockMonitors(db: Db, organization: number, ids: readonly string[]): Promise<MonitorRow[]> {
  return selectMonitors(db, organization, ids).orderBy('id').forUpdate().execute()
}

/** The surrogate of a monitor in the tables of checks, locked until the transaction ends where it says so; undefined across organizations. */
export async function findMonitorNumber(db: Db, organization: number, id: string, isLocked = false): Promise<number | undefined> {
  const row = await db
    .selectFrom('monitor')
    .select('number')
    .where('organization', '=', organization)
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .$if(isLocked, (query) => query.forNoKeyUpdate())
    .executeTakeFirst()
  return row?.number
}

export async function countMonitors(db: Db, organization: number): Promise<number> {
  const row = await db
    .selectFrom('monitor')
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .where('organization', '=', organization)
    .where('deleted_at', 'is', null)
    .executeTakeFirstOrThrow()
  return row.total
}

/** Inserts monitors and returns their rows, in order. */
export async function insertMonitors(
  db: Db,
  organization: number,
  monitors: readonly MonitorColumns[],
  at: Date,
): Promise<MonitorRow[]> {
  const rows = monitors.map(({ assertions, options, depends_on, links, active_hours, ...columns }) => ({
    ...columns,
    organization,
    options: JSON.stringify(options),
    assertions: JSON.stringify(assertions),
    depends_on: JSON.stringify(depends_on),
    links: JSON.stringify(links),
    active_hours: JSON.stringify(active_hours),
    created_at: at,
    updated_at: at,
  }))
  const inserted = await db.insertInto('monitor').values(rows).returning(['id', 'number']).execute()
  const numbers = new Map(inserted.map(({ id, number }) => [id, number]))
  return monitors.map((columns) => ({
    ...columns,
    number: numbers.get(columns.id) as number,
    managed: null,
    created_at: at,
    updated_at: at,
  }))
}

/** Replaces the definitions of these monitors. */
export async function updateMonitors(db: Db, organization: number, monitors: readonly MonitorColumns[], at: Date): Promise<void> {
  const given = monitors.map((columns) => ({
    ...columns,
    request_encrypted: columns.request_encrypted && `\\x${columns.request_encrypted.toString('hex')}`,
  }))
  await sql`
    update monitor set
      name = given.name, type = given.type, url = given.url, method = given.method, interval_seconds = given.interval_seconds,
      timeout_seconds = given.timeout_seconds, regions = given.regions, request_encrypted = given.request_encrypted,
      options = given.options, assertions = given.assertions, follow_redirects = given.follow_redirects, verify_tls = given.verify_tls,
      confirmations = given.confirmations, tags = given.tags, server_id = given.server_id, depends_on = given.depends_on,
      description = given.description, runbook_url = given.runbook_url, responsible = given.responsible, links = given.links,
      active_hours = given.active_hours,
      updated_at = ${at}
    from jsonb_to_recordset(${JSON.stringify(given)}::jsonb) as given (
      id uuid, name text, type text, url text, method text, interval_seconds int, timeout_seconds smallint, regions text[],
      request_encrypted bytea, options jsonb, assertions jsonb, follow_redirects boolean, verify_tls boolean, confirmations smallint, tags text[],
      server_id uuid, depends_on jsonb, description text, runbook_url text, responsible text, links jsonb, active_hours jsonb
    )
    where monitor.organization = ${organization} and monitor.id = given.id`.execute(db)
}

/** Marks monitors as deleted. */
/** `alerts` are the rules and windows that are deleted with a monitor, by its id. */
export async function markDeleted(
  db: Db,
  organization: number,
  ids: readonly string[],
  alerts: ReadonlyMap<string, TargetAlerts>,
  at: Date,
): Promise<void> {
  const texts = ids.map((id) => (alerts.has(id) ? JSON.stringify(alerts.get(id)) : null))
  await sql`
    update monitor set deleted_at = ${at}, deleted_alerts = given.alerts::jsonb
    from unnest(${ids}::uuid[], ${texts}::text[]) as given (id, alerts)
    where organization = ${organization} and monitor.id = given.id`.execute(db)
}

/** The rules and windows that were deleted with these monitors. */
export async function readDeletedAlerts(db: Db, organization: number, ids: readonly string[]): Promise<TargetAlerts[]> {
  const rows = await db
    .selectFrom('monitor')
    .select('deleted_alerts')
    .where('organization', '=', organization)
    .where('id', 'in', ids)
    .where('deleted_alerts', 'is not', null)
    .execute()
  return rows.map(({ deleted_alerts }) => deleted_alerts as TargetAlerts)
}

export type DeletedRow = Pick<TableRow<'monitor'>, 'id' | 'name' | 'url' | 'tags'> & { deleted_at: Date }

/** One page of the deleted monitors, the last deleted first, and the total. */
export async function listDeleted(
  db: Db,
  organization: number,
  page: PageRequest,
): Promise<{ total: number; rows: DeletedRow[] }> {
  const query = db
    .selectFrom('monitor')
    .select(['id', 'name', 'url', 'tags', 'deleted_at'])
    .where('organization', '=', organization)
    .where('deleted_at', 'is not', null)
  const { total, rows } = await readPage(db, query, sql`deleted_at desc, id desc`, page)
  return { total, rows: rows as DeletedRow[] }
}

/** Those of these monitors that are deleted, locked until the transaction ends, in the order of ids to prevent deadlocks. */
export async function lockDeleted(db: Db, organization: number, ids: readonly string[]): Promise<MonitorRow[]> {
  if (ids.length === 0) return []
  return db
    .selectFrom('monitor')
    .select(COLUMNS)
    .where('organization', '=', organization)
    .where('id', 'in', ids)
    .where('deleted_at', 'is not', null)
    .orderBy('id')
    .forUpdate()
    .execute()
}

export async function unmarkDeleted(db: Db, organization: number, ids: readonly string[], at: Date): Promise<void> {
  await db
    .updateTable('monitor')
    .set({ deleted_at: null, deleted_alerts: null, updated_at: at })
    .where('organization', '=', organization)
    .where('id', 'in', ids)
    .execute()
}

/** Some monitors of any organization that were deleted before an instant. */
export function listDeletedBefore(db: Db, before: Date, limit: number): Promise<{ organization: number; number: number }[]> {
  return db
    .selectFrom('monitor')
    .select(['organization', 'number'])
    .where('deleted_at', '<', before)
    .orderBy('deleted_at')
    .limit(limit)
    .execute()
}

/** Removes deleted monitors for good; those that were restored meanwhile stay. Returns the numbers of the removed ones. */
export async function removeDeleted(db: Db, organization: number, numbers: readonly number[]): Promise<number[]> {
  const rows = await db
    .deleteFrom('monitor')
    .where('organization', '=', organization)
    .where('number', 'in', numbers)
    .where('deleted_at', 'is not', null)
    .returning('number')
    .execute()
  return rows.map(({ number }) => number)
}

/** Some monitors of any organization whose hours begin or end until an instant, the longest due first. */
export const listDueHours = (db: Db, until: Date, limit: number): Promise<{ organization: number; id: string }[]> =>
  db
    .selectFrom('monitor')
    .select(['organization', 'id'])
    .where('hours_change_at', '<=', until)
    .where('deleted_at', 'is', null)
    .orderBy('hours_change_at')
    .limit(limit)
    .execute()

/** Of these monitors, when their hours change next, by number. */
export async function readHoursChanges(db: Db, organization: number, ids: readonly string[]): Promise<Map<number, Date | null>> {
  const rows = await db
    .selectFrom('monitor')
    .select(['number', 'hours_change_at'])
    .where('organization', '=', organization)
    .where('id', 'in', ids)
    .execute()
  return new Map(rows.map(({ number, hours_change_at: at }) => [number, at]))
}

/** Whether hours of any organization begin or end until an instant. */
export const hasDueHours = async (db: Db, until: Date): Promise<boolean> => (await listDueHours(db, until, 1)).length > 0

/** The topic of its announcements: hours were set or changed. */
export const HOURS_TOPIC = 'active_hours'

export async function updateHoursChange(db: Db, organization: number, id: string, at: Date | null): Promise<void> {
  if (at) await announceChange(db, HOURS_TOPIC)
  await db
    .updateTable('monitor')
    .set({ hours_change_at: at })
    .where('organization', '=', organization)
    .where('id', '=', id)
    .execute()
}

/** Removes a deleted server from its monitors. */
export async function clearServer(db: Db, organization: number, serverId: string): Promise<void> {
  await db
    .updateTable('monitor')
    .set({ server_id: null })
    .where('organization', '=', organization)
    .where('server_id', '=', serverId)
    .execute()
}
