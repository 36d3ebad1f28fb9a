import { MAX_SLO_MONITORS } from '@vedette/shared'
import { sql } from 'kysely'
import { createResourceStore, type Db, type TableRow } from '../../platform/db/index.ts'

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
  'managed',
  'created_at',
  'updated_at',
] as const

export type SloRow = Pick<TableRow<'slo'>, (typeof COLUMNS)[number]>

/** The definition of an SLO. */
export type SloColumns = Omit<SloRow, 'id' | 'managed' | 'created_at' | 'updated_at'>

const slos = createResourceStore('slo', COLUMNS)

/** Lock what an SLO refers to before the SLO. */
export const {
  insert: insertSlo,
  find: findSlo,
  lock: lockSlo,
  update: updateSlo,
  remove: deleteSlo,
  list: listSlos,
  readAll: readSlos,
  deleted: deletedSlos,
} = slos

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

/** The same of several SLOs, by their ids. */
export async function listMonitorsOfSlos(
  db: Db,
  organization: number,
  sloIds: readonly string[],
): Promise<Map<string, number[]>> {
  const { rows } = await sql<{ id: string; monitors: number[] }>`
    select slo.id, array(
      select number from monitor
      where organization = ${organization} and deleted_at is null
        and (monitor.id = slo.target_id or tags @> array[slo.target_tag]::text[])
      order by number limit ${MAX_SLO_MONITORS}
    ) as monitors
    from slo where organization = ${organization} and id = any(${sloIds}::uuid[]) and deleted_at is null`.execute(db)
  return new Map(rows.map(({ id, monitors }) => [id, monitors]))
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
    .where('deleted_at', 'is', null)
    .$if(after !== undefined, (select) =>
      select.where(sql<boolean>`(organization, id) > (${after?.organization}::int, ${after?.id}::uuid)`),
    )
    .orderBy('organization')
    .orderBy('id')
    .limit(limit)
    .execute()
}
