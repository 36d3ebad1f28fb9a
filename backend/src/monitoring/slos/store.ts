import { MAX_SLO_MONITORS } from '@vedette/shared'
import { sql } from 'kysely'
import { type Db, type PageRequest, readPage, type TableRow } from '../../platform/db/index.ts'

const COLUMNS = [
  'id',
  'name',
  'target_id',
  'target_tag',
  'kind',
  'threshold_ms',
  'objective',
  'period',
  'time_zone',
  'created_at',
  'updated_at',
] as const

export type SloRow = Pick<TableRow<'slo'>, (typeof COLUMNS)[number]>

/** The definition of an SLO. */
export type SloColumns = Omit<SloRow, 'id' | 'created_at' | 'updated_at'>

export async function insertSlo(db: Db, organization: number, slo: SloColumns & { id: string }, at: Date): Promise<void> {
  await db
    .insertInto('slo')
    .values({ ...slo, organization, created_at: at, updated_at: at })
    .execute()
}

const slosOf = (db: Db, organization: number) => db.selectFrom('slo').select(COLUMNS).where('organization', '=', organization)

export const findSlo = (db: Db, organization: number, id: string): Promise<SloRow | undefined> =>
  slosOf(db, organization).where('id', '=', id).executeTakeFirst()

/** Locked until the transaction ends. Lock what the SLO refers to before. */
export const lockSlo = (db: Db, organization: number, id: string): Promise<SloRow | undefined> =>
  slosOf(db, organization).where('id', '=', id).forUpdate().executeTakeFirst()

export async function updateSlo(db: Db, organization: number, id: string, change: Partial<SloColumns>, at: Date): Promise<void> {
  await db
    .updateTable('slo')
    .set({ ...change, updated_at: at })
    .where('organization', '=', organization)
    .where('id', '=', id)
    .execute()
}

export async function deleteSlo(db: Db, organization: number, id: string): Promise<void> {
  await db.deleteFrom('slo').where('organization', '=', organization).where('id', '=', id).execute()
}

/** One page, newest first, and the total. */
export const listSlos = (db: Db, organization: number, page: PageRequest): Promise<{ total: number; rows: SloRow[] }> =>
  readPage(db, slosOf(db, organization), sql`created_at desc, id desc`, page)

/** The numbers of the monitors of an SLO, the oldest `limit`; none where they are deleted. */
export async function listSloMonitors(
  db: Db,
  organization: number,
  { target_id: id, target_tag: tag }: Pick<SloRow, 'target_id' | 'target_tag'>,
  limit = MAX_SLO_MONITORS,
): Promise<number[]> {
  const rows = await db
    .selectFrom('monitor')
    .select('number')
    .where('organization', '=', organization)
    .where('deleted_at', 'is', null)
    .$if(id !== null, (select) => select.where('id', '=', id as string))
    .$if(tag !== null, (select) => select.where('tags', '@>', sql<string[]>`array[${tag}]::text[]`))
    .orderBy('number')
    .limit(limit)
    .execute()
  return rows.map(({ number }) => number)
}

export type EvaluatedSlo = SloRow & { organization: number }

/** The next SLOs of all organizations after this one, in the order of organization and id. */
export function listNextSlos(
  db: Db,
  after: { organization: number; id: string } | undefined,
  limit: number,
): Promise<EvaluatedSlo[]> {
  return db
    .selectFrom('slo')
    .select([...COLUMNS, 'organization'])
    .$if(after !== undefined, (select) =>
      select.where(sql<boolean>`(organization, id) > (${after?.organization}::int, ${after?.id}::uuid)`),
    )
    .orderBy('organization')
    .orderBy('id')
    .limit(limit)
    .execute()
}
