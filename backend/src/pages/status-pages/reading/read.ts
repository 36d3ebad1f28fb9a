import { DAY_MS, type PageShow, type StatusPageSection, isWatched } from '@vedette/shared'
import { listUnderMaintenance } from '../../../alerting/alerts/index.ts'
import { avgResponseMs, countedState, readRegionStates, uptimePercent } from '../../../monitoring/checks/index.ts'
import type { Db } from '../../../platform/db/index.ts'
import { encodeId } from '../../../platform/ids.ts'
import { findPage, type PageRow } from '../pages/store.ts'
import { type PageFigures, readFigures } from './figures.ts'
import {
  type ComponentStatus,
  FIGURE_PERIODS,
  type FigurePeriod,
  maintenanceStatus,
  overallOf,
  type PageComponent,
  type PageModel,
  type PagePost,
  type PageRegion,
} from './model.ts'
import { readPageMembers } from './members.ts'
import * as store from './store.ts'

/** The last year of posts, and so many of them. */
const [POST_DAYS, MAX_POSTS] = [366, 500]
const MAX_COMPONENTS = 200

export interface ReadPage {
  row: PageRow
  model: PageModel
  /** For the next reading; undefined without monitors. */
  figures: PageFigures | undefined
}

/** The page as visitors may see it, published or not; undefined where there is none. `known`: of the reading before. */
export async function readPage(
  db: Db,
  organization: number,
  id: string,
  nowMs: number,
  known?: PageFigures,
): Promise<ReadPage | undefined> {
  const row = await findPage(db, organization, id)
  return row && readModel(db, organization, row, nowMs, known)
}

/** The page of a row, which need not be stored; its posts are those of its id. */
export async function readModel(
  db: Db,
  organization: number,
  row: PageRow,
  nowMs: number,
  known?: PageFigures,
): Promise<ReadPage> {
  const monitors = (await store.readPageMonitors(db, organization, row)).slice(0, MAX_COMPONENTS)
  const posts = (await store.listPagePosts(db, organization, row.id, new Date(nowMs - POST_DAYS * DAY_MS), MAX_POSTS)).map(
    (post) => toPost(post, nowMs),
  )
  const withTimes = row.sections.some(({ show }) => show?.includes('response'))
  const shown = { monitors: monitors.map(({ number }) => number), withTimes }
  const figures = monitors.length === 0 ? undefined : await readFigures(db, organization, shown, nowMs, known)
  const componentOf = figures && (await readComponents(db, organization, row, { monitors, figures, posts }, nowMs))
  const sections = row.sections.map((section) => ({
    name: section.name,
    components: monitorsOf(section, monitors).flatMap((monitor) => componentOf?.(monitor, section) ?? []),
  }))
  return {
    row,
    figures,
    model: {
      id: encodeId('statusPage', row.id),
      slug: row.slug,
      domain: row.domain_verified_at === null ? null : row.domain,
      title: row.title,
      description: row.description,
      logo: row.logo,
      accent: row.accent,
      theme: row.theme,
      timeZone: row.time_zone,
      language: row.language,
      visibility: row.visibility,
      indexed: row.indexed,
      createdAtMs: row.created_at.getTime(),
      readAtMs: nowMs,
      overall: overallOf(
        sections.flatMap(({ components }) => components),
        posts,
      ),
      sections,
      posts,
    },
  }
}

/** Stored ids of the monitors that a page shows; undefined where the organization has no such page. */
export async function listMonitorsOfPage(db: Db, organization: number, id: string): Promise<string[] | undefined> {
  const row = await findPage(db, organization, id)
  return row && (await store.readPageMonitors(db, organization, row)).slice(0, MAX_COMPONENTS).map((monitor) => monitor.id)
}

/** The monitors of a section: by id in its own order, by tag in the order of their names. */
function monitorsOf(section: StatusPageSection, monitors: readonly store.PageMonitor[]): store.PageMonitor[] {
  const { tag } = section
  if (tag !== undefined) return monitors.filter(({ tags }) => tags.includes(tag))
  const byId = new Map(monitors.map((monitor) => [encodeId('monitor', monitor.id), monitor]))
  return (section.monitors ?? []).flatMap((id) => byId.get(id) ?? [])
}

async function readComponents(
  db: Db,
  organization: number,
  row: PageRow,
  { monitors, figures, posts }: { monitors: readonly store.PageMonitor[]; figures: PageFigures; posts: readonly PagePost[] },
  nowMs: number,
): Promise<(monitor: store.PageMonitor, section: StatusPageSection) => PageComponent> {
  const { uptimes, means } = figures
  const showsRegions = row.sections.some(({ show }) => show?.includes('regions'))
  const regionNames = showsRegions ? await store.readRegionNames(db) : undefined
  const states = await readRegionStates(
    db,
    organization,
    monitors.map(({ number }) => number),
  )
  const regions = Map.groupBy(states, ({ monitor }) => monitor)
  const at = new Date(nowMs)
  const maintained = await listUnderMaintenance(
    db,
    organization,
    monitors.map(({ id }) => id),
    at,
  )
  const membersOf = await readPageMembers(db, organization, row.sections, monitors, nowMs)
  const announced = new Set(posts.flatMap(({ status, components }) => (status === 'in_progress' ? components : [])))
  return (monitor, section) => {
    const { names = {}, show = ['uptime'] } = section
    const id = encodeId('monitor', monitor.id)
    const counted = (regions.get(monitor.number) ?? []).map((region) => ({
      region: region.region,
      state: countedState(region, monitor.intervalSeconds * 1000, nowMs),
    }))
    const isMaintained = maintained.has(monitor.id) || announced.has(id)
    const uptime = uptimes.get(monitor.number)
    const periods = periodsOf(figures, monitor.number, show)
    const members = membersOf(monitor, section)
    return {
      id,
      name: names[id] ?? monitor.name,
      show,
      status: statusOf(monitor, counted, isMaintained),
      days: show.includes('uptime') ? (uptime?.days ?? []) : [],
      ...(show.includes('uptime') && { downSeconds: figures.downSeconds.get(monitor.number) ?? [] }),
      uptimePercent:
        show.includes('uptime') && uptime !== undefined && uptime.counts.checks > 0 ? uptimePercent(uptime.counts) : null,
      responseMs: show.includes('response') ? (means?.get(monitor.number) ?? []) : [],
      avgResponseMs: periods['24h']?.avgResponseMs ?? null,
      periods,
      // Those of a paused monitor are what they were when it was paused.
      regions:
        show.includes('regions') && isWatched(monitor.status)
          ? counted.map(({ region, state }) => ({
              name: regionNames?.get(region) ?? region,
              status: REGION_STATUS[state ?? 'none'],
            }))
          : [],
      ...(members && { members }),
    }
  }
}

function periodsOf({ counts }: PageFigures, monitor: number, show: readonly PageShow[]): PageComponent['periods'] {
  const [hasUptime, hasResponse] = [show.includes('uptime'), show.includes('response')]
  if (!hasUptime && !hasResponse) return {}
  const figuresOf = (period: FigurePeriod) => {
    const own = counts[period].get(monitor)
    return {
      uptimePercent: hasUptime && own && own.checks > 0 ? uptimePercent(own) : null,
      avgResponseMs: hasResponse && own && own.answered > 0 ? avgResponseMs(own) : null,
    }
  }
  return Object.fromEntries(FIGURE_PERIODS.map((period) => [period, figuresOf(period)]))
}

const REGION_STATUS = { up: 'operational', degraded: 'degraded', down: 'down', none: 'inconclusive' } as const satisfies Record<
  string,
  PageRegion['status']
>
const STATUS = { up: 'operational', degraded: 'degraded', down: 'down' } as const

/** Where no region counts, nobody knows; a heartbeat and a composite have no regions. */
function statusOf(
  { status, type }: store.PageMonitor,
  counted: readonly { state: unknown }[],
  isMaintained: boolean,
): ComponentStatus {
  if (!isWatched(status)) return 'paused'
  if (isMaintained) return 'maintenance'
  if (type !== 'heartbeat' && type !== 'composite' && counted.every(({ state }) => state === null)) return 'unknown'
  return STATUS[status]
}

function toPost(row: store.PostRow, nowMs: number): PagePost {
  const [startsAtMs, endsAtMs] = [row.starts_at.getTime(), row.ends_at?.getTime() ?? null]
  const isPlanned = row.type === 'maintenance' && row.resolved_at === null && endsAtMs !== null
  return {
    id: encodeId('post', row.id),
    type: row.type,
    title: row.title,
    impact: row.impact,
    status: isPlanned ? maintenanceStatus(startsAtMs, endsAtMs, nowMs) : row.status,
    components: row.monitors.map((id) => encodeId('monitor', id)),
    startsAtMs,
    endsAtMs,
    resolvedAtMs: row.resolved_at?.getTime() ?? (isPlanned && nowMs >= endsAtMs ? endsAtMs : null),
    createdAtMs: row.created_at.getTime(),
    updatedAtMs: row.updated_at.getTime(),
    updates: row.updates.map(({ at, status, text }) => ({ atMs: Date.parse(at), status, text })),
  }
}
