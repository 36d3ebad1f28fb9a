import type { AlertTargetType, Dependency } from '@vedette/shared'
import { sql } from 'kysely'
import type { Db } from '../../platform/db/index.ts'
import { keyOf } from './graph.ts'

/** A monitor that is down, or a server that is offline. */
export interface DownThing {
  type: AlertTargetType
  id: string
  name: string
  /** Its oldest open incident of that, if there is one that was not resolved by hand. */
  incident_id: string | null
}

/** Of a tag only so many are read: the thing that depends on the tag may have it itself. */
const PER_TAG = 2

/**
 * What is down among these, by the key of the dependency, the one that went down first in front. It reads only things that are
 * down: of a tag that thousands have, too.
 */
export async function findDown(db: Db, organization: number, named: readonly Dependency[]): Promise<Map<string, DownThing[]>> {
  if (named.length === 0) return new Map()
  const { rows } = await sql<DownThing & { n: number }>`
    with named as materialized (
      select * from unnest(${named.map(({ type }) => type)}::text[], ${named.map(({ id }) => id ?? null)}::uuid[],
        ${named.map(({ tag }) => tag ?? null)}::text[]) with ordinality as named (type, id, tag, n)
    ), down as materialized (
      select named.n, named.type, m.id, m.name, t.since
      from named join monitor as m on m.organization = ${organization} and m.id = named.id
      join monitor_status as t on t.organization = ${organization} and t.monitor = m.number
      where named.type = 'monitor' and t.status = 'down'
      union all
      select named.n, named.type, m.id, m.name, m.since from named cross join lateral (
        select m.id, m.name, t.since from monitor_status as t
        join monitor as m on m.organization = ${organization} and m.number = t.monitor
        where t.organization = ${organization} and t.status = 'down' and m.tags @> array[named.tag]
        order by t.since, m.id limit ${PER_TAG}
      ) as m where named.type = 'monitor' and named.tag is not null
      union all
      select named.n, named.type, s.id, coalesce(s.display_name, s.hostname), null
      from named join offline_server as o on o.organization = ${organization} and o.server_id = named.id
      join server as s on s.organization = ${organization} and s.id = named.id where named.type = 'server'
      union all
      select named.n, named.type, s.id, s.name, null from named cross join lateral (
        select s.id, coalesce(s.display_name, s.hostname) as name from offline_server as o
        join server as s on s.organization = ${organization} and s.id = o.server_id
        where o.organization = ${organization} and s.tags @> array[named.tag] order by s.id limit ${PER_TAG}
      ) as s where named.type = 'server' and named.tag is not null
    )
    select down.n::int4, down.type, down.id, down.name, (
      select o.incident_id from open_incident as o
      join alert_rule as r on r.organization = o.organization and r.id = o.rule_id
      where o.organization = ${organization} and o.target_id = down.id and not o.is_muted
        and r.metric = 'status' and r.value in ('"down"', '"offline"') and r.deleted_at is null
      order by o.incident_at, o.incident_id limit 1
    ) as incident_id
    from down order by down.n, down.since, down.id`.execute(db)
  return Map.groupBy(rows, ({ n }) => keyOf(named[n - 1] as Dependency))
}
