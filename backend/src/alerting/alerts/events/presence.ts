import { toTimestamp } from '@vedette/shared'
import { type Db, inTransaction } from '../../../platform/db/index.ts'
import { encodeId } from '../../../platform/ids.ts'
import { lockPresence, recordOffline } from '../../../hosts/servers/index.ts'
import { publish } from '../../../notifying/notifications/index.ts'

export interface Presence {
  isOffline: boolean
  lastSeenMs: number
}

/** Publishes that a server is offline, or online again, unless that was published. */
export async function publishPresence(
  database: Db,
  { organization, id }: { organization: number; id: string },
  { isOffline, lastSeenMs }: Presence,
  at: Date,
): Promise<void> {
  await inTransaction(database, async (db) => {
    const server = await lockPresence(db, organization, id)
    if (!server || !(await recordOffline(db, organization, id, isOffline))) return
    const status = isOffline ? 'offline' : 'online'
    const data = { id: encodeId('server', id), name: server.name, status, last_seen_at: toTimestamp(lastSeenMs) }
    await publish(db, organization, { type: `server.${status}`, at, data: { server: data } })
  })
}
