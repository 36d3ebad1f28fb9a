import type { PageLanguage, PageShow, PageVisibility, PostImpact, PostStatus, PostType } from '@vedette/shared'

// What may leave: a copy of a page holds nothing else of its organization.

export type ComponentStatus = 'operational' | 'degraded' | 'down' | 'maintenance' | 'paused' | 'unknown'
/** Of the whole page, the worst last. */
export const OVERALL = ['operational', 'unknown', 'maintenance', 'degraded', 'partial_outage', 'major_outage'] as const
export type Overall = (typeof OVERALL)[number]

export interface PageRegion {
  name: string
  /** `inconclusive`: no check of the region counted lately, because its own network did not work. */
  status: 'operational' | 'degraded' | 'down' | 'inconclusive'
}

/** A member of a composite. */
export interface PageMember {
  name: string
  status: ComponentStatus
}

export const FIGURE_PERIODS = ['24h', '7d', '30d', '90d'] as const
export type FigurePeriod = (typeof FIGURE_PERIODS)[number]

export interface PageComponent {
  /** Id of the monitor on the wire. */
  id: string
  name: string
  status: ComponentStatus
  show: readonly PageShow[]
  /** 90 UTC days, oldest first; null for a day without conclusive checks. */
  days: (number | null)[]
  /** Seconds of each of these days in which it was down; 0 where only single checks failed. Absent in a copy of an earlier version. */
  downSeconds?: number[]
  /** Over the 90 days, percent; null without checks. */
  uptimePercent: number | null
  /** Hourly means of the last 24 hours, ms, oldest first. */
  responseMs: (number | null)[]
  /** Of the last 24 hours; null without a response. */
  avgResponseMs: number | null
  /** For badges: what the section shows, as the stats give it; null without checks or a response. */
  periods: Partial<Record<FigurePeriod, { uptimePercent: number | null; avgResponseMs: number | null }>>
  regions: PageRegion[]
  /** Of a composite; absent where its section does not show them. */
  members?: PageMember[]
}

export interface PageSection {
  name: string
  components: PageComponent[]
}

export interface PostUpdate {
  atMs: number
  status: PostStatus
  text: string
}

export interface PagePost {
  /** Id on the wire. */
  id: string
  type: PostType
  title: string
  impact: PostImpact
  status: PostStatus
  /** Ids on the wire of the components that it affects. */
  components: string[]
  startsAtMs: number
  endsAtMs: number | null
  resolvedAtMs: number | null
  createdAtMs: number
  updatedAtMs: number
  /** Newest first. */
  updates: PostUpdate[]
}

export interface PageModel {
  /** Id on the wire. */
  id: string
  slug: string
  /** A proven domain. */
  domain: string | null
  title: string
  description: string
  logo: string | null
  accent: string | null
  theme: 'auto' | 'light' | 'dark'
  timeZone: string
  language: PageLanguage
  visibility: PageVisibility
  indexed: boolean
  createdAtMs: number
  /** When it was read, ms. */
  readAtMs: number
  overall: Overall
  sections: PageSection[]
  /** Those of the last year and those that are open or planned, newest first. */
  posts: PagePost[]
}

const BY_IMPACT = {
  none: 'operational',
  minor: 'degraded',
  major: 'partial_outage',
  critical: 'major_outage',
} as const satisfies Record<PostImpact, Overall>

/** The worst of what the components are and of the impacts of open incidents. */
export function overallOf(
  components: readonly Pick<PageComponent, 'status'>[],
  posts: readonly Pick<PagePost, 'type' | 'status' | 'impact'>[],
): Overall {
  const incidents = posts.filter((post) => post.type === 'incident' && isOpen(post))
  const all = new Set<Overall>([overallOfComponents(components), ...incidents.map(({ impact }) => BY_IMPACT[impact])])
  return OVERALL.findLast((overall) => all.has(overall)) ?? 'operational'
}

/** The worst decides; only part of them down is a partial outage. */
function overallOfComponents(components: readonly Pick<PageComponent, 'status'>[]): Overall {
  const statuses = components.map(({ status }) => status).filter((status) => status !== 'paused')
  const count = (status: ComponentStatus) => statuses.filter((one) => one === status).length
  const down = count('down')
  if (down > 0) return down === statuses.length ? 'major_outage' : 'partial_outage'
  if (count('degraded') > 0) return 'degraded'
  if (count('maintenance') > 0) return 'maintenance'
  return statuses.length > 0 && count('unknown') === statuses.length ? 'unknown' : 'operational'
}

/** Posts that are not over: incidents that are not resolved, and maintenance that is planned or under way. */
export const isOpen = ({ status }: Pick<PagePost, 'status'>): boolean => status !== 'resolved' && status !== 'completed'

/** The status of a maintenance follows from its times, unless it was ended. */
export function maintenanceStatus(startsAtMs: number, endsAtMs: number, nowMs: number): PostStatus {
  if (nowMs < startsAtMs) return 'scheduled'
  return nowMs < endsAtMs ? 'in_progress' : 'completed'
}
