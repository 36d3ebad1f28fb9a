import type { IncidentSort, IncidentStatus, Severity } from '@vedette/shared'
import { sql } from 'kysely'
import { type Db, foldCase, type PageRequest, readPage } from '../../platform/db/index.ts'
import { COLUMNS, type IncidentRow } from './store.ts'
import type { TargetColumns } from './stories/target.ts'

export interface IncidentFilter {
  /** Any of these. */
  statuses: readonly IncidentStatus[] | undefined
  severity: Severity | undefined
  targetId: string | undefined
  storyId: string | undefined
  /** All of these, of the target as it is now. */
  tags: readonly string[]
  /** Part of the summary or of the name of the target, any case. */
  text: string | undefined
  /** Incidents that were open at some time from `from` until before `to`. */
  from: Date | undefined
  to: Date | undefined
}

export interface Order {
  by: IncidentSort
  descending: boolean
}

function matching(db: Db, organization: number, { statuses, severity, targetId, storyId, tags, text, from, to }: IncidentFilter) {
  return db
    .selectFrom('incident')
    .where('organization', '=', organization)
    .$if(statuses !== undefined, (select) => select.where('status', 'in', statuses as IncidentStatus[]))
    .$if(severity !== undefined, (select) => select.where('severity', '=', severity as Severity))
    .$if(targetId !== undefined, (select) =>
      select.where((eb) =>
        eb.or([
          eb('target_id', '=', targetId as string),
          eb.and([eb('series', '=', targetId as string), eb('external', 'is not', null)]),
        ]),
      ),
    )
    .$if(storyId !== undefined, (select) => select.where('story_id', '=', storyId as string))
    .$if(text !== undefined, (select) =>
      select.where((eb) => {
        const part = foldCase(sql`${text}::text`)
        const has = (column: 'summary' | 'target_name') => sql<boolean>`strpos(${foldCase(eb.ref(column))}, ${part}) > 0`
        return eb.or([has('summary'), has('target_name')])
      }),
    )
    .$if(from !== undefined, (select) =>
      select.where((eb) => eb.or([eb('resolved_at', 'is', null), eb('resolved_at', '>=', from as Date)])),
    )
    .$if(to !== undefined, (select) => select.where('at', '<', to as Date))
    .$if(tags.length > 0, (select) => select.where((eb) => eb.and(tags.map((tag) => hasTag(organization, tag)))))
}

/** Whether the target has a tag now, or a source gave it to the incident; `label:team=shop` is a label of it. */
function hasTag(organization: number, tag: string) {
  const [, name, value] = /^label:([^=]+)=(.*)$/s.exec(tag) ?? []
  const isLabel = name !== undefined && sql`or external -> 'labels' @> ${JSON.stringify({ [name]: value })}::jsonb`
  const tagged = (table: string) =>
    sql`select id from ${sql.table(table)} where organization = ${organization} and tags @> array[${tag}]::text[]`
  return sql<boolean>`(target_id in (${tagged('monitor')} union all ${tagged('server')}) or external -> 'tags' ? ${tag}
    ${isLabel || sql``})`
}

const SEVERITY_SQL = sql`case severity when 'critical' then 0 when 'warning' then 1 else 2 end`

/** One page and the total; ties are ordered by the opening, the newest first. */
export function listIncidents(
  db: Db,
  organization: number,
  filter: IncidentFilter,
  { by, descending }: Order,
  page: PageRequest,
): Promise<{ total: number; rows: IncidentRow[] }> {
  return readPage(db, matching(db, organization, filter).select(COLUMNS), sortBy({ by, descending }), page)
}

function sortBy({ by, descending }: Order) {
  const direction = descending ? sql`desc` : sql`asc`
  return by === 'severity' ? sql`${SEVERITY_SQL} ${direction}, at desc, id desc` : sql`at ${direction}, id desc`
}

export const STORY_SQL = sql<string>`coalesce(story_id, id)`

/** The incident that stands for a story, and how many it has. */
export type StoryRow = IncidentRow & { incident_count: number }

/** What depends on another target of the story does not stand for it. */
export const IS_BELOW_SQL = sql`coalesce(cause ->> 'kind' = 'parent' and id <> story_id, false)`

/** The most severe incident of each story, of several the oldest, with the number of those that match. */
export function listStories(
  db: Db,
  organization: number,
  filter: IncidentFilter,
  order: Order,
  page: PageRequest,
): Promise<{ total: number; rows: StoryRow[] }> {
  const ranked = matching(db, organization, filter).select([
    ...COLUMNS,
    sql<number>`row_number() over (partition by ${STORY_SQL} order by ${IS_BELOW_SQL}, ${SEVERITY_SQL}, at, id)`.as('place'),
    sql<number>`(count(*) over (partition by ${STORY_SQL}))::int`.as('incident_count'),
  ])
  const query = db
    .selectFrom(ranked.as('ranked'))
    .select([...COLUMNS, 'incident_count'])
    .where('place', '=', 1)
  const { by, descending } = order
  const direction = descending ? sql`desc` : sql`asc`
  // Of one severity the story with the most incidents comes first.
  const sort = by === 'severity' ? sql`${SEVERITY_SQL} ${direction}, incident_count desc, at desc, id desc` : sortBy(order)
  return readPage(db, query, sort, page)
}

export interface AffectedTarget extends TargetColumns {
  story_id: string
  total: number
}

/** Alerts of sources are targets of their own, also of one server. */
const EXTERNAL_ID = sql<string | null>`case when external is not null then series end`

/** The targets of the matching incidents of these stories, and how many they are: the first `limit` of each, by type and name. */
export async function listAffected(
  db: Db,
  organization: number,
  filter: IncidentFilter,
  storyIds: readonly string[],
  limit: number,
): Promise<AffectedTarget[]> {
  if (storyIds.length === 0) return []
  const targets = matching(db, organization, filter)
    .select(['story_id', 'target_type', 'target_id', EXTERNAL_ID.as('series')])
    .select((eb) => [eb.fn.max('target_name').as('target_name'), sql`max(external::text)::jsonb`.as('external')])
    .where('story_id', 'in', storyIds)
    .groupBy(['story_id', 'target_type', 'target_id', EXTERNAL_ID])
  const { rows } = await sql<AffectedTarget>`
    select * from (
      select t.*, (count(*) over (partition by story_id))::int as total,
        row_number() over (partition by story_id order by target_type, target_name, target_id) as place
      from (${targets}) as t
    ) as counted where place <= ${limit} order by story_id, place`.execute(db)
  return rows
}

/** How many incidents there are of each status, those of none left out; the status of the filter does not count. */
export async function countByStatus(db: Db, organization: number, filter: IncidentFilter): Promise<Map<IncidentStatus, number>> {
  const rows = await matching(db, organization, { ...filter, statuses: undefined })
    .select((eb) => ['status', eb.fn.countAll<string>().as('count')])
    .groupBy('status')
    .execute()
  return new Map(rows.map(({ status, count }) => [status, Number(count)]))
}
