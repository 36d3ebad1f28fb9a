import { HOUR_MS } from '@vedette/shared'
import { takeRetiredToken } from '../../../access/auth/index.ts'
import type { Clock } from '../../../platform/time/clock.ts'
import { type Db, inTransaction } from '../../../platform/db/index.ts'
import { encodeId } from '../../../platform/ids.ts'
import { lockPresence } from '../../../hosts/servers/index.ts'
import { publish } from '../../../notifying/notifications/index.ts'

/** An agent with an old token retries every minute. */
const ONCE_IN_MS = HOUR_MS

/** Publishes, once an hour, that an agent sends the previous token of a server. */
export async function publishRefusedToken({ db, clock }: { db: Db; clock: Clock }, hash: Buffer): Promise<void> {
  const nowMs = clock.now()
  await inTransaction(db, async (transaction) => {
    const retired = await takeRetiredToken(transaction, hash, new Date(nowMs), new Date(nowMs - ONCE_IN_MS))
    const server = retired && (await lockPresence(transaction, retired.organization, retired.serverId))
    if (!retired || !server) return
    const data = { server: { id: encodeId('server', server.id), name: server.name } }
    await publish(transaction, retired.organization, { type: 'agent.token_refused', at: new Date(nowMs), data })
  })
}
