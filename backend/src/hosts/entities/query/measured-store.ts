import type { EntityKindName } from '@vedette/shared'
import { sql } from 'kysely'
import { type Db, queryByOrganization } from '../../../platform/db/index.ts'
import { valueAt } from '@vedette/shared/metrics/block'
import { decodeReadings, valuesAt } from '../storage/readings.ts'

interface ServerKey {
  organization: number
  server: number
}

/** An end of a container that nobody requested. */
export interface EntityDeath {
  /** Of the entity, on its server. */
  number: number
  at: number
  oom: boolean
  exitCode: number | undefined
}

/** What was read last of a server, and the ends of its containers since an instant. */
export interface MeasuredEntities {
  atMs: number
  readings: { number: number; kind: EntityKindName; values: Record<string, number> }[]
  /** Oldest first. */
  deaths: EntityDeath[]
}

interface MeasuredRow {
  n: number
  at: number | null
  data: Buffer | null
  deaths: { entity: number; at: number; details: { oom?: boolean; exit_code?: number } }[] | null
}

/** Of each server, in their order; undefined for one without entities, or whose node is away. */
export async function readMeasured(
  db: Db,
  servers: readonly (ServerKey & { atMs: number })[],
  deathsMs: number,
): Promise<(MeasuredEntities | undefined)[]> {
  return queryByOrganization(db, servers, (own, some, organization) => query(own, some, organization, deathsMs))
}

async function query(
  db: Db,
  servers: readonly (ServerKey & { atMs: number })[],
  one: number | undefined,
  deathsMs: number,
): Promise<(MeasuredEntities | undefined)[]> {
  const organization = one === undefined ? sql`q.organization` : sql`${one}`
  const { rows } = await sql<MeasuredRow>`
    select q.n::int4, newest.at, newest.data, died.deaths
    from unnest(${servers.map((server) => server.organization)}::int[], ${servers.map(({ server }) => server)}::int[],
      ${servers.map(({ atMs }) => atMs - deathsMs)}::bigint[]) with ordinality as q (organization, server, since, n)
    cross join lateral (
      select at, data from entity_push where organization = ${organization} and server = q.server order by at desc limit 1
    ) as newest
    left join lateral (
      select jsonb_agg(jsonb_build_object('entity', entity, 'at', at, 'details', details - 'lines') order by at) as deaths
      from entity_event where organization = ${organization} and server = q.server and at >= q.since and type = 'died'
    ) as died on true`.execute(db)
  const found = servers.map((): MeasuredEntities | undefined => undefined)
  for (const { n, at, data, deaths } of rows)
    if (at !== null && data) found[n - 1] = { atMs: at, readings: decode(data), deaths: (deaths ?? []).map(toDeath) }
  return found
}

function decode(data: Buffer): MeasuredEntities['readings'] {
  return [...decodeReadings(data)].flatMap(([kind, columns]) =>
    Array.from({ length: columns.atMs.length }, (_, index) => ({
      number: valueAt(columns.atMs, index),
      kind,
      values: valuesAt(kind, columns, index),
    })),
  )
}

const toDeath = ({ entity: number, at, details }: NonNullable<MeasuredRow['deaths']>[number]): EntityDeath => ({
  number,
  at,
  oom: details.oom === true,
  exitCode: details.exit_code,
})

/** Names, attributes and ids of entities, in any order. */
export async function describeEntities(db: Db, keys: readonly (ServerKey & { number: number })[]): Promise<DescribedEntity[]> {
  if (keys.length === 0) return []
  const { rows } = await sql<DescribedEntity>`
    select entity.server, entity.number, entity.id, entity.name, entity.attributes from unnest(
      ${keys.map(({ organization }) => organization)}::int4[], ${keys.map(({ server }) => server)}::int4[],
      ${keys.map(({ number }) => number)}::int4[]
    ) as given (organization, server, number)
    join entity on entity.organization = given.organization and entity.server = given.server and entity.number = given.number`.execute(
    db,
  )
  return rows
}

export interface DescribedEntity {
  server: number
  number: number
  id: string
  name: string
  attributes: Record<string, string>
}
