import { sql } from 'kysely'
import { type Db, type PageRequest, readPage, type TableRow } from '../../../platform/db/index.ts'
import { isOnPage } from '../pages/store.ts'

const COLUMNS = [
  'id',
  'type',
  'title',
  'impact',
  'status',
  'monitors',
  'incident_id',
  'starts_at',
  'ends_at',
  'resolved_at',
  'notifies',
  'notice_at',
  'created_at',
  'updated_at',
] as const

export type PostRow = Pick<TableRow<'status_post'>, (typeof COLUMNS)[number]>
export type PostColumns = Omit<PostRow, 'id' | 'created_at' | 'updated_at'>
export type UpdateRow = Pick<TableRow<'status_post_update'>, 'id' | 'at' | 'status' | 'text'>

const postsOf = (db: Db, organization: number, pageId: string) =>
  db
    .selectFrom('status_post')
    .select(COLUMNS)
    .where('organization', '=', organization)
    .where('page_id', '=', pageId)
    .where(isOnPage('status_post'))

/** One page of the list, newest first, and the total. */
export function listPosts(db: Db, organization: number, pageId: string, page: PageRequest) {
  return readPage(db, postsOf(db, organization, pageId), sql`starts_at desc, id desc`, page)
}

export function findPost(db: Db, organization: number, pageId: string, id: string): Promise<PostRow | undefined> {
  return postsOf(db, organization, pageId).where('id', '=', id).executeTakeFirst()
}

/** Locked until the transaction ends. */
export function lockPost(db: Db, organization: number, pageId: string, id: string): Promise<PostRow | undefined> {
  return postsOf(db, organization, pageId).where('id', '=', id).forUpdate().executeTakeFirst()
}

/** Counts no further than `upTo`. */
export async function countPosts(db: Db, organization: number, pageId: string, upTo: number): Promise<number> {
  return (await postsOf(db, organization, pageId).clearSelect().select('id').limit(upTo).execute()).length
}

export async function insertPost(
  db: Db,
  organization: number,
  pageId: string,
  post: PostColumns & { id: string },
  at: Date,
): Promise<void> {
  await db
    .insertInto('status_post')
    .values({ ...post, organization, page_id: pageId, created_at: at, updated_at: at })
    .execute()
}

export async function updatePost(
  db: Db,
  organization: number,
  id: string,
  change: Partial<PostColumns>,
  at: Date,
): Promise<void> {
  await db
    .updateTable('status_post')
    .set({ ...change, updated_at: at })
    .where('organization', '=', organization)
    .where('id', '=', id)
    .execute()
}

/** When the times of a post are examined next. */
export async function setNotice(db: Db, organization: number, id: string, at: Date | null): Promise<void> {
  await db
    .updateTable('status_post')
    .set({ notice_at: at })
    .where('organization', '=', organization)
    .where('id', '=', id)
    .execute()
}

/** When the times of any maintenance are due to be examined next; null: there is none. */
export async function findNextNotice(db: Db): Promise<Date | null> {
  const { at } = await db
    .selectFrom('status_post')
    .select(({ fn }) => fn.min('notice_at').as('at'))
    .where('notice_at', 'is not', null)
    .where(isOnPage('status_post'))
    .executeTakeFirstOrThrow()
  return at
}

/** Maintenance whose times are due to be examined, of all organizations, the longest due first. */
export function listDuePosts(db: Db, now: Date, limit: number): Promise<{ organization: number; pageId: string; id: string }[]> {
  return db
    .selectFrom('status_post')
    .select(['organization', 'page_id as pageId', 'id'])
    .where('notice_at', '<=', now)
    .where(isOnPage('status_post'))
    .orderBy('notice_at')
    .limit(limit)
    .execute()
}

export async function deletePost(db: Db, organization: number, id: string): Promise<void> {
  await db.deleteFrom('status_post').where('organization', '=', organization).where('id', '=', id).execute()
}

/** Newest first. */
export function listUpdates(db: Db, organization: number, postId: string): Promise<UpdateRow[]> {
  return db
    .selectFrom('status_post_update')
    .select(['id', 'at', 'status', 'text'])
    .where('organization', '=', organization)
    .where('post_id', '=', postId)
    .orderBy('at', 'desc')
    .orderBy('id', 'desc')
    .execute()
}

export async function insertUpdate(db: Db, organization: number, postId: string, update: UpdateRow): Promise<void> {
  await db
    .insertInto('status_post_update')
    .values({ ...update, organization, post_id: postId })
    .execute()
}

/** The update with its new text; undefined where there is none. */
export function updateText(
  db: Db,
  organization: number,
  postId: string,
  id: string,
  text: string,
): Promise<UpdateRow | undefined> {
  return db
    .updateTable('status_post_update')
    .set({ text })
    .where('organization', '=', organization)
    .where('post_id', '=', postId)
    .where('id', '=', id)
    .returning(['id', 'at', 'status', 'text'])
    .executeTakeFirst()
}

export type LinkedIncident = Pick<TableRow<'incident'>, 'id' | 'at' | 'target_type' | 'target_id' | 'resolved_at'>

export function findLinkedIncident(db: Db, organization: number, id: string): Promise<LinkedIncident | undefined> {
  return db
    .selectFrom('incident')
    .select(['id', 'at', 'target_type', 'target_id', 'resolved_at'])
    .where('organization', '=', organization)
    .where('id', '=', id)
    .executeTakeFirst()
}

/** Monitors of an incident, of the incidents that opened because of it, and of the servers among both. */
export async function listMonitorsOf(db: Db, organization: number, incidentId: string): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    with target as (
      select target_id from incident where organization = ${organization} and (id = ${incidentId} or parent_id = ${incidentId})
    )
    select m.id from monitor as m
    where m.organization = ${organization} and m.deleted_at is null
      and (m.id in (select target_id from target) or m.server_id in (select target_id from target))`.execute(db)
  return rows.map(({ id }) => id)
}

/** When the present status of a monitor began; undefined for one that is deleted. */
export async function findStatusStart(db: Db, organization: number, monitorId: string): Promise<Date | undefined> {
  const { rows } = await sql<{ at: Date }>`
    select s.since as at from monitor as m join monitor_status as s on s.organization = m.organization and s.monitor = m.number
    where m.organization = ${organization} and m.id = ${monitorId} and m.deleted_at is null`.execute(db)
  return rows[0]?.at
}
