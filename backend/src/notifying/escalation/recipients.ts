import { filterRecipients, type Reach, reachPeople } from '../notifications/index.ts'
import { findMembers, findOnDuty } from '../on-call/index.ts'
import type { Db } from '../../platform/db/index.ts'
import { choosePeople } from './choose.ts'
import { listOwners, type StoredStep } from './store.ts'

/** Whom a step notifies. */
export interface StepPeople {
  userIds: string[]
  /** Schedules with nobody on duty: the owners are among the people. */
  gapIds: string[]
}

/** The people of a step at an instant; the owners where a schedule has nobody on duty, or where the step names nobody any more. */
export async function findStepPeople(db: Db, organization: number, step: StoredStep, at: Date): Promise<StepPeople> {
  const { userIds, gapIds } = await findOnDuty(db, organization, step.schedule_ids, at)
  const members = await findMembers(db, organization, step.user_ids)
  const { named, needsOwners } = choosePeople(step, {
    isMember: (id) => members.has(id),
    onDuty: userIds,
    hasGap: gapIds.length > 0,
  })
  return { userIds: [...new Set([...named, ...(needsOwners ? await listOwners(db, organization) : [])])], gapIds }
}

/**
 * Where a step is delivered: not to channels that are disabled, and people who cannot be reached; where nothing is left, the
 * owners. Run it in a transaction: it may make contact methods.
 */
export async function findRecipients(db: Db, organization: number, step: StoredStep, at: Date): Promise<Reach> {
  const channelIds = await filterRecipients(db, organization, step.channel_ids, 'incident.opened')
  const { userIds } = await findStepPeople(db, organization, step, at)
  const people = await reachPeople(db, organization, userIds, at)
  const found = { ...people, channelIds: [...channelIds, ...people.channelIds] }
  if (found.channelIds.length + found.browserIds.length > 0) return found
  return reachPeople(db, organization, await listOwners(db, organization), at)
}
