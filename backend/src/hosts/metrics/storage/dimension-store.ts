import type { DimensionKind } from '@vedette/shared'
import { sql } from 'kysely'
import { type Db, type Pool, sourceOf } from '../../../platform/db/index.ts'
import { organizationsOf, serversOf } from './given-store.ts'
import type { ServerKey } from './keys.ts'
import { RENEWAL_DAYS } from './slot-lease.ts'

export interface SlotRow {
  kind: DimensionKind
  slot: number
  name: string
}

/** A slot with the last day of which it has samples, as `leaseOf` takes it. */
export interface LeasedSlot extends SlotRow {
  last_day: number
}

/** The slots of a server, by its id; none for one that is not there. */
export function readSlotsById(db: Db, organization: number, serverId: string): Promise<LeasedSlot[]> {
  return db
    .selectFrom('metric_dimension as dimension')
    .innerJoin('server', (join) =>
      join.onRef('server.organization', '=', 'dimension.organization').onRef('server.number', '=', 'dimension.server'),
    )
    .select(['dimension.kind', 'dimension.slot', 'dimension.name', 'dimension.last_day'])
    .where('dimension.organization', '=', organization)
    .where('server.organization', '=', organization)
    .where('server.id', '=', serverId)
    .execute()
}

export interface WantedSlots {
  organization: number
  serverId: string
}

/** The slots of many servers, in their order; none for one that is not there. */
export async function readSlotsOfMany(
  { queryNamed }: Pick<Pool, 'queryNamed'>,
  wanted: readonly WantedSlots[],
): Promise<LeasedSlot[][]> {
  const rows = await queryNamed<LeasedSlot & { ordinal: number }>({
    sql: SLOTS_OF_MANY,
    parameters: [wanted.map(({ organization }) => organization), wanted.map(({ serverId }) => serverId)],
  })
  const rowsByOrdinal = Map.groupBy(rows, ({ ordinal }) => ordinal)
  return wanted.map((_, index) => rowsByOrdinal.get(index + 1) ?? [])
}

/** The same in a transaction. */
export const readSlotsIn = (db: Db, wanted: readonly WantedSlots[]): Promise<LeasedSlot[][]> =>
  readSlotsOfMany(sourceOf(db), wanted)

const SLOTS_OF_MANY = `
select given.ordinal::int4 as ordinal, dimension.kind, dimension.slot, dimension.name, dimension.last_day
from unnest($1::int4[], $2::uuid[]) with ordinality as given (organization, id, ordinal)
join server on server.organization = given.organization and server.id = given.id
join metric_dimension as dimension on dimension.organization = given.organization and dimension.server = server.number`

/** The slots of one kind of a server, by name. */
export function readSlots(db: Db, organization: number, server: number, kind: DimensionKind): Promise<SlotRow[]> {
  return db
    .selectFrom('metric_dimension')
    .select(['kind', 'slot', 'name'])
    .where('organization', '=', organization)
    .where('server', '=', server)
    .where('kind', '=', kind)
    .orderBy('name')
    .execute()
}

/** The slots of servers of one organization, by server. */
export async function readSlotsOfServers(
  db: Db,
  organization: number,
  servers: readonly number[],
): Promise<Map<number, SlotRow[]>> {
  const { rows } = await sql<SlotRow & { server: number }>`
    select server, kind, slot, name from metric_dimension
    where organization = ${organization} and server = any(${servers}::int4[])`.execute(db)
  return Map.groupBy(rows, ({ server }) => server)
}

/** The mounts of many servers, in their order, by the slots that they have. */
export async function readMountsOfMany(
  db: Db,
  servers: readonly { organization: number; server: number }[],
): Promise<Map<number, string>[]> {
  const { rows } = await sql<{ ordinal: number; slot: number; name: string }>`
    select given.ordinal::int4 as ordinal, dimension.slot, dimension.name
    from unnest(${servers.map(({ organization }) => organization)}::int4[], ${servers.map(({ server }) => server)}::int4[])
      with ordinality as given (organization, server, ordinal)
    join metric_dimension as dimension
      on dimension.organization = given.organization and dimension.server = given.server and dimension.kind = 'mount'`.execute(db)
  const mounts = servers.map(() => new Map<number, string>())
  for (const { ordinal, slot, name } of rows) mounts[ordinal - 1]?.set(slot, name)
  return mounts
}

export interface ServerSlotRow extends LeasedSlot {
  organization: number
  server: number
}

/**
 * Assigns slots, in place of the names that had them. The caller locks the rows of the servers, so that no other transaction assigns
 * them.
 */
export async function storeSlots(db: Db, rows: readonly ServerSlotRow[]): Promise<void> {
  if (rows.length === 0) return
  await db
    .insertInto('metric_dimension')
    .values(rows)
    .onConflict((conflict) =>
      conflict.columns(['organization', 'server', 'kind', 'slot']).doUpdateSet((excluded) => ({
        name: excluded.ref('excluded.name'),
        last_day: excluded.ref('excluded.last_day'),
      })),
    )
    .execute()
}

/** Slots of servers of which a day was stored. */
export interface StoredSlots extends ServerKey {
  kind: DimensionKind
  slot: number
}

/** Records that these slots have samples of the day. What is recorded of the last RENEWAL_DAYS stays as it is. */
export async function renewSlots(db: Db, day: number, slots: readonly StoredSlots[]): Promise<void> {
  if (slots.length === 0) return
  await sql`
    update metric_dimension as dimension set last_day = ${day}::int4
    from unnest(
      ${organizationsOf(slots)}::int4[], ${serversOf(slots)}::int4[],
      ${slots.map(({ kind }) => kind)}::text[], ${slots.map(({ slot }) => slot)}::int2[]
    ) as given (organization, server, kind, slot)
    where dimension.organization = given.organization and dimension.server = given.server
      and dimension.kind = given.kind and dimension.slot = given.slot
      and dimension.last_day < ${day - RENEWAL_DAYS}::int4`.execute(db)
}
