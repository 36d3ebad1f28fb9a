import { takeRetiredToken } from '../../auth/index.ts'
import type { Clock } from '../../platform/clock.ts'
import { type Db, inTransaction } from '../../platform/db/index.ts'
import { encodeId } from '../../platform/ids.ts'
import { holdSeen } from '../../servers/index.ts'
import { publish } from './publish.ts'

/** An agent looks for a new token each minute, and for each other push of it nobody wants to hear. */
const ONCE_IN_MS = 3_600_000

/** Tells, once an hour, that somebody sends the token that a server had before its present one. */
export async function tellOfRefusedToken({ db, clock }: { db: Db; clock: Clock }, hash: Buffer): Promise<void> {
  const nowMs = clock.now()
  await inTransaction(db, async (transaction) => {
    const found = await takeRetiredToken(transaction, hash, new Date(nowMs), new Date(nowMs - ONCE_IN_MS))
    const server = found && (await holdSeen(transaction, found.organization, found.serverId))
    if (!found || !server) return
    const data = { server: { id: encodeId('server', server.id), name: server.name } }
    await publish(transaction, found.organization, { type: 'agent.token_refused', at: new Date(nowMs), data })
  })
}
