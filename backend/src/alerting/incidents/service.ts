import {
  type AcknowledgeIncidentBody,
  INCIDENT_STATUSES,
  type Incident,
  type IncidentItem,
  type IncidentList,
  type IncidentListItem,
  type IncidentListQuery,
  type IncidentSort,
  MAX_AFFECTED,
  MAX_CHILD_INCIDENTS,
  toTimestamp,
} from '@vedette/shared'
import { type Actor, recordAudit } from '../../access/audit/index.ts'
import { type Principal, type Tenant, tenantOf } from '../../access/auth/index.ts'
import { type Db, inTransaction, type PageRequest } from '../../platform/db/index.ts'
import { invalid, notFound } from '../../platform/errors.ts'
import { parseId } from '../../platform/ids.ts'
import { countsOf } from '../../platform/lists.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { instantAt } from '../../platform/time/instant.ts'
import { acknowledgeStory } from './acknowledge.ts'
import * as lists from './list-store.ts'
import * as store from './store.ts'
import { resolveIncident } from './lifecycle.ts'
import { toIncidentEvent, toIncidentItem, toStoryItem } from './wire.ts'

export interface IncidentDeps {
  db: Db
  clock: Clock
}

/** One page of the organization's incidents, that match the query. */
export async function listIncidents(
  { db }: IncidentDeps,
  tenant: Tenant,
  query: Omit<IncidentListQuery, keyof PageRequest>,
  { page, limit }: PageRequest,
): Promise<IncidentList> {
  const { sort = '-opened_at' } = query
  const filter: lists.IncidentFilter = {
    statuses: query.status,
    severity: query.severity,
    targetId: query.target === undefined ? undefined : targetId(query.target),
    storyId: query.story === undefined ? undefined : storyId(query.story),
    tags: query.tag ?? [],
    text: query.q,
    from: query.from === undefined ? undefined : instantAt('from', query.from),
    to: query.to === undefined ? undefined : instantAt('to', query.to),
  }
  const order = { by: sort.replace(/^-/, '') as IncidentSort, descending: sort.startsWith('-') }
  const [{ total, incidents }, counts] = await Promise.all([
    (query.group === 'story' ? pageOfStories : pageOfIncidents)(db, tenant.number, filter, order, { page, limit }),
    query.include === 'counts' ? lists.countByStatus(db, tenant.number, filter) : undefined,
  ])
  return { incidents, total, page, limit, ...(counts && { counts: countsOf(INCIDENT_STATUSES, counts) }) }
}

type PageOf = (...of: Parameters<typeof lists.listIncidents>) => Promise<{ total: number; incidents: IncidentListItem[] }>

const pageOfIncidents: PageOf = async (...of) => {
  const { total, rows } = await lists.listIncidents(...of)
  return { total, incidents: rows.map(toIncidentItem) }
}

/** One item for each story, and for each incident that is alone. */
const pageOfStories: PageOf = async (db, organization, filter, order, page) => {
  const { total, rows } = await lists.listStories(db, organization, filter, order, page)
  return { total, incidents: await toStoryItems(db, organization, filter, rows) }
}

/** The items of stories with what the incidents that match the filter are about. */
export async function toStoryItems(
  db: Db,
  organization: number,
  filter: lists.IncidentFilter,
  rows: readonly Omit<lists.StoryRow, 'evidence'>[],
): Promise<IncidentListItem[]> {
  const storyIds = rows.flatMap(({ story_id: id }) => id ?? [])
  const targets = await lists.listAffected(db, organization, filter, storyIds, MAX_AFFECTED)
  const affected = Map.groupBy(targets, ({ story_id: id }) => id)
  return rows.map((row) => toStoryItem(row, affected.get(row.story_id ?? '') ?? [{ ...row, total: 1 }]))
}

/** Throws validation_error for what is no id of an incident. */
function storyId(text: string): string {
  const id = parseId('incident', text)
  if (id === undefined) throw invalid({ path: 'story', message: 'must be the id of an incident' })
  return id
}

const TARGET_KINDS = ['monitor', 'server', 'slo', 'series', 'external'] as const

/** Throws validation_error for what is the id of nothing that incidents are about; one that is deleted or unknown has none. */
function targetId(text: string): string {
  const [id] = TARGET_KINDS.flatMap((kind) => parseId(kind, text) ?? [])
  if (id === undefined)
    throw invalid({ path: 'target', message: 'must be the id of a monitor, a server, an SLO, a series or an external target' })
  return id
}

/** The incident with its timeline. Throws not_found across organizations. */
export async function getIncident({ db }: Pick<IncidentDeps, 'db'>, tenant: Tenant, id: string): Promise<Incident> {
  const row = await store.findIncident(db, tenant.number, id)
  if (!row) throw notFound()
  const events = await store.listIncidentEvents(db, tenant.number, id)
  const timeline = events.map(toIncidentEvent)
  // Who acknowledges is in the timeline.
  const { acknowledged_by: by } = toIncidentItem(row)
  const person = by === null ? undefined : timeline.find(({ user }) => user?.id === by)?.user
  const { total, rows } = await store.listChildren(db, tenant.number, id, MAX_CHILD_INCIDENTS)
  return {
    ...toIncidentItem(row),
    ...(person && { acknowledged_by_user: person }),
    evidence: row.evidence,
    timeline,
    children: rows.map(toIncidentItem),
    child_count: total,
  }
}

/** An incident as in lists; without an id the newest one. Undefined for an id that is none of this organization's. */
export async function readIncidentItem(db: Db, tenant: Tenant, publicId: string | undefined): Promise<IncidentItem | undefined> {
  const id = publicId === undefined ? undefined : parseId('incident', publicId)
  if (publicId !== undefined && id === undefined) return undefined
  const row =
    id === undefined ? await store.findNewestIncident(db, tenant.number) : await store.findIncident(db, tenant.number, id)
  return row && toIncidentItem(row)
}

type IncidentChange = (db: Db, organization: number, at: Date) => Promise<boolean>

/**
 * Acknowledges an open incident, which ends its escalation, and the others of its story, which were notified with it; with a snooze also one that is acknowledged already. Any other stays as it
 * is. `by` says in the timeline who did it, where that is not in a session. Throws not_found across organizations.
 */
export function acknowledgeIncident(
  deps: IncidentDeps,
  actor: Actor<Principal>,
  id: string,
  { comment, snooze_seconds: snoozeSeconds }: AcknowledgeIncidentBody,
  by?: string,
): Promise<Incident> {
  const userId = userOf(actor)
  return changeIncident(deps, actor, id, comment, 'acknowledged', async (db, organization, at) => {
    const until = snoozeSeconds === undefined ? '' : ` until ${toTimestamp(at.getTime() + snoozeSeconds * 1000)}`
    const event = { type: 'acknowledged', message: `acknowledged${until}${byText(by)}`, actorId: userId } as const
    return acknowledgeStory(db, organization, id, { event, userId, snoozeSeconds }, at)
  })
}

/** Resolves an incident by hand; a resolved one stays as it is. Throws not_found across organizations. */
export function resolveIncidentManually(
  deps: IncidentDeps,
  actor: Actor<Principal>,
  id: string,
  comment?: string,
  by?: string,
): Promise<Incident> {
  return changeIncident(deps, actor, id, comment, 'resolved', async (db, organization, at) => {
    const open = await store.lockOpenIncident(db, organization, id)
    if (!open) return false
    await resolveIncident(db, organization, open, `resolved manually${byText(by)}`, at, userOf(actor))
    await store.insertMuted(db, organization, open)
    return true
  })
}

/** Adds a comment to the timeline. Throws not_found across organizations. */
export function commentIncident(deps: IncidentDeps, actor: Actor<Principal>, id: string, comment: string): Promise<Incident> {
  return changeIncident(deps, actor, id, comment, 'commented', async () => false)
}

/** Makes a change and adds the comment, if there is one; what changed is audited. */
async function changeIncident(
  deps: IncidentDeps,
  actor: Actor<Principal>,
  id: string,
  comment: string | undefined,
  verb: string,
  act: IncidentChange,
): Promise<Incident> {
  const tenant = tenantOf(actor.principal)
  await inTransaction(deps.db, async (db) => {
    const row = await store.findIncident(db, tenant.number, id)
    if (!row) throw notFound()
    const at = new Date(deps.clock.now())
    const isChanged = await act(db, tenant.number, at)
    const event = comment === undefined ? undefined : ({ type: 'comment', message: comment, actorId: userOf(actor) } as const)
    if (event) await store.insertIncidentEvent(db, tenant.number, id, event, at)
    if (!isChanged && !event) return
    const entry = { action: `incident.${isChanged ? verb : 'commented'}`, details: { summary: row.summary } }
    await recordAudit(db, tenant.number, actor, { ...entry, target: { kind: 'incident', id } }, at)
  })
  return getIncident(deps, tenant, id)
}

const byText = (by: string | undefined): string => (by === undefined ? '' : ` ${by}`)

const userOf = ({ principal }: Actor<Principal>): string | null => (principal.kind === 'user' ? principal.userId : null)
