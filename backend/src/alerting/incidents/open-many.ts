import type { Severity } from '@vedette/shared'
import {
  choosePolicy,
  dueAfter,
  findRecipients,
  listPoliciesByAge,
  nextStep,
  type PolicyRow,
} from '../../notifying/escalation/index.ts'
import { mapWithPauses } from '../../platform/concurrency/map-with-pauses.ts'
import { yieldToEventLoop } from '../../platform/concurrency/yield-to-event-loop.ts'
import { filterRecipients, listBrowsersOfMembers, type PublishedStep, publishMany } from '../../notifying/notifications/index.ts'
import type { Db } from '../../platform/db/index.ts'
import { listNames } from './escalation-store.ts'
import * as many from './many-store.ts'
import { findRuleChannels } from './notify-store.ts'
import { notifyOfStep } from './notify.ts'
import { type IncidentRow, lockFamilies } from './store.ts'
import { joinGroups } from './stories/join-groups.ts'
import { joinStoryOfParent } from './stories/join-story.ts'
import { namesText } from './take-step.ts'
import { toIncidentItem } from './wire.ts'

/** An incident that opens, with the tags of what it is about and why nobody is notified. */
export type OpeningExternal = many.NewExternal & { tags: readonly string[]; reason: string | null }

const SEVERITY_ORDER: readonly Severity[] = ['critical', 'warning', 'info']

/** How many are opened by one statement: while Postgres stores some, the next ones are made. */
const CHUNK = 2_500
/** Of so many it is made at once what they store and publish: what was sent to Postgres gets on its way in between. */
const PART = 100

/**
 * Opens incidents of one source as `openIncident` does each, with as many statements for 2,500 of them as for one. Returns the ids
 * of those that it opened. Run it in a transaction that has locked the source.
 */
export async function openIncidents(
  db: Db,
  organization: number,
  sourceId: string,
  incidents: readonly OpeningExternal[],
  at: Date,
): Promise<Set<string>> {
  if (incidents.length === 0) return new Set()
  const source = await readNotifying(db, organization, sourceId, at)
  const steps: FirstSteps = new Map()
  for (const one of incidents) if (isSurelyAlone(one)) steps.set(one.id, await source.stepOf(one))
  const isOwn = (one: OpeningExternal) => steps.has(one.id) && one.target_type === 'external'
  const others = incidents.filter((one) => !isOwn(one))
  const opening = chunksOf(incidents.filter(isOwn), CHUNK).map((chunk) => () => openAlone(db, organization, chunk, steps, at))
  const opened = await inTurns([...opening, () => openOthers(db, organization, source, sourceId, others, steps, at)])
  return new Set(opened.flatMap((ids) => [...ids]))
}

const chunksOf = <T>(all: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(all.length / size) }, (_, index) => all.slice(index * size, (index + 1) * size))

type FirstSteps = Map<string, FirstStep>

/** Begins each once what the previous one has to send is on its way. Rejects once all have ended, with the first error. */
async function inTurns<T>(works: readonly (() => Promise<T>)[]): Promise<T[]> {
  const running: Promise<T>[] = []
  for (const work of works) {
    const begun = work()
    // Somebody waits for it from now on: it may fail while others begin.
    begun.catch(() => undefined)
    running.push(begun)
    await yieldToEventLoop()
  }
  await Promise.allSettled(running)
  return Promise.all(running)
}

/** Those of which it is known whom they notify, and that nobody else opens with. */
async function openAlone(
  db: Db,
  organization: number,
  incidents: readonly OpeningExternal[],
  steps: FirstSteps,
  at: Date,
): Promise<Set<string>> {
  const inserting = many.insertIncidents(db, organization, incidents, ({ id }) => steps.get(id)?.recorded, at)
  // Somebody waits for it from now on: it may fail while the rest is made.
  inserting.catch(() => undefined)
  const made = await mapWithPauses(chunksOf(incidents, PART), (part) =>
    part.map((one) => ({
      id: one.id,
      events: eventsOf([one], steps),
      published: toPublished(toOpened(one, at), steps.get(one.id) as FirstStep),
    })),
  )
  const opened = await inserting
  const news = made.flat().filter(({ id }) => opened.has(id))
  await Promise.all([
    many.insertIncidentEvents(
      db,
      organization,
      news.flatMap(({ events }) => events),
      at,
    ),
    publishMany(
      db,
      organization,
      news.map(({ published }) => published),
      at,
    ),
  ])
  return opened
}

async function openOthers(
  db: Db,
  organization: number,
  source: Notifying,
  sourceId: string,
  incidents: readonly OpeningExternal[],
  steps: FirstSteps,
  at: Date,
): Promise<Set<string>> {
  if (incidents.length === 0) return new Set()
  const opened = await many.insertIncidents(db, organization, incidents, ({ id }) => steps.get(id)?.recorded, at)
  const news = incidents.filter(({ id }) => opened.has(id))
  // Others find what they open with by its target: an alert of its own is nobody's.
  if (news.length > 0) await lockFamilies(db, organization)
  const alone = news.flatMap((one) => {
    const step = steps.get(one.id)
    return step ? [toPublished(toOpened(one, at), step)] : []
  })
  const rest = news.filter(({ id }) => !steps.has(id))
  const stories = await joinStories(db, organization, sourceId, rest)
  await many.insertIncidentEvents(db, organization, eventsOf(news, steps), at)
  await publishMany(db, organization, alone, at)
  const joined = rest.map((one) => toOpened(one, at, stories.get(one.id)))
  await notifyOfOpenings(db, organization, source, joined, at)
  return opened
}

const eventsOf = (incidents: readonly OpeningExternal[], steps: FirstSteps) =>
  incidents.flatMap(({ id, summary, reason }) => [
    { incidentId: id, type: 'opened', message: summary },
    ...(reason === null ? [] : [{ incidentId: id, type: 'silenced', message: reason }]),
    ...notifiedEvent(id, steps.get(id)),
  ])

/** Whom it notifies is known before it is stored: it is of no story, whatever else is open. */
const isSurelyAlone = ({ parent_id: parentId, external, silenced }: OpeningExternal): boolean =>
  parentId === null && external.group === null && !silenced

/** Gives the incidents their stories: that of what their host depends on, or of their labels. */
async function joinStories(db: Db, organization: number, sourceId: string, incidents: readonly OpeningExternal[]) {
  const byParent = Map.groupBy(
    incidents.filter(({ parent_id: parentId }) => parentId !== null),
    ({ parent_id: parentId }) => parentId as string,
  )
  for (const [parentId, children] of byParent)
    await joinStoryOfParent(
      db,
      organization,
      parentId,
      children.map(({ id }) => id),
    )
  return joinGroups(
    db,
    organization,
    sourceId,
    incidents.filter(({ parent_id: parentId }) => parentId === null),
  )
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
  row: IncidentRow & { series: string }
  tags: readonly string[]
}

const toOpened = (
  { tags, reason: _reason, has_down_parent: _parent, ends_at: _end, ...incident }: OpeningExternal,
  at: Date,
  story: Partial<Pick<IncidentRow, 'story_id' | 'cause'>> = {},
): Opened => ({ tags, row: { ...incident, at, ...OPEN, ...story } })

/** What the opening of an incident of no story does: whom it notifies, and what is recorded of that. */
interface FirstStep {
  recorded: many.NotifiedOnOpening | undefined
  channelIds: readonly string[]
  browserIds: readonly string[]
  /** Of the timeline; null where it says nothing. */
  message: string | null
  /** What the event has in addition to the incident. */
  more: object
}

const TO_NOBODY: FirstStep = { recorded: undefined, channelIds: [], browserIds: [], message: null, more: {} }

/** Whom a source notifies, each read once. */
interface Notifying {
  policyOf(incident: Pick<OpeningExternal, 'tags'> & Pick<IncidentRow, 'external'>): PolicyRow | undefined
  stepOf(incident: Pick<OpeningExternal, 'tags'> & Pick<IncidentRow, 'external'>): Promise<FirstStep>
}

async function readNotifying(db: Db, organization: number, sourceId: string, at: Date): Promise<Notifying> {
  const policies = await listPoliciesByAge(db, organization)
  const ofRule = policies.length === 0 ? null : await many.findSourcePolicy(db, organization, sourceId)
  const steps = new Map<PolicyRow | undefined, Promise<FirstStep>>()
  const policyOf: Notifying['policyOf'] = ({ tags, external }) =>
    choosePolicy(policies, { ofRule, ofRoute: external?.policy, tags: [...tags, ...(external?.tags ?? [])] })
  const readStep = (policy: PolicyRow | undefined) =>
    policy ? stepOfPolicy(db, organization, policy, at) : stepOfChannels(db, organization, sourceId)
  return {
    policyOf,
    stepOf: (incident) => {
      const policy = policyOf(incident)
      const step = steps.get(policy) ?? readStep(policy)
      steps.set(policy, step)
      return step
    },
  }
}

async function stepOfChannels(db: Db, organization: number, sourceId: string): Promise<FirstStep> {
  const named = await findRuleChannels(db, organization, sourceId)
  const channelIds = await filterRecipients(db, organization, named, 'incident.opened')
  const browserIds = await listBrowsersOfMembers(db, organization)
  return { ...TO_NOBODY, recorded: { channelIds: named, userIds: [], policy: null }, channelIds, browserIds }
}

async function stepOfPolicy(db: Db, organization: number, policy: PolicyRow, at: Date): Promise<FirstStep> {
  const due = nextStep(policy, 0, at.getTime())
  if (!due) return TO_NOBODY
  const { channelIds, userIds, browserIds } = await findRecipients(db, organization, due.step, at)
  const dueMs = dueAfter(policy, due, at.getTime())
  const names = await listNames(db, organization, { channelIds, userIds })
  const next = { id: policy.id, step: due.number + 1, dueAt: dueMs === undefined ? null : new Date(dueMs) }
  return {
    recorded: { channelIds, userIds, policy: next },
    channelIds,
    browserIds,
    message: `step ${(due.number % policy.steps.length) + 1} of ${policy.name}: ${namesText(names)}`,
    more: { escalation_step: due.number + 1 },
  }
}

const notifiedEvent = (incidentId: string, step: FirstStep | undefined) =>
  step?.message ? [{ incidentId, type: 'notified', message: step.message }] : []

/** Of a story the first one notifies, and the first critical one; the others only follow its policy. */
async function notifyOfOpenings(
  db: Db,
  organization: number,
  { policyOf, stepOf }: Notifying,
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
  const isSilent = ({ row }: Opened) => row.silenced
  const isAlone = ({ row }: Opened) => row.story_id === null
  const silent = opened.filter(isSilent)
  const followers = opened.filter((one) => !isSilent(one) && !isAlone(one) && !leading.has(one))
  await publishOpenings(db, organization, [...silent, ...followers], TO_NOBODY, at)
  for (const [policy, some] of Map.groupBy(followers, ({ row, tags }) => policyOf({ tags, external: row.external })))
    if (policy)
      await many.markManyNotified(db, organization, rowsOf(some), at, {
        ...NOBODY,
        policy: { id: policy.id, step: 0, dueAt: null },
      })
  for (const { row } of leading)
    await notifyOfStep(db, organization, { type: 'incident.opened', incidentId: row.id, incidentAt: at, at })
  const steps = new Map<FirstStep, Opened[]>()
  for (const one of opened.filter((each) => !isSilent(each) && isAlone(each))) {
    const step = await stepOf({ tags: one.tags, external: one.row.external })
    const some = steps.get(step)
    if (some) some.push(one)
    else steps.set(step, [one])
  }
  for (const [step, some] of steps) await takeFirstStep(db, organization, some, step, at)
}

const NOBODY = { channelIds: [], userIds: [] }
const rankOf = ({ severity }: IncidentRow): number => SEVERITY_ORDER.indexOf(severity)
const rowsOf = (some: readonly Opened[]) => some.map(({ row }) => row)

async function takeFirstStep(db: Db, organization: number, some: readonly Opened[], step: FirstStep, at: Date): Promise<void> {
  if (step.recorded) await many.markManyNotified(db, organization, rowsOf(some), at, step.recorded)
  const events = some.flatMap(({ row }) => notifiedEvent(row.id, step))
  await many.insertIncidentEvents(db, organization, events, at)
  await publishOpenings(db, organization, some, step, at)
}

const toPublished = ({ row }: Opened, { channelIds, browserIds, more }: FirstStep): PublishedStep => ({
  event: { type: 'incident.opened', at: row.at, data: { incident: toIncidentItem(row), ...more } },
  channelIds,
  browserIds,
  incident: row,
})

const publishOpenings = (db: Db, organization: number, some: readonly Opened[], step: FirstStep, at: Date): Promise<void> =>
  publishMany(
    db,
    organization,
    some.map((one) => toPublished(one, step)),
    at,
  )
