import type { SubscriberType } from '@vedette/shared'
import { sql } from 'kysely'
import { announceChange, type Db, type PageRequest, readPage, type TableRow } from '../../../platform/db/index.ts'
import type { Job, Queue } from '../../../platform/queue/index.ts'
import { isOnPage } from '../pages/store.ts'
import { readPageMonitors } from '../reading/store.ts'
import type { SubscriberKey } from './tokens.ts'

const COLUMNS = [
  'id',
  'type',
  'email',
  'config',
  'secrets_encrypted',
  'monitors',
  'confirmed_at',
  'mailed_at',
  'created_at',
] as const
export type SubscriberRow = Pick<TableRow<'status_subscriber'>, (typeof COLUMNS)[number]>
/** What only some types have. */
type NewSubscriber = SubscriberRow & Partial<Pick<TableRow<'status_subscriber'>, 'address_hash' | 'browser_encrypted'>>

/** A step of a post for one subscriber. */
interface StepPayload {
  subscriber_id: string
  post_id: string
  update_id: string
}
export type StepJob = Job<StepPayload>

/** Mails of steps; those of one subscriber follow each other. At 0.8 s a mail (four answers of a slow server) these send 25 a second; Postfix takes 50 connections of a client. */
export const STEP_MAILS: Queue<StepPayload> = { table: 'subscriber_mail', concurrency: 20, isOrdered: true, retrySpread: 0.2 }
export const STEP_WEBHOOKS: Queue<StepPayload> = { ...STEP_MAILS, table: 'subscriber_webhook' }
export const STEP_PUSHES: Queue<StepPayload> = { ...STEP_MAILS, table: 'subscriber_push' }

const subscribersOf = (db: Db, organization: number, pageId: string) =>
  db.selectFrom('status_subscriber').select(COLUMNS).where('organization', '=', organization).where('page_id', '=', pageId)

/** One page of the list, newest first, and the total. */
export function listSubscribers(db: Db, organization: number, pageId: string, page: PageRequest) {
  return readPage(db, subscribersOf(db, organization, pageId), sql`created_at desc, id desc`, page)
}

export function findSubscriber(db: Db, { organization, pageId, id }: SubscriberKey): Promise<SubscriberRow | undefined> {
  return subscribersOf(db, organization, pageId).where('id', '=', id).executeTakeFirst()
}

export function findByEmail(db: Db, organization: number, pageId: string, email: string): Promise<SubscriberRow | undefined> {
  return subscribersOf(db, organization, pageId).where('email', '=', email).executeTakeFirst()
}

/** The subscription of a visitor by the hash of its address. */
export function findByHash(db: Db, organization: number, pageId: string, hash: Buffer): Promise<SubscriberRow | undefined> {
  return subscribersOf(db, organization, pageId).where('address_hash', '=', hash).executeTakeFirst()
}

/** Webhooks that visitors gave a page and nobody has confirmed. */
export async function countUnconfirmedWebhooks(db: Db, organization: number, pageId: string): Promise<number> {
  const rows = await subscribersOf(db, organization, pageId)
    .where('type', '=', 'webhook')
    .where('confirmed_at', 'is', null)
    .execute()
  return rows.length
}

/** Those that are confirmed: others do not fill the list. Counts no further than `upTo`. */
export async function countSubscribers(db: Db, organization: number, pageId: string, upTo: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*)::int4 as count from (
    select from status_subscriber where organization = ${organization} and page_id = ${pageId} and confirmed_at is not null limit ${upTo}
  ) as counted`.execute(db)
  return rows[0]?.count ?? 0
}

/** False where the address has a subscription of the page. */
export async function insertSubscriber(db: Db, organization: number, pageId: string, row: NewSubscriber): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('status_subscriber')
    .values({ ...row, config: JSON.stringify(row.config), organization, page_id: pageId })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  return numInsertedOrUpdatedRows === 1n
}

/** Confirms it or changes its monitors; false where it has ended. */
export async function updateSubscriber(
  db: Db,
  { organization, id }: SubscriberKey,
  change: { confirmed_at: Date } | { monitors: string[] } | { mailed_at: Date | null },
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('status_subscriber')
    .set(change)
    .where('organization', '=', organization)
    .where('id', '=', id)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

export async function deleteSubscriber(db: Db, { organization, pageId, id }: SubscriberKey): Promise<SubscriberType | undefined> {
  const row = await db
    .deleteFrom('status_subscriber')
    .where('organization', '=', organization)
    .where('page_id', '=', pageId)
    .where('id', '=', id)
    .where(isOnPage('status_subscriber'))
    .returning('type')
    .executeTakeFirst()
  return row?.type
}

/** Of all organizations. */
export async function deleteUnconfirmed(db: Db, before: Date): Promise<void> {
  await db.deleteFrom('status_subscriber').where('confirmed_at', 'is', null).where('created_at', '<', before).execute()
}

/**
 * Stores a job for each subscriber of the page that a step concerns, with the transaction of the step. The id of a job follows from
 * step and subscriber: there is never a second one.
 */
export async function enqueueStep(
  db: Db,
  organization: number,
  { pageId, postId, updateId, monitors }: { pageId: string; postId: string; updateId: string; monitors: readonly string[] },
  at: Date,
): Promise<void> {
  const concerned = monitors.length === 0 ? sql`true` : sql`(s.monitors = '{}' or s.monitors && ${monitors}::uuid[])`
  for (const [{ table }, ofType] of [
    [STEP_MAILS, sql`s.type = 'email'`],
    [STEP_PUSHES, sql`s.type = 'browser'`],
    [STEP_WEBHOOKS, sql`s.type not in ('email', 'browser')`],
  ] as const) {
    await sql`
      insert into ${sql.table(table)} (id, organization, key, payload, created_at, next_attempt_at, attempts)
      select md5(${updateId}::text || s.id::text)::uuid, s.organization, s.id::text,
        jsonb_build_object('subscriber_id', s.id, 'post_id', ${postId}::text, 'update_id', ${updateId}::text), ${at}, ${at}, 0
      from status_subscriber as s join status_page as p on p.organization = s.organization and p.id = s.page_id
      where s.organization = ${organization} and s.page_id = ${pageId} and ${ofType} and s.confirmed_at is not null
        and p.published and p.deleted_at is null and ${concerned}
      on conflict do nothing`.execute(db)
    await announceChange(db, table)
  }
}

type PageColumns = Pick<
  TableRow<'status_page'>,
  'slug' | 'domain' | 'domain_verified_at' | 'title' | 'language' | 'time_zone' | 'sections' | 'visibility' | 'link_version'
>
/** What a step says, to whom. */
export interface Step extends PageColumns {
  page_id: string
  post_type: TableRow<'status_post'>['type']
  post_title: string
  impact: TableRow<'status_post'>['impact']
  monitors: string[]
  starts_at: Date
  ends_at: Date | null
  status: TableRow<'status_post_update'>['status']
  text: string
  at: Date
  /** Those of the monitors that are on the page, by name: of others nobody learns. */
  affected: { id: string; name: string }[]
  subscriber_type: SubscriberType
  email: string | null
  config: TableRow<'status_subscriber'>['config']
  secrets_encrypted: Buffer | null
  /** A visitor gave the address of the webhook. */
  by_visitor: boolean
  browser_encrypted: Buffer | null
}

/** Undefined where the post, the step or the subscription has ended. */
export async function readStep(db: Db, { organization, payload }: StepJob): Promise<Step | undefined> {
  const { rows } = await sql<Omit<Step, 'affected'>>`
    select page.id as page_id, page.slug, page.domain, page.domain_verified_at, page.title, page.language, page.time_zone,
      page.sections, page.visibility, page.link_version, post.type as post_type, post.title as post_title, post.impact, post.monitors,
      post.starts_at, post.ends_at, step.status, step.text, step.at, s.type as subscriber_type, s.email, s.config,
      s.secrets_encrypted, s.browser_encrypted,
      s.address_hash is not null as by_visitor
    from status_post_update as step
    join status_post as post on post.organization = step.organization and post.id = step.post_id
    join status_page as page on page.organization = post.organization and page.id = post.page_id
    join status_subscriber as s on s.organization = page.organization and s.page_id = page.id
    where step.organization = ${organization} and step.post_id = ${payload.post_id} and step.id = ${payload.update_id}
      and s.id = ${payload.subscriber_id} and page.deleted_at is null`.execute(db)
  const [row] = rows
  if (!row) return undefined
  const { monitors } = row
  const onPage = monitors.length === 0 ? [] : await readPageMonitors(db, organization, row)
  return { ...row, affected: onPage.filter(({ id }) => monitors.includes(id)) }
}
