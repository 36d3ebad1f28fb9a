import type { PostStatus } from '@vedette/shared'
import {
  type ComponentStatus,
  isOpen,
  type Overall,
  type PageComponent,
  type PageModel,
  type PagePost,
  type PageSection,
} from '../reading/model.ts'
import type { Rendered } from './rendered.ts'
import { type Formats, formatsOf } from './formats.ts'
import { absolute, type LinkContext, postLinks } from './links.ts'

// The documents of Atlassian Statuspage's public API v2, so that widgets and clients made for it read our pages.

/** As many as Statuspage gives. */
const MAX_POSTS = 50

const INDICATOR = {
  operational: 'none',
  unknown: 'none',
  // Documented nowhere; Statuspage's own pages give it.
  maintenance: 'maintenance',
  degraded: 'minor',
  partial_outage: 'major',
  major_outage: 'critical',
} as const satisfies Record<Overall, string>

/** Statuspage has no word for a component that nobody checks; its description says it. */
const STATUS = {
  operational: 'operational',
  degraded: 'degraded_performance',
  down: 'major_outage',
  maintenance: 'under_maintenance',
  paused: 'operational',
  unknown: 'operational',
} as const satisfies Record<ComponentStatus, string>
/** The worst last. */
const STATUSES = ['operational', 'under_maintenance', 'degraded_performance', 'partial_outage', 'major_outage']

type Render = (model: PageModel, context: LinkContext) => Rendered
type Part = (model: PageModel, context: LinkContext, formats: Formats) => object

const document =
  (...parts: Part[]): Render =>
  (model, context) => {
    const formats = formatsOf(model)
    const body = Object.assign({}, ...[pageOf, ...parts].map((part) => part(model, context, formats)))
    return { type: 'application/json; charset=utf-8', body: JSON.stringify(body) }
  }

const iso = (ms: number): string => new Date(ms).toISOString()
const isoOrNull = (ms: number | null): string | null => (ms === null ? null : iso(ms))

const pageOf: Part = ({ id, title, timeZone, readAtMs }, context) => ({
  page: { id, name: title, url: absolute(context, ''), time_zone: timeZone, updated_at: iso(readAtMs) },
})

const statusOf: Part = ({ overall }, _context, { texts }) => ({
  status: { indicator: INDICATOR[overall], description: texts.overall[overall] },
})

const componentsOf: Part = (model, _context, formats) => ({
  components: model.sections.flatMap((section, index) => groupOf(model, section, index, formats)),
})

/** A section as a group, and its components. A section has no id: its group is named by its position. */
function groupOf(model: PageModel, { name, components }: PageSection, index: number, { texts }: Formats): object[] {
  const groupId = `group-${index + 1}`
  const common = {
    // Never null there. A component is not on the page before the page.
    created_at: iso(model.createdAtMs),
    updated_at: iso(model.readAtMs),
    showcase: false,
    start_date: null,
    page_id: model.id,
    only_show_if_degraded: false,
  }
  const statuses = components.map(({ status }) => STATUS[status])
  const isOut = ({ status }: PageComponent) => status === 'down'
  const isPartial = components.some(isOut) && !components.every(isOut)
  const worst = STATUSES.findLast((status) => statuses.some((one) => one === status)) ?? 'operational'
  const ids = components.map(({ id }) => id)
  return [
    {
      id: groupId,
      name,
      status: isPartial ? 'partial_outage' : worst,
      position: index + 1,
      description: null,
      group: true,
      group_id: null,
      components: ids,
      ...common,
    },
    ...components.map(({ id, name: own, status }, position) => ({
      id,
      name: own,
      status: STATUS[status],
      position: position + 1,
      description: status === 'paused' || status === 'unknown' ? texts.component[status] : null,
      group: false,
      group_id: groupId,
      ...common,
    })),
  ]
}

const postsOf =
  (name: 'incidents' | 'scheduled_maintenances', isWanted: (post: PagePost) => boolean): Part =>
  (model, context, formats) => {
    const type = name === 'incidents' ? 'incident' : 'maintenance'
    const linkOf = postLinks(model, context, formats)
    const components = new Map(
      (componentsOf(model, context, formats) as { components: { id: string }[] }).components.map((one) => [one.id, one]),
    )
    const posts = model.posts.filter((post) => post.type === type && isWanted(post)).slice(0, MAX_POSTS)
    return { [name]: posts.map((post) => postOf(model, post, linkOf(post), components)) }
  }

function postOf({ id: pageId }: PageModel, post: PagePost, link: string, components: ReadonlyMap<string, object>): object {
  const { id, type, title, status, impact, startsAtMs, endsAtMs, resolvedAtMs, createdAtMs, updatedAtMs } = post
  const first = (name: PostStatus) => isoOrNull(post.updates.findLast((update) => update.status === name)?.atMs ?? null)
  return {
    id,
    name: title,
    status,
    impact: type === 'maintenance' ? 'maintenance' : impact,
    shortlink: link,
    page_id: pageId,
    created_at: iso(createdAtMs),
    updated_at: iso(updatedAtMs),
    started_at: iso(startsAtMs),
    monitoring_at: first('monitoring'),
    resolved_at: isoOrNull(resolvedAtMs),
    ...(type === 'maintenance' && { scheduled_for: iso(startsAtMs), scheduled_until: isoOrNull(endsAtMs) }),
    incident_updates: post.updates.map(({ atMs, status: was, text }) => ({
      id: `${id}-${atMs}`,
      incident_id: id,
      status: was,
      body: text,
      created_at: iso(atMs),
      updated_at: iso(atMs),
      display_at: iso(atMs),
      affected_components: null,
      custom_tweet: null,
      tweet_id: null,
    })),
    components: post.components.flatMap((one) => components.get(one) ?? []),
  }
}

const all = () => true
const current = postsOf('incidents', isOpen)
const upcoming = (post: PagePost) => post.status === 'scheduled'
const active = (post: PagePost) => post.status === 'in_progress'

/** By their paths below the page. */
export const STATUSPAGE_VIEWS: Readonly<Record<string, Render>> = {
  '/api/v2/summary.json': document(statusOf, componentsOf, current, postsOf('scheduled_maintenances', isOpen)),
  '/api/v2/status.json': document(statusOf),
  '/api/v2/components.json': document(componentsOf),
  '/api/v2/incidents.json': document(postsOf('incidents', all)),
  '/api/v2/incidents/unresolved.json': document(current),
  '/api/v2/scheduled-maintenances.json': document(postsOf('scheduled_maintenances', all)),
  '/api/v2/scheduled-maintenances/upcoming.json': document(postsOf('scheduled_maintenances', upcoming)),
  '/api/v2/scheduled-maintenances/active.json': document(postsOf('scheduled_maintenances', active)),
}
