import { sql } from 'kysely'
import { type Db, type PageRequest, readPage, type TableRow } from '../../platform/db/index.ts'

const COLUMNS = ['id', 'at', 'text', 'tags', 'server_id', 'monitor_id', 'url', 'created_at'] as const

export type AnnotationRow = Pick<TableRow<'annotation'>, (typeof COLUMNS)[number]>

export interface AnnotationFilter {
  /** Inclusive. */
  from: Date | undefined
  /** Exclusive. */
  to: Date | undefined
  /** All of them are required. */
  tags: readonly string[]
}

/** One page by the time at which it happened, newest first, and the total at the same instant. */
export function listAnnotations(
  db: Db,
  organization: number,
  { from, to, tags }: AnnotationFilter,
  page: PageRequest,
): Promise<{ total: number; rows: AnnotationRow[] }> {
  const query = db
    .selectFrom('annotation')
    .select(COLUMNS)
    .where('organization', '=', organization)
    .$if(from !== undefined, (select) => select.where('at', '>=', from as Date))
    .$if(to !== undefined, (select) => select.where('at', '<', to as Date))
    .$if(tags.length > 0, (select) => select.where('tags', '@>', sql<string[]>`${tags}::text[]`))
  return readPage(db, query, sql`at desc, id desc`, page)
}

export async function insertAnnotation(db: Db, organization: number, row: AnnotationRow): Promise<void> {
  await db
    .insertInto('annotation')
    .values({ organization, ...row })
    .execute()
}

/** Of all organizations. */
export async function deleteBefore(db: Db, before: Date): Promise<void> {
  await db.deleteFrom('annotation').where('at', '<', before).execute()
}
