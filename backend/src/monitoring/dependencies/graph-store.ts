import type { AlertTargetType, Dependency } from '@vedette/shared'
import { sql } from 'kysely'
import type { Db } from '../../platform/db/index.ts'
import type { Dependent } from './graph.ts'

/** With the number of an organization it names the lock under which its dependencies change. */
const DEPENDENCIES_LOCK = 730_527

/**
 * Keeps other transactions of the organization from changing dependencies until this one ends: two changes that make a cycle only
 * together would not see each other. Take it after the rows that change.
 */
export async function lockDependencies(db: Db, organization: number): Promise<void> {
  await sql`select pg_advisory_xact_lock(${DEPENDENCIES_LOCK}, ${organization})`.execute(db)
}

const namedBy = (all: readonly Dependency[], wanted: AlertTargetType) => {
  const ofType = all.filter(({ type }) => type === wanted)
  return { ids: ofType.flatMap(({ id }) => id ?? []), tags: ofType.flatMap(({ tag }) => tag ?? []) }
}

/** What a monitor depends on, and what it is made of where it is a composite. */
const DEPENDS_ON = sql`depends_on || case when type = 'composite' then coalesce((
    select jsonb_agg(case when member ->> 'type' = 'entity' then jsonb_build_object('type', 'server', 'id', member -> 'server_id')
      else member - 'weight' - 'required' end)
    from jsonb_array_elements(options -> 'members') as member
  ), '[]') else '[]' end`

/**
 * The monitors and servers among those that are named here which depend on others themselves, at most `limit`. A composite depends on its
 * members.
 */
export async function readDependents(
  db: Db,
  organization: number,
  named: readonly Dependency[],
  limit: number,
): Promise<Dependent[]> {
  const [monitors, servers] = [namedBy(named, 'monitor'), namedBy(named, 'server')]
  const { rows } = await sql<Dependent>`
    select 'monitor' as type, id, name, tags, ${DEPENDS_ON} as depends_on from monitor
    where organization = ${organization} and (depends_on <> '[]' or type = 'composite') and deleted_at is null
      and (id = any(${monitors.ids}::uuid[]) or tags && ${monitors.tags}::text[])
    union all
    select 'server', id, coalesce(display_name, hostname), tags, depends_on from server
    where organization = ${organization} and depends_on <> '[]'
      and (id = any(${servers.ids}::uuid[]) or tags && ${servers.tags}::text[])
    limit ${limit}`.execute(db)
  return rows
}

/** The stored ids of the monitors and servers among these that are there. */
export async function findExisting(db: Db, organization: number, named: readonly Dependency[]): Promise<Set<string>> {
  const [monitors, servers] = [namedBy(named, 'monitor').ids, namedBy(named, 'server').ids]
  if (monitors.length + servers.length === 0) return new Set()
  const { rows } = await sql<{ id: string }>`
    select id from monitor where organization = ${organization} and id = any(${monitors}::uuid[]) and deleted_at is null
    union all
    select id from server where organization = ${organization} and id = any(${servers}::uuid[])`.execute(db)
  return new Set(rows.map(({ id }) => id))
}
