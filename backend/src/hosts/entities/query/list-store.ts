import { sql } from 'kysely'
import { type Db, foldCase } from '../../../platform/db/index.ts'
import type { EntityRow } from '../storage/entity-store.ts'

export interface NamedServer {
  number: number
  id: string
  name: string
  /** Of its newest sample; 0 without any. */
  sampledAtMs: number
}

/** The servers of an organization: one of them, or those with a tag, or all. */
export async function listServers(
  db: Db,
  organization: number,
  { id, tag }: { id?: string; tag?: string | undefined },
): Promise<NamedServer[]> {
  const { rows } = await sql<NamedServer>`
    select number, id, coalesce(display_name, hostname) as name, sampled_at_ms as "sampledAtMs"
    from server join server_newest using (organization, id) where organization = ${organization}
      ${id === undefined ? sql`` : sql`and id = ${id}`} ${tag === undefined ? sql`` : sql`and tags @> ${[tag]}::text[]`}`.execute(
    db,
  )
  return rows
}

/** Enough of an entity to filter and sort by. */
export interface EntityHead extends Pick<EntityRow, 'server' | 'number' | 'name' | 'last_seen'> {
  /** The attribute that was named. */
  attribute: string | null
}

export interface HeadFilter {
  kind: number | undefined
  /** Part of the name or of an attribute, in any case. */
  text: string | undefined
  /** The name of an attribute to read. */
  attribute?: string | undefined
  /** Only these: what a server has now is little of what it has had. */
  among?: readonly Pick<EntityRow, 'server' | 'number'>[]
}

/** The entities of these servers that match. */
export async function listHeads(
  db: Db,
  organization: number,
  servers: readonly number[],
  { kind, text, attribute, among }: HeadFilter,
): Promise<EntityHead[]> {
  const given =
    among &&
    sql`unnest(${among.map(({ server }) => server)}::int4[], ${among.map(({ number }) => number)}::int4[])
    as given (server, number) join`
  const folded = foldCase(sql`${text ?? ''}::text`)
  const hasText = sql`(strpos(${foldCase(sql`name`)}, ${folded}) > 0 or exists (
    select from jsonb_each_text(attributes) as attribute where strpos(${foldCase(sql`attribute.value`)}, ${folded}) > 0
  ))`
  const { rows } = await sql<EntityHead>`
    select entity.server, entity.number, name, last_seen,
      ${attribute === undefined ? sql`null` : sql`attributes ->> ${attribute}`} as attribute from ${given ?? sql``} entity
    ${given ? sql`on entity.organization = ${organization} and entity.server = given.server and entity.number = given.number` : sql``}
    where entity.organization = ${organization} and entity.server = any(${servers}::int4[])
      ${kind === undefined ? sql`` : sql`and kind = ${kind}`} ${text === undefined ? sql`` : sql`and ${hasText}`}`.execute(db)
  return rows
}

/** How many entities of a server there are of each kind. */
export async function countKinds(db: Db, organization: number, server: number): Promise<{ kind: number; count: number }[]> {
  const { rows } = await sql<{ kind: number; count: number }>`
    select kind, count(*)::int4 as count from entity where organization = ${organization} and server = ${server} group by kind`.execute(
    db,
  )
  return rows
}

/** Whole entities, in any order. */
export async function findEntities(
  db: Db,
  organization: number,
  keys: readonly Pick<EntityRow, 'server' | 'number'>[],
): Promise<EntityRow[]> {
  const { rows } = await sql<EntityRow>`
    select entity.* from unnest(
      ${keys.map(({ server }) => server)}::int4[], ${keys.map(({ number }) => number)}::int4[]
    ) as given (server, number)
    join entity on entity.organization = ${organization} and entity.server = given.server and entity.number = given.number`.execute(
    db,
  )
  return rows
}

/** An entity of one server, by its id. */
export function findEntity(db: Db, organization: number, server: number, id: string): Promise<EntityRow | undefined> {
  return db
    .selectFrom('entity')
    .selectAll()
    .where('organization', '=', organization)
    .where('server', '=', server)
    .where('id', '=', id)
    .executeTakeFirst()
}
