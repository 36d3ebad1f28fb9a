import type { CompositeMember, CompositeOptions, MonitorStatus } from '@vedette/shared'
import { sql } from 'kysely'
import { announceChange, type Db } from '../../../platform/db/index.ts'

/** With the number of an organization it names the lock under which its composites are computed. */
const COMPOSITES_LOCK = 730_528

/** The topic of its announcements: a composite was made or changed. */
export const COMPOSITE_TOPIC = 'composite'
export const announceComposites = (db: Db): Promise<void> => announceChange(db, COMPOSITE_TOPIC)

/**
 * Two members that change at once must see each other: composites are computed by one transaction at a time, after the rows of the
 * members have changed. Who changes the status of a composite by itself takes this lock before it.
 */
export async function lockComposites(db: Db, organization: number): Promise<void> {
  await sql`select pg_advisory_xact_lock(${COMPOSITES_LOCK}, ${organization})`.execute(db)
}

export interface CompositeRow {
  number: number
  id: string
  name: string
  tags: string[]
  options: CompositeOptions
  status: MonitorStatus
}

/** Monitors that changed: composites name them by id or by a tag. */
export interface ChangedMembers {
  ids: readonly string[]
  tags: readonly string[]
}

const COMPOSITES = sql`
  select m.number, m.id, m.name, m.tags, m.options, t.status
  from monitor as m join monitor_status as t on t.organization = m.organization and t.monitor = m.number`
const isComposite = (organization: number) =>
  sql`m.organization = ${organization} and m.type = 'composite' and m.deleted_at is null`

/** The composites that have one of these monitors as a member, directly or by a tag, and those with these numbers. */
export async function findCompositesOf(
  db: Db,
  organization: number,
  { ids, tags }: ChangedMembers,
  numbers: readonly number[] = [],
): Promise<CompositeRow[]> {
  const { rows } = await sql<CompositeRow>`${COMPOSITES}
    where ${isComposite(organization)} and (m.number = any(${numbers}::int[]) or exists (
      select from jsonb_array_elements(m.options -> 'members') as member
      where member ->> 'id' = any(${ids}::text[]) or (member ->> 'type' = 'monitor' and member ->> 'tag' = any(${tags}::text[]))
    ))`.execute(db)
  return rows
}

export async function listComposites(db: Db, organization: number): Promise<CompositeRow[]> {
  const { rows } = await sql<CompositeRow>`${COMPOSITES} where ${isComposite(organization)}`.execute(db)
  return rows
}

export async function hasComposites(db: Db): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`
    select exists (select from monitor where type = 'composite' and deleted_at is null) as found`.execute(db)
  return rows[0]?.found === true
}

/** Organizations that have composites: all, or those among these. */
export async function listOrganizations(db: Db, among?: readonly number[]): Promise<number[]> {
  const { rows } = await sql<{ organization: number }>`
    select distinct organization from monitor where type = 'composite' and deleted_at is null
      and ${among === undefined ? sql`true` : sql`organization = any(${among}::int[])`}`.execute(db)
  return rows.map(({ organization }) => organization)
}

/** The ids and tags of monitors, also of deleted ones. */
export async function readMemberNames(db: Db, organization: number, monitors: readonly number[]): Promise<ChangedMembers> {
  const rows = await db
    .selectFrom('monitor')
    .select(['id', 'tags'])
    .where('organization', '=', organization)
    .where('number', 'in', monitors)
    .execute()
  return { ids: rows.map(({ id }) => id), tags: rows.flatMap(({ tags }) => tags) }
}

export interface MonitorMember {
  type: 'monitor'
  id: string
  name: string
  /** Of the monitor. */
  kind: string
  tags: string[]
  status: MonitorStatus
  /** Whether its status rests on something: a conclusive check within three intervals, a ping, or members of its own. */
  is_checked: boolean
}

export interface ServerMember {
  type: 'server'
  id: string
  name: string
  tags: string[]
  is_offline: boolean
  /** Whether it has ever pushed. */
  is_seen: boolean
  is_critical: boolean
}

export interface EntityMember {
  type: 'entity'
  id: string
  server_id: string
  kind: number
  name: string
  state: string | null
  is_offline: boolean
  /** Whether the newest pushes still had it. */
  is_present: boolean
  /** The worst finding of the host's health that is about it. */
  severity: string | null
}

export interface MemberRows {
  monitors: MonitorMember[]
  servers: ServerMember[]
  entities: EntityMember[]
}

/** What is missing in pushes for longer is gone. */
const GONE_MS = 15 * 60_000

/** What these members stand for, each once; of a tag all that have it. */
export async function readMembers(
  db: Db,
  organization: number,
  members: readonly CompositeMember[],
  kindOf: (name: string) => number,
  nowMs: number,
): Promise<MemberRows> {
  const named = (type: 'monitor' | 'server') => ({
    ids: members.flatMap((member) => (member.type === type && member.id !== undefined ? [member.id] : [])),
    tags: members.flatMap((member) => (member.type === type && member.tag !== undefined ? [member.tag] : [])),
  })
  const entities = members.filter((member) => member.type === 'entity')
  const [monitors, servers] = [named('monitor'), named('server')]
  return {
    monitors: monitors.ids.length + monitors.tags.length === 0 ? [] : await readMonitorMembers(db, organization, monitors, nowMs),
    servers: servers.ids.length + servers.tags.length === 0 ? [] : await readServerMembers(db, organization, servers),
    entities: entities.length === 0 ? [] : await readEntityMembers(db, organization, entities, kindOf),
  }
}

async function readMonitorMembers(
  db: Db,
  organization: number,
  { ids, tags }: ChangedMembers,
  nowMs: number,
): Promise<MonitorMember[]> {
  const { rows } = await sql<MonitorMember>`
    select 'monitor' as type, m.id, m.name, m.type as kind, m.tags, t.status, m.type = 'composite' or exists (
      select from check_schedule as s
      where s.organization = m.organization and s.monitor = m.number and s.state is not null
        and (m.type = 'heartbeat' or s.last_conclusive_at >= ${nowMs}::bigint - 3000::bigint * s.interval_seconds)
    ) as is_checked
    from monitor as m join monitor_status as t on t.organization = m.organization and t.monitor = m.number
    where m.organization = ${organization} and m.deleted_at is null
      and (m.id = any(${ids}::uuid[]) or m.tags && ${tags}::text[])
    order by m.id`.execute(db)
  return rows
}

async function readServerMembers(db: Db, organization: number, { ids, tags }: ChangedMembers): Promise<ServerMember[]> {
  const { rows } = await sql<ServerMember>`
    select 'server' as type, s.id, coalesce(s.display_name, s.hostname) as name, s.tags, o.server_id is not null as is_offline,
      n.last_push_ms is not null as is_seen, coalesce(h.findings @> '[{"severity": "critical"}]', false) as is_critical
    from server as s join server_newest as n on n.organization = s.organization and n.id = s.id
    left join offline_server as o on o.organization = s.organization and o.server_id = s.id
    left join server_health as h on h.organization = s.organization and h.server_id = s.id
    where s.organization = ${organization} and (s.id = any(${ids}::uuid[]) or s.tags && ${tags}::text[])
    order by s.id`.execute(db)
  return rows
}

async function readEntityMembers(
  db: Db,
  organization: number,
  named: readonly { server_id: string; kind: string; name: string }[],
  kindOf: (name: string) => number,
): Promise<EntityMember[]> {
  const { rows } = await sql<EntityMember>`
    select 'entity' as type, e.id, s.id as server_id, e.kind, e.name,
      e.attributes ->> 'state' as state, o.server_id is not null as is_offline,
      e.last_seen >= n.sampled_at_ms - ${GONE_MS}::bigint as is_present, (
        select finding ->> 'severity' from jsonb_array_elements(h.findings) as finding
        where finding ->> 'entityId' = e.id::text limit 1
      ) as severity
    from unnest(${named.map(({ server_id: id }) => id)}::uuid[], ${named.map(({ kind }) => kindOf(kind))}::int2[],
      ${named.map(({ name }) => name)}::text[]) as given (server_id, kind, name)
    join server as s on s.organization = ${organization} and s.id = given.server_id
    join server_newest as n on n.organization = s.organization and n.id = s.id
    join entity as e on e.organization = s.organization and e.server = s.number and e.kind = given.kind and e.name = given.name
    left join offline_server as o on o.organization = s.organization and o.server_id = s.id
    left join server_health as h on h.organization = s.organization and h.server_id = s.id`.execute(db)
  return rows
}
