import { newId } from '../../../platform/ids.ts'
import type { Db } from '../../../platform/db/index.ts'
import * as store from './store.ts'

/** How people are notified. */
export interface Reach {
  /** Their contact methods. */
  channelIds: string[]
  browserIds: string[]
  /** Those of the people who are reached by one of these. */
  userIds: string[]
}

/**
 * The contact methods and browsers of these people, while they are members whom the organization does not refuse. Who has no contact
 * method gets one for the verified e-mail of the account. Run it in a transaction.
 */
export async function reachPeople(db: Db, organization: number, userIds: readonly string[], at: Date): Promise<Reach> {
  const people = await store.listReach(db, organization, userIds)
  const toMail = people.filter(({ is_verified, channel_ids: ids }) => is_verified && ids.length === 0)
  const added = await Promise.all(toMail.map(({ user_id: id }) => store.addEmailContact(db, organization, id, newId(), at)))
  const mailed = new Set(toMail)
  return {
    channelIds: [...people.flatMap(({ channel_ids: ids }) => ids), ...added],
    browserIds: people.flatMap(({ browser_ids: ids }) => ids),
    userIds: people
      .filter((one) => mailed.has(one) || one.channel_ids.length + one.browser_ids.length > 0)
      .map(({ user_id: id }) => id),
  }
}

/** Those of these people whom `reachPeople` would reach. */
export async function findReachable(db: Db, organization: number, userIds: readonly string[]): Promise<Set<string>> {
  const people = await store.listReach(db, organization, userIds)
  const isReached = (one: store.PersonReach) => one.is_verified || one.channel_ids.length + one.browser_ids.length > 0
  return new Set(people.filter(isReached).map(({ user_id: id }) => id))
}
