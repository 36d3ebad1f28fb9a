import type { IdKind } from '@vedette/shared'
import { sql } from 'kysely'
import { type Db, once } from '../platform/db/index.ts'

/** What a mail tells of. */
export interface About {
  organization: number
  kind: IdKind
  id: string
}

export interface QueuedMail {
  id: string
  organization: number
  about_kind: IdKind
  about_id: string
  /** Sealed. */
  letter: Buffer
  created_at: Date
  /** Tries that failed. */
  tries: number
}

const COLUMNS = ['id', 'organization', 'about_kind', 'about_id', 'letter', 'created_at', 'tries'] as const

export async function insertMail(db: Db, id: string, about: About, letter: Buffer, at: Date): Promise<void> {
  const { organization, kind: about_kind, id: about_id } = about
  const times = { created_at: at, next_try_at: at }
  await db
    .insertInto('mail_outbox')
    .values({ id, organization, about_kind, about_id, letter, ...times, tries: 0 })
    .execute()
}

export interface Lease {
  at: Date
  /** Until then no other process sends what is taken; after it that is due again. */
  until: Date
  limit: number
  /** Only mails that were put in before. */
  putBefore?: Date
}

/** Takes mails that are due, those that have waited longest first. */
export function leaseMails(db: Db, { at, until, limit, putBefore }: Lease): Promise<QueuedMail[]> {
  const due = db
    .selectFrom('mail_outbox')
    .select('id')
    .where('next_try_at', '<=', at)
    .$if(putBefore !== undefined, (query) => query.where('created_at', '<', putBefore as Date))
    .orderBy('next_try_at')
    .limit(limit)
    .forUpdate()
    .skipLocked()
  return db
    .with(once('due'), () => due)
    .updateTable('mail_outbox')
    .set({ next_try_at: until })
    .where('id', 'in', (from) => from.selectFrom('due').select('id'))
    .returning([...COLUMNS])
    .execute()
}

export async function postponeMail(db: Db, id: string, tries: number, nextTryAt: Date): Promise<void> {
  await db.updateTable('mail_outbox').set({ tries, next_try_at: nextTryAt }).where('id', '=', id).execute()
}

/** False when it was deleted already: what it told of has changed. */
export async function deleteMail(db: Db, id: string): Promise<boolean> {
  return (await db.deleteFrom('mail_outbox').where('id', '=', id).returning('id').executeTakeFirst()) !== undefined
}

/** Forgets mails that would tell of what is no more. One that is being sent at this moment goes out all the same. */
export async function deleteMailsAbout(db: Db, organization: number, ids: readonly string[]): Promise<void> {
  await db
    .deleteFrom('mail_outbox')
    .where('organization', '=', organization)
    .where('about_id', '=', sql<string>`any(${ids}::uuid[])`)
    .execute()
}
