import type { Severity } from '@vedette/shared'
import {
  choosePolicy,
  dueAfter,
  findRecipients,
  listPoliciesByAge,
  nextStep,
  type PolicyRow,
} from '../../notifying/escalation/index.ts'
import { filterRecipients, listBrowsersOfMembers, publishMany } from '../../notifying/notifications/index.ts'
import type { Db } from '../../platform/db/index.ts'
import { listNames } from './escalation-store.ts'
import * as many from './many-store.ts'
import { findRuleChannels } from './notify-store.ts'
import { notifyOfStep } from './notify.ts'
import type { IncidentRow } from './store.ts'
import { joinGroups } from './stories/join-groups.ts'
import { joinStoryOfParent } from './stories/join-story.ts'
import { namesText } from './take-step.ts'
import { toIncidentItem } from './wire.ts'

/** An incident that opens, with the tags of what it is about and why nobody is notified. */
export type OpeningExternal = many.NewExternal & { tags: readonly string[]; reason: string | null }

const SEVERITY_ORDER: readonly Severity[] = ['critical', 'warning', 'info']

/**
 * Opens incidents of one source as `openIncident` does each, with a number of statements that does not follow theirs. Returns the ids of
 * those that it opened. Run it in a transaction that has locked the source.
 */
export async function openIncidents(
  db: Db,
  organization: number,
  sourceId: string,
  incidents: readonly OpeningExternal[],
  at: Date,
): Promise<Set<string>> {
  if (incidents.length === 0) return new Set()
  const opened = await many.insertIncidents(
    db,
    organization,
    incidents.map(({ tags: _tags, reason: _reason, ...incident }) => incident),
    at,
  )
  const news = incidents.filter(({ id }) => opened.has(id))
  const byParent = Map.groupBy(
    news.filter(({ parent_id: parentId }) => parentId !== null),
    ({ parent_id: parentId }) => parentId as string,
  )
  for (const [parentId, children] of byParent)
    await joinStoryOfParent(
      db,
      organization,
      parentId,
      children.map(({ id }) => id),
    )
  const stories = await joinGroups(
    db,
    organization,
    sourceId,
    news.filter(({ parent_id: parentId }) => parentId === null),
  )
  const events = news.flatMap(({ id, summary, reason }) => [
    { incidentId: id, type: 'opened', message: summary },
    ...(reason === null ? [] : [{ incidentId: id, type: 'silenced', message: reason }]),
  ])
  await many.insertIncidentEvents(db, organization, events, at)
  const rows = news.map(({ tags, reason: _reason, has_down_parent: _parent, ends_at: _end, ...incident }) => ({
    tags,
    row: { ...incident, at, ...OPEN, ...stories.get(incident.id) } as IncidentRow,
  }))
  await notifyOfOpenings(db, organization, sourceId, rows, at)
  return opened
}

const OPEN = {
  status: 'open',
  acknowledged_at: null,
  acknowledged_by: null,
  resolved_at: null,
  story_id: null,
  cause: null,
} as const

interface Opened {
  row: IncidentRow
  tags: readonly string[]
}

/** Of a story the first one notifies, and the first critical one; the others only follow its policy. */
async function notifyOfOpenings(
  db: Db,
  organization: number,
  sourceId: string,
  opened: readonly Opened[],
  at: Date,
): Promise<void> {
  const firsts = new Map<string, Opened>()
  for (const one of opened.toSorted(({ row }, { row: other }) => rankOf(row) - rankOf(other)))
    if (one.row.story_id !== null && !one.row.silenced) {
      const key = `${one.row.story_id} ${one.row.severity === 'critical'}`
      if (!firsts.has(key)) firsts.set(key, one)
    }
  const leading = new Set(firsts.values())
  const policies = await listPoliciesByAge(db, organization)
  const ofRule = policies.length === 0 ? null : await many.findSourcePolicy(db, organization, sourceId)
  const policyOf = ({ row, tags }: Opened) => choosePolicy(policies, { ofRule, tags: [...tags, ...(row.external?.tags ?? [])] })
  const isSilent = ({ row }: Opened) => row.silenced
  const isAlone = ({ row }: Opened) => row.story_id === null
  const silent = opened.filter(isSilent)
  const followers = opened.filter((one) => !isSilent(one) && !isAlone(one) && !leading.has(one))
  const alone = opened.filter((one) => !isSilent(one) && isAlone(one))
  await publishOpenings(db, organization, [...silent, ...followers], { channelIds: [], browserIds: [] }, at)
  for (const [policy, some] of Map.groupBy(followers, policyOf))
    if (policy)
      await many.markManyNotified(db, organization, idsOf(some), at, {
        ...NOBODY,
        policy: { id: policy.id, step: 0, dueAt: null },
      })
  for (const { row } of leading)
    await notifyOfStep(db, organization, { type: 'incident.opened', incidentId: row.id, incidentAt: at, at })
  for (const [policy, some] of Map.groupBy(alone, policyOf))
    await (policy ? takeFirstStep(db, organization, policy, some, at) : notifyChannels(db, organization, sourceId, some, at))
}

const NOBODY = { channelIds: [], userIds: [] }
const rankOf = ({ severity }: IncidentRow): number => SEVERITY_ORDER.indexOf(severity)
const idsOf = (some: readonly Opened[]): string[] => some.map(({ row }) => row.id)

async function notifyChannels(db: Db, organization: number, sourceId: string, some: readonly Opened[], at: Date): Promise<void> {
  const named = await findRuleChannels(db, organization, sourceId)
  await many.markManyNotified(db, organization, idsOf(some), at, { channelIds: named, userIds: [] })
  const channelIds = await filterRecipients(db, organization, named, 'incident.opened')
  const browserIds = await listBrowsersOfMembers(db, organization)
  await publishOpenings(db, organization, some, { channelIds, browserIds }, at)
}

async function takeFirstStep(db: Db, organization: number, policy: PolicyRow, some: readonly Opened[], at: Date): Promise<void> {
  const due = nextStep(policy, 0, at.getTime())
  if (!due) return publishOpenings(db, organization, some, { channelIds: [], browserIds: [] }, at)
  const recipients = await findRecipients(db, organization, due.step, at)
  const dueMs = dueAfter(policy, due, at.getTime())
  const next = { id: policy.id, step: due.number + 1, dueAt: dueMs === undefined ? null : new Date(dueMs) }
  await many.markManyNotified(db, organization, idsOf(some), at, { ...recipients, policy: next })
  const names = await listNames(db, organization, recipients)
  const message = `step ${(due.number % policy.steps.length) + 1} of ${policy.name}: ${namesText(names)}`
  await many.insertIncidentEvents(
    db,
    organization,
    some.map(({ row }) => ({ incidentId: row.id, type: 'notified', message })),
    at,
  )
  await publishOpenings(db, organization, some, recipients, at, { escalation_step: due.number + 1 })
}

const publishOpenings = (
  db: Db,
  organization: number,
  some: readonly Opened[],
  to: { channelIds: readonly string[]; browserIds: readonly string[] },
  at: Date,
  more: object = {},
): Promise<void> =>
  publishMany(
    db,
    organization,
    some.map(({ row }) => ({
      event: { type: 'incident.opened', at, data: { incident: toIncidentItem(row), ...more } },
      channelIds: to.channelIds,
      browserIds: to.browserIds,
      incident: row,
    })),
    at,
  )
