import type { ChannelFault, Role } from '@vedette/shared'
import { sql } from 'kysely'
import { IS_REFUSED } from '../../../access/auth/index.ts'
import { type Db, type PageRequest, readPage, type TableRow } from '../../../platform/db/index.ts'

export type BrowserRow = Pick<
  TableRow<'push_subscription'>,
  'id' | 'endpoint_hash' | 'encrypted' | 'user_agent' | 'created_at' | 'last_error'
>

const COLUMNS = ['id', 'endpoint_hash', 'encrypted', 'user_agent', 'created_at', 'last_error'] as const

export interface NewBrowser {
  id: string
  userId: string
  sessionId: string
  endpointHash: Buffer
  encrypted: Buffer
  userAgent: string
  at: Date
}

/** How many other browsers a user has. */
export async function countOthers(db: Db, userId: string, endpointHash: Buffer): Promise<number> {
  const { count } = await db
    .selectFrom('push_subscription')
    .select((eb) => eb.fn.countAll<string>().as('count'))
    .where('user_id', '=', userId)
    .where('endpoint_hash', '<>', endpointHash)
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** Removes this endpoint, also of another user: a browser has one user at a time. */
export async function deleteEndpoint(db: Db, endpointHash: Buffer): Promise<void> {
  await db.deleteFrom('push_subscription').where('endpoint_hash', '=', endpointHash).execute()
}

export function insertBrowser(db: Db, browser: NewBrowser): Promise<BrowserRow> {
  const { id, userId, sessionId, endpointHash, encrypted, userAgent, at } = browser
  return db
    .insertInto('push_subscription')
    .values({
      id,
      user_id: userId,
      session_id: sessionId,
      endpoint_hash: endpointHash,
      encrypted,
      user_agent: userAgent,
      created_at: at,
    })
    .returning(COLUMNS)
    .executeTakeFirstOrThrow()
}

/** One page of a user's browsers, newest first, and the total. */
export function listBrowsers(db: Db, userId: string, page: PageRequest): Promise<{ total: number; rows: BrowserRow[] }> {
  const query = db.selectFrom('push_subscription').select(COLUMNS).where('user_id', '=', userId)
  return readPage(db, query, sql`created_at desc, id`, page)
}

export function findBrowser(db: Db, userId: string, id: string): Promise<BrowserRow | undefined> {
  return db.selectFrom('push_subscription').select(COLUMNS).where('user_id', '=', userId).where('id', '=', id).executeTakeFirst()
}

/** False where the user has none of this id. */
export async function deleteBrowser(db: Db, userId: string, id: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('push_subscription')
    .where('user_id', '=', userId)
    .where('id', '=', id)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

/** The browsers of the members of an organization. */
export async function listBrowsersOfMembers(db: Db, organization: number): Promise<string[]> {
  const rows = await db
    .selectFrom('push_subscription')
    .innerJoin('membership', 'membership.user_id', 'push_subscription.user_id')
    .select('push_subscription.id')
    .where('membership.organization', '=', organization)
    .execute()
  return rows.map(({ id }) => id)
}

/** The browsers of these members of an organization. */
export async function listBrowsersOf(db: Db, organization: number, userIds: readonly string[]): Promise<string[]> {
  if (userIds.length === 0) return []
  const rows = await db
    .selectFrom('push_subscription')
    .innerJoin('membership', 'membership.user_id', 'push_subscription.user_id')
    .select('push_subscription.id')
    .where('membership.organization', '=', organization)
    .where('membership.user_id', 'in', userIds)
    .execute()
  return rows.map(({ id }) => id)
}

export type RecipientRow = BrowserRow & { user_id: string; organization_id: string; role: Role }

/** A browser, while its user is a member whom the organization does not refuse. */
export async function findRecipient(db: Db, organization: number, id: string): Promise<RecipientRow | undefined> {
  const { rows } = await sql<RecipientRow>`
    select browser.id, browser.endpoint_hash, browser.encrypted, browser.user_agent, browser.created_at, browser.last_error,
      browser.user_id, organization.id as organization_id, membership.role
    from push_subscription as browser
    join membership on membership.user_id = browser.user_id
    join organization on organization.number = membership.organization
    where browser.id = ${id} and membership.organization = ${organization} and not ${sql.raw(IS_REFUSED)}`.execute(db)
  return rows[0]
}

/** Records why the last delivery failed. */
export async function recordBrowserFailure(db: Db, id: string, fault: Omit<ChannelFault, 'attempts'>): Promise<void> {
  await sql`
    update push_subscription set last_error = ${JSON.stringify(fault)}::jsonb
      || jsonb_build_object('attempts', coalesce((last_error ->> 'attempts')::int, 0) + 1)
    where id = ${id}`.execute(db)
}

/** Records a successful delivery. */
export async function clearBrowserFailure(db: Db, id: string): Promise<void> {
  await db
    .updateTable('push_subscription')
    .set({ last_error: null })
    .where('id', '=', id)
    .where('last_error', 'is not', null)
    .execute()
}
