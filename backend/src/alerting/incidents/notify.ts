import { findUserById } from '../../access/auth/index.ts'
import type { Db } from '../../platform/db/index.ts'
import { findPolicyFor } from '../../notifying/escalation/index.ts'
import { findIncidentAt, type NotifiedIncident } from './store.ts'
import {
  countMembers,
  findReached,
  listNotified,
  listTakingEach,
  type NotifiedMember,
  type Reached,
  sharesNotification,
} from './stories/notified-store.ts'
import { recordPolicy } from './escalation-store.ts'
import { takeStep } from './take-step.ts'
import { toIncidentItem, toPerson } from './wire.ts'
import * as store from './notify-store.ts'
import {
  DELIVERIES,
  filterRecipients,
  listBrowsersOf,
  listBrowsersOfMembers,
  publishTo,
  PUSHES,
  withoutPending,
} from '../../notifying/notifications/index.ts'

/** A step of an incident. */
export interface IncidentStep {
  type: 'incident.opened' | 'incident.flapping' | 'incident.stable' | 'incident.acknowledged' | 'incident.resolved'
  incidentId: string
  /** When the incident opened. */
  incidentAt: Date
  at: Date
}

/**
 * Stores the event of a step and a delivery for each channel. Run it in the transaction of the step, after it. The opening goes to the
 * first step of its escalation policy, or to the channels of the rule, unless it is suppressed; later steps go to those that were
 * notified before. Without a policy browsers of all members get every step while the incident is not suppressed.
 *
 * A story is notified once: its next incidents go only where it was not notified yet, and its end follows that of the last one.
 */
export async function notifyOfStep(db: Db, organization: number, step: IncidentStep): Promise<void> {
  const { type, incidentId, incidentAt, at } = step
  const row = await findIncidentAt(db, organization, incidentId, incidentAt)
  if (!row) return
  const isOfStory = sharesNotification(row)
  if (isOfStory && type === 'incident.resolved') return notifyOfStoryEnd(db, organization, row, at)
  if (type === 'incident.opened' && !row.silenced) return notifyOfOpening(db, organization, row, at)
  const channelsToNotify = type === 'incident.opened' ? [] : row.notified_channel_ids
  const channelIds = await filterRecipients(db, organization, channelsToNotify, type)
  const browserIds = row.silenced || (isOfStory && !isNotified(row)) ? [] : await browsersOf(db, organization, row)
  const user = type === 'incident.acknowledged' && row.acknowledged_by ? await findUserById(db, row.acknowledged_by) : undefined
  const event = { type, at, data: { incident: toIncidentItem(row), ...(user && { user: toPerson(user) }) } }
  await publishTo(db, organization, event, channelIds, row, browserIds)
}

/** Whether somebody was notified of this incident and not only of others of its story. */
const isNotified = ({ notified_channel_ids: channels, notified_user_ids: users }: NotifiedIncident): boolean =>
  channels.length + users.length > 0

const NOBODY: Reached = { channel_ids: [], policy_ids: [], has_browsers: false }

async function notifyOfOpening(db: Db, organization: number, row: NotifiedIncident, at: Date): Promise<void> {
  const type = 'incident.opened'
  const reached = sharesNotification(row) ? await findReached(db, organization, row) : NOBODY
  const policy = await findPolicyFor(db, organization, row)
  if (policy && !reached.policy_ids.includes(policy.id)) return takeStep(db, organization, row, policy, 0, at)
  const event = { type, at, data: { incident: toIncidentItem(row) } }
  if (policy) {
    await recordPolicy(db, organization, row, policy.id)
    return publishTo(db, organization, event, [], row)
  }
  const ofRule = await store.findRuleChannels(db, organization, row.rule_id)
  const known = new Set(reached.channel_ids)
  const channelsToNotify = ofRule.filter((id) => !known.has(id))
  if (channelsToNotify.length > 0 || !reached.has_browsers) await store.markNotified(db, organization, row, channelsToNotify, at)
  const channelIds = await filterRecipients(db, organization, channelsToNotify, type)
  const browserIds = reached.has_browsers ? [] : await browsersOf(db, organization, row)
  await publishTo(db, organization, event, channelIds, row, browserIds)
}

/**
 * The end of an incident of a story. Once all have ended, each channel that was notified of one gets the end of the first of those,
 * with the number of all; services that group by themselves get the end of each.
 */
async function notifyOfStoryEnd(db: Db, organization: number, row: NotifiedIncident, at: Date): Promise<void> {
  const type = 'incident.resolved'
  const publishEnd = (one: NotifiedIncident, channelIds: readonly string[], browserIds: readonly string[], story?: object) =>
    publishTo(db, organization, { type, at, data: { incident: toIncidentItem(one), ...story } }, channelIds, one, browserIds)
  const { total, unresolved } = await countMembers(db, organization, row)
  if (unresolved > 0) return publishEnd(row, [], [])
  const notified = await listNotified(db, organization, row)
  const takingEach = await listTakingEach(
    db,
    organization,
    notified.flatMap(({ notified_channel_ids: ids }) => ids),
  )
  const known = new Set<string>()
  const ends = notified.map((one) => {
    const ids = one.notified_channel_ids.filter((id) => takingEach.has(id) || !known.has(id))
    for (const id of ids) known.add(id)
    return { ...one, ids }
  })
  const browsers = new Set(await browsersOfStory(db, organization, row, notified))
  const story = { story: { incident_count: total, text: row.cause?.text } }
  const [first = row] = notified
  if (!ends.some(({ id, ids }) => id === row.id && (ids.length > 0 || id === first.id)) && first.id !== row.id)
    await publishEnd(row, [], [])
  for (const { id, at: openedAt, ids } of notified.length > 0 ? ends : [{ ...row, ids: [] }]) {
    if (ids.length === 0 && id !== first.id) continue
    const one = await findIncidentAt(db, organization, id, openedAt)
    const channelIds = await filterRecipients(db, organization, ids, type)
    if (one) await publishEnd(one, channelIds, id === first.id ? [...browsers] : [], story)
  }
}

/** The browsers that were notified of any of a story. */
async function browsersOfStory(
  db: Db,
  organization: number,
  row: NotifiedIncident,
  notified: readonly NotifiedMember[],
): Promise<string[]> {
  const { has_browsers: hasOthers } = await findReached(db, organization, { ...row, severity: null })
  const ofMembers = hasOthers || (row.escalation_policy_id === null && !row.silenced)
  const userIds = notified.flatMap(({ notified_user_ids: ids }) => ids)
  return [
    ...(ofMembers ? await listBrowsersOfMembers(db, organization) : []),
    ...(await listBrowsersOf(db, organization, [...new Set(userIds)])),
  ]
}

/** Those of all members, or of the people whom its policy has notified. */
const browsersOf = (
  db: Db,
  organization: number,
  { escalation_policy_id: policyId, notified_user_ids: userIds }: NotifiedIncident,
) => (policyId === null ? listBrowsersOfMembers(db, organization) : listBrowsersOf(db, organization, userIds))

/**
 * Notifies the same channels and the browsers again, except those that have not accepted the previous notification of the incident.
 * Run it like `notifyOfStep`.
 */
export async function notifyAgain(
  db: Db,
  incident: Omit<store.OverdueIncident, 'repeat_seconds'>,
  reminder: number,
  at: Date,
): Promise<void> {
  const { organization, incident_id: id, incident_at: incidentAt } = incident
  await store.markNotifiedAgain(db, incident, at)
  const row = await findIncidentAt(db, organization, id, incidentAt)
  if (!row) return
  const type = 'incident.opened'
  const channelIds = await filterRecipients(db, organization, await channelsOf(db, organization, row, at), type)
  const channels = await withoutPending(db, DELIVERIES, organization, id, channelIds)
  const browsers = await withoutPending(db, PUSHES, organization, id, await browsersOf(db, organization, row))
  const event = { type, at, data: { incident: toIncidentItem(row), reminder } }
  if (channels.length + browsers.length > 0) await publishTo(db, organization, event, channels, row, browsers)
}

/** Those that were notified of the incident; of a story, where another one that was notified has ended, those of the story. */
async function channelsOf(db: Db, organization: number, row: NotifiedIncident, at: Date): Promise<string[]> {
  if (isNotified(row) || !sharesNotification(row)) return row.notified_channel_ids
  const { channel_ids: channelIds } = await findReached(db, organization, { ...row, severity: null })
  if (channelIds.length > 0) await store.markNotified(db, organization, row, channelIds, at)
  return channelIds
}
