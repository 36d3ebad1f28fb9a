import type { Assertion, CheckMethod } from '@vedette/shared'
import { sql } from 'kysely'
import type { Db } from '../platform/db/index.ts'

/** What people define, as it is stored. */
export interface MonitorColumns {
  id: string
  name: string
  type: string
  url: string
  method: CheckMethod
  interval_seconds: number
  timeout_seconds: number
  regions: string[]
  request_sealed: Buffer | null
  assertions: Assertion[]
  follow_redirects: boolean
  verify_tls: boolean
  confirmations: number
  tags: string[]
  server_id: string | null
}

export interface MonitorRow extends MonitorColumns {
  /** Compact surrogate in the tables of checks. */
  number: number
  created_at: Date
  updated_at: Date
}

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
  'request_sealed',
  'assertions',
  'follow_redirects',
  'verify_tls',
  'confirmations',
  'tags',
  'server_id',
  'created_at',
  'updated_at',
] as const

/** Those of these monitors that the organization has, in no order. */
export async function findMonitors(db: Db, organization: number, ids: readonly string[]): Promise<MonitorRow[]> {
  const rows = await db
    .selectFrom('monitor')
    .select(COLUMNS)
    .where('organization', '=', organization)
    .where('id', 'in', ids)
    .execute()
  return rows as MonitorRow[]
}

/**
 * As `findMonitors`, locked until the transaction ends; by id, so that no two who want several of them wait for each other.
 * Whoever changes a monitor takes it before its schedule and its status.
 */
export async function lockMonitors(db: Db, organization: number, ids: readonly string[]): Promise<MonitorRow[]> {
  const rows = await db
    .selectFrom('monitor')
    .select(COLUMNS)
    .where('organization', '=', organization)
    .where('id', 'in', ids)
    .orderBy('id')
    .forUpdate()
    .execute()
  return rows as MonitorRow[]
}

/** The surrogate of a monitor in the tables of checks; undefined across organizations. */
export async function findMonitorNumber(db: Db, organization: number, id: string): Promise<number | undefined> {
  const row = await db
    .selectFrom('monitor')
    .select('number')
    .where('organization', '=', organization)
    .where('id', '=', id)
    .executeTakeFirst()
  return row?.number
}

export async function countMonitors(db: Db, organization: number): Promise<number> {
  const row = await db
    .selectFrom('monitor')
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .where('organization', '=', organization)
    .executeTakeFirstOrThrow()
  return row.total
}

/** Stores new monitors and gives their surrogates by id. */
export async function insertMonitors(
  db: Db,
  organization: number,
  monitors: readonly MonitorColumns[],
  at: Date,
): Promise<Map<string, number>> {
  const rows = monitors.map(({ assertions, ...columns }) => ({
    ...columns,
    organization,
    assertions: JSON.stringify(assertions),
    created_at: at,
    updated_at: at,
  }))
  const inserted = await db.insertInto('monitor').values(rows).returning(['id', 'number']).execute()
  return new Map(inserted.map(({ id, number }) => [id, number]))
}

/** Replaces what is defined of these monitors. */
export async function updateMonitors(db: Db, organization: number, monitors: readonly MonitorColumns[], at: Date): Promise<void> {
  const given = monitors.map((columns) => ({
    ...columns,
    request_sealed: columns.request_sealed && `\\x${columns.request_sealed.toString('hex')}`,
  }))
  await sql`
    update monitor set
      name = given.name, type = given.type, url = given.url, method = given.method, interval_seconds = given.interval_seconds,
      timeout_seconds = given.timeout_seconds, regions = given.regions, request_sealed = given.request_sealed,
      assertions = given.assertions, follow_redirects = given.follow_redirects, verify_tls = given.verify_tls,
      confirmations = given.confirmations, tags = given.tags, server_id = given.server_id, updated_at = ${at}
    from jsonb_to_recordset(${JSON.stringify(given)}::jsonb) as given (
      id uuid, name text, type text, url text, method text, interval_seconds int, timeout_seconds smallint, regions text[],
      request_sealed bytea, assertions jsonb, follow_redirects boolean, verify_tls boolean, confirmations smallint, tags text[],
      server_id uuid
    )
    where monitor.organization = ${organization} and monitor.id = given.id`.execute(db)
}

export async function deleteMonitors(db: Db, organization: number, ids: readonly string[]): Promise<void> {
  await db.deleteFrom('monitor').where('organization', '=', organization).where('id', 'in', ids).execute()
}

/** Lets go of a server that is deleted. */
export async function forgetServer(db: Db, organization: number, serverId: string): Promise<void> {
  await db
    .updateTable('monitor')
    .set({ server_id: null })
    .where('organization', '=', organization)
    .where('server_id', '=', serverId)
    .execute()
}

/** What is sealed of a monitor of any organization. */
export interface SealedRow {
  organization: number
  id: string
  request_sealed: Buffer
}

/** Monitors of the whole installation that have something sealed, in the order of their keys, from behind `after` on. */
export async function listSealed(
  db: Db,
  after: Pick<SealedRow, 'organization' | 'id'> | undefined,
  limit: number,
): Promise<SealedRow[]> {
  const rows = await db
    .selectFrom('monitor')
    .select(['organization', 'id', 'request_sealed'])
    .where('request_sealed', 'is not', null)
    .$if(after !== undefined, (query) =>
      query.where(sql<boolean>`(organization, id) > (${after?.organization}::int, ${after?.id}::uuid)`),
    )
    .orderBy('organization')
    .orderBy('id')
    .limit(limit)
    .execute()
  return rows as SealedRow[]
}

/** Puts what was sealed anew in its place, where nothing else has taken it meanwhile. */
export async function replaceSealed(db: Db, rows: readonly (SealedRow & { anew: Buffer | null })[]): Promise<void> {
  const column = <T>(pick: (row: SealedRow & { anew: Buffer | null }) => T) => rows.map(pick)
  await sql`
    update monitor set request_sealed = given.anew
    from unnest(${column(({ organization }) => organization)}::int[], ${column(({ id }) => id)}::uuid[],
      ${column((row) => row.request_sealed)}::bytea[], ${column(({ anew }) => anew)}::bytea[])
      as given (organization, id, before, anew)
    where monitor.organization = given.organization and monitor.id = given.id and monitor.request_sealed = given.before`.execute(
    db,
  )
}
