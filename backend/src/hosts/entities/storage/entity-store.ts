import { MAX_ENTITIES_PER_SERVER } from '@vedette/shared'
import { sql } from 'kysely'
import { binaryArray, type Db, inTransaction, type TableRow } from '../../../platform/db/index.ts'
import { newId } from '../../../platform/ids.ts'
import { lockServer } from '../../servers/index.ts'

/** An entity by the number of its kind and its name. */
export interface NamedEntity {
  kind: number
  name: string
  /** Undefined: as they are. */
  attributes: Record<string, string> | undefined
  /** When it was seen with them, ms. */
  attributesAtMs: number
  /** When it was seen, ms. */
  atMs: number
}

export type EntityRow = TableRow<'entity'>
type NumberedEntity = Pick<EntityRow, 'number' | 'kind' | 'name' | 'first_seen'>

/** Those of a server that are known, by kind and name. */
export async function findNumbers(
  db: Db,
  organization: number,
  server: number,
  wanted: readonly Pick<NamedEntity, 'kind' | 'name'>[],
): Promise<NumberedEntity[]> {
  const { rows } = await sql<NumberedEntity>`
    select number, entity.kind, entity.name, first_seen from unnest(
      ${wanted.map(({ kind }) => kind)}::int2[], ${wanted.map(({ name }) => name)}::text[]
    ) as given (kind, name)
    join entity on entity.organization = ${organization} and entity.server = ${server}
      and entity.kind = given.kind and entity.name = given.name`.execute(db)
  return rows
}

/**
 * Gives numbers to those of a server that have none, as far as there is room, and stores their attributes unless newer ones are there.
 * Returns all that have a number; undefined where the server is gone.
 */
export function saveEntities(
  db: Db,
  organization: number,
  serverId: string,
  entities: readonly NamedEntity[],
): Promise<NumberedEntity[] | undefined> {
  return inTransaction(db, async (transaction) => {
    const server = await lockServer(transaction, organization, serverId)
    if (!server) return undefined
    const known = await findNumbers(transaction, organization, server.number, entities)
    const keyOf = ({ kind, name }: Pick<NamedEntity, 'kind' | 'name'>) => `${kind}/${name}`
    const numbers = new Map(known.map((row) => [keyOf(row), row.number]))
    const firstSeen = new Map(known.map((row) => [row.number, row.first_seen]))
    const isNew = (one: NamedEntity) => !numbers.has(keyOf(one))
    if (entities.some(isNew)) {
      let last = await lastNumber(transaction, organization, server.number)
      const room = MAX_ENTITIES_PER_SERVER - last.count
      for (const one of entities.filter(isNew).slice(0, Math.max(0, room))) numbers.set(keyOf(one), (last.number += 1))
    }
    const rows = entities.flatMap((one) => {
      const number = numbers.get(keyOf(one))
      return number === undefined ? [] : [{ ...one, number }]
    })
    await upsert(transaction, organization, server.number, rows)
    return rows.map((row) => ({ ...row, first_seen: Math.min(row.atMs, firstSeen.get(row.number) ?? row.atMs) }))
  })
}

async function lastNumber(db: Db, organization: number, server: number): Promise<{ number: number; count: number }> {
  const row = await db
    .selectFrom('entity')
    .select((eb) => [eb.fn.max<number | null>('number').as('number'), eb.fn.countAll<number>().as('count')])
    .where('organization', '=', organization)
    .where('server', '=', server)
    .executeTakeFirstOrThrow()
  return { number: row.number ?? 0, count: row.count }
}

async function upsert(
  db: Db,
  organization: number,
  server: number,
  rows: readonly (NamedEntity & { number: number })[],
): Promise<void> {
  if (rows.length === 0) return
  await sql`
    insert into entity (organization, server, number, id, kind, name, attributes, attributes_at, first_seen, last_seen)
    select ${organization}::int4, ${server}::int4, number, id, kind, name, coalesce(attributes::jsonb, '{}'),
      case when attributes is null then 0 else attributes_at end, at, at
    from unnest(
      ${binaryArray.int4(rows.map(({ number }) => number))}::int4[], ${rows.map(() => newId())}::uuid[],
      ${binaryArray.int2(rows.map(({ kind }) => kind))}::int2[], ${rows.map(({ name }) => name)}::text[],
      ${rows.map(({ attributes }) => (attributes ? JSON.stringify(attributes) : null))}::text[],
      ${binaryArray.int8(rows.map(({ attributesAtMs }) => attributesAtMs))}::int8[], ${binaryArray.int8(rows.map(({ atMs }) => atMs))}::int8[]
    ) as given (number, id, kind, name, attributes, attributes_at, at)
    on conflict (organization, server, number) do update set
      attributes = case when excluded.attributes_at > entity.attributes_at then excluded.attributes else entity.attributes end,
      attributes_at = greatest(excluded.attributes_at, entity.attributes_at),
      first_seen = least(excluded.first_seen, entity.first_seen),
      last_seen = greatest(excluded.last_seen, entity.last_seen)`.execute(db)
}

/** When entities were last seen, by number, ms. */
export async function updateLastSeen(
  db: Db,
  organization: number,
  server: number,
  seen: ReadonlyMap<number, number>,
): Promise<void> {
  if (seen.size === 0) return
  await sql`
    update entity set last_seen = given.at
    from unnest(${binaryArray.int4([...seen.keys()])}::int4[], ${binaryArray.int8([...seen.values()])}::int8[]) as given (number, at)
    where organization = ${organization} and server = ${server} and entity.number = given.number and last_seen < given.at`.execute(
    db,
  )
}

/** Removes those that were last seen before the instant: their numbers are never given again while a newer one is there. */
export async function deleteEntitiesBefore(db: Db, ms: number): Promise<void> {
  await db.deleteFrom('entity_event').where('at', '<', ms).execute()
  await db.deleteFrom('entity').where('last_seen', '<', ms).execute()
}

/** Everything about the entities of a server that is deleted, or of a whole organization. */
export async function deleteEntities(db: Db, organization: number, server?: number): Promise<void> {
  for (const table of ['entity_push', 'entity_chunk', 'entity_event', 'entity'] as const) {
    const all = db.deleteFrom(table).where('organization', '=', organization)
    await (server === undefined ? all : all.where('server', '=', server)).execute()
  }
}
