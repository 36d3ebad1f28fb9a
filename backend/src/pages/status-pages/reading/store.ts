import { type MonitorStatus } from '@vedette/shared'
import { sql } from 'kysely'
import type { Db, TableRow } from '../../../platform/db/index.ts'
import { parseId } from '../../../platform/ids.ts'

export interface PublishedPage {
  organization: number
  id: string
  slug: string
  /** A proven domain. */
  domain: string | null
  updatedAtMs: number
}

/** Pages that visitors may see, of all organizations. */
export async function listPublished(db: Db): Promise<PublishedPage[]> {
  const rows = await db
    .selectFrom('status_page')
    .select(['organization', 'id', 'slug', 'domain', 'domain_verified_at', 'updated_at'])
    .where('published', '=', true)
    .where('deleted_at', 'is', null)
    .execute()
  return rows.map(({ organization, id, slug, domain, domain_verified_at: verifiedAt, updated_at: updatedAt }) => ({
    organization,
    id,
    slug,
    domain: verifiedAt === null ? null : domain,
    updatedAtMs: updatedAt.getTime(),
  }))
}

export interface PageMonitor {
  id: string
  number: number
  name: string
  type: string
  tags: string[]
  intervalSeconds: number
  status: MonitorStatus
}

/** Monitors with these ids or tags, by name. */
async function listPageMonitors(
  db: Db,
  organization: number,
  ids: readonly string[],
  tags: readonly string[],
): Promise<PageMonitor[]> {
  const { rows } = await sql<PageMonitor>`
    select m.id, m.number, m.name, m.type, m.tags, m.interval_seconds as "intervalSeconds", s.status
    from monitor as m join monitor_status as s on s.organization = m.organization and s.monitor = m.number
    where m.organization = ${organization} and m.deleted_at is null
      and (m.id = any(${ids}::uuid[]) or m.tags && ${tags}::text[])
    order by m.name, m.id`.execute(db)
  return rows
}

/** Monitors that the page names, or that have one of its tags, by name. */
export function readPageMonitors(
  db: Db,
  organization: number,
  { sections }: Pick<TableRow<'status_page'>, 'sections'>,
): Promise<PageMonitor[]> {
  const ids = sections.flatMap(({ monitors = [] }) => monitors.flatMap((id) => parseId('monitor', id) ?? []))
  const tags = sections.flatMap(({ tag }) => tag ?? [])
  return listPageMonitors(db, organization, ids, tags)
}

export type PostRow = Omit<TableRow<'status_post'>, 'organization' | 'page_id' | 'incident_id'> & {
  updates: { at: string; status: TableRow<'status_post_update'>['status']; text: string }[]
}

/** Posts of a page that are open or ended since then, newest first, with their updates, newest first. */
export async function listPagePosts(
  db: Db,
  organization: number,
  pageId: string,
  since: Date,
  limit: number,
): Promise<PostRow[]> {
  const { rows } = await sql<PostRow>`
    select p.id, p.type, p.title, p.impact, p.status, p.monitors, p.starts_at, p.ends_at, p.resolved_at, p.created_at, p.updated_at,
      coalesce((
        select json_agg(json_build_object('at', u.at, 'status', u.status, 'text', u.text) order by u.at desc, u.id desc)
        from status_post_update as u where u.organization = p.organization and u.post_id = p.id
      ), '[]') as updates
    from status_post as p
    where p.organization = ${organization} and p.page_id = ${pageId}
      and (coalesce(p.resolved_at, p.ends_at) is null or coalesce(p.resolved_at, p.ends_at) >= ${since})
    order by p.starts_at desc, p.id desc limit ${limit}`.execute(db)
  return rows
}

/** Names of regions by their ids. */
export async function readRegionNames(db: Db): Promise<Map<string, string>> {
  const rows = await db.selectFrom('region').select(['id', 'name']).execute()
  return new Map(rows.map(({ id, name }) => [id, name]))
}

/** Seconds in which monitors were down, by UTC day since 1970, in [fromMs, toMs); days without are absent. */
export async function readDownDays(
  db: Db,
  organization: number,
  monitors: readonly number[],
  fromMs: number,
  toMs: number,
): Promise<{ monitor: number; day: number; seconds: number }[]> {
  const [from, to] = [new Date(fromMs), new Date(toMs)]
  const { rows } = await sql<{ monitor: number; day: number; seconds: number }>`
    with change as (
      select monitor, at, from_status, to_status,
        lag(at) over own is null as is_first, lead(at, 1, ${to}) over own as next_at
      from monitor_transition
      where organization = ${organization} and monitor = any(${monitors}::int[]) and at >= ${from} and at < ${to}
      window own as (partition by monitor order by at, id)
    ), down as (
      select monitor, at as starts, next_at as ends from change where to_status = 'down'
      union all select monitor, ${from}, at from change where is_first and from_status = 'down'
      union all select s.monitor, greatest(s.since, ${from}), ${to} from monitor_status as s
        where s.organization = ${organization} and s.monitor = any(${monitors}::int[]) and s.status = 'down'
          and not exists (select from change where change.monitor = s.monitor)
    ), spans as (
      select monitor, extract(epoch from lower(part))::float8 as starts, extract(epoch from upper(part))::float8 as ends
      from down cross join lateral unnest(tstzmultirange(tstzrange(least(starts, ends), ends)) - coalesce((
        select range_agg(tstzrange(from_at, to_at)) from reclassification as r
        where r.organization = ${organization} and r.monitor = down.monitor and r.counts_as <> 'counted'
      ), '{}'::tstzmultirange)) as part
    )
    select monitor, day, round(sum(least(ends, (day + 1) * 86400) - greatest(starts, day * 86400)))::int4 as seconds
    from spans cross join lateral generate_series(floor(starts / 86400)::int4, floor(ends / 86400)::int4) as day
    group by monitor, day having sum(least(ends, (day + 1) * 86400) - greatest(starts, day * 86400)) >= 0.5
    order by monitor, day`.execute(db)
  return rows
}
