import { dropRepeatedOpenings } from '../../../notifying/notifications/index.ts'
import type { Db } from '../../../platform/db/index.ts'
import * as store from './notified-store.ts'

/**
 * Leaves of what waits to be sent of the openings of servers behind a tag one a channel, and of its escalations the first. Run it in the transaction
 * in which incidents joined it. Channels of services that group by themselves get them all.
 */
export async function mergeNotifications(db: Db, organization: number, storyId: string): Promise<void> {
  const part = { story_id: storyId, target_id: storyId, cause: { kind: 'shared_tag' } } as const
  const notified = await store.listNotified(db, organization, part)
  const each = await store.listTakingEach(
    db,
    organization,
    notified.flatMap(({ notified_channel_ids: ids }) => ids),
  )
  const openings = notified.flatMap(({ id, severity, notified_channel_ids: channelIds }) =>
    channelIds
      .filter((channelId) => !each.has(channelId))
      .map((lane) => ({ incidentId: id, lane, isCritical: severity === 'critical' })),
  )
  if (openings.length > 0) {
    const dropped = await dropRepeatedOpenings(db, organization, openings)
    if (dropped.length > 0) await store.markNotNotified(db, organization, dropped)
  }
  await store.stopLaterEscalations(db, organization, part)
}
