import { toTimestamp } from '@vedette/shared'
import type { Db } from '../../../platform/db/index.ts'
import { type ChannelRow, recordChannelFailure } from '../channels/store.ts'
import type { DeliveryError } from '../messages/delivery.ts'

/** Records with the channel why a delivery failed. */
export function recordFailure(
  db: Db,
  organization: number,
  channel: ChannelRow,
  { code, message }: DeliveryError,
  atMs: number,
): Promise<void> {
  return recordChannelFailure(db, organization, channel.id, { at: toTimestamp(atMs), code, message })
}
