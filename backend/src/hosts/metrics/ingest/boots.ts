import { auditEntry, recordAudit, SYSTEM } from '../../../access/audit/index.ts'
import { publish } from '../../../notifying/notifications/index.ts'
import { createRequestBatcher } from '../../../platform/concurrency/request-batcher.ts'
import { type Db, inTransaction, isDistributed } from '../../../platform/db/index.ts'
import { conflict, unauthorized } from '../../../platform/errors.ts'
import { encodeId, newId } from '../../../platform/ids.ts'
import type { Clock } from '../../../platform/time/clock.ts'
import {
  hasRecentEvent,
  insertEvent,
  lockServer,
  lockServers,
  type ServerBoots,
  updateBoots,
  updateServer,
} from '../../servers/index.ts'
import { DAY_MS } from '../storage/schedule.ts'

export interface BootClaim {
  organization: number
  serverId: string
  bootId: string
}

/** Distinguishes a host that has rebooted from a copy of another one. */
export interface Boots {
  /**
   * Stores the boot id of a host that has rebooted. Throws conflict for one that was replaced before, because then two hosts share one
   * token, and unauthorized for a server that is gone.
   */
  claim(claim: BootClaim): Promise<void>
}

/** Boot ids kept of a server: a clone that has not pushed for twenty boots of the other is forgotten. */
const MAX_FORMER_BOOTS = 20
/** After a power cut all hosts of a fleet claim theirs at once. */
const AT_ONCE = 200

type Claimed = { is: 'claimed' } | { is: 'gone' } | { is: 'clone'; name: string }

export function createBoots({ db, clock }: { db: Db; clock: Clock }): Boots {
  const claimed = createRequestBatcher((claims: readonly BootClaim[]) => claimAll(db, claims), AT_ONCE)
  return {
    claim: async (claim) => {
      const result = await claimed(claim)
      if (result.is === 'gone') throw unauthorized()
      if (result.is === 'claimed') return
      await inTransaction(db, (transaction) => reportClone(transaction, claim, result.name, new Date(clock.now())))
      throw conflict(
        'Another host pushes with this token: one of the two machines is a copy of the other. Register one of them again.',
      )
    },
  }
}

async function claimAll(db: Db, claims: readonly BootClaim[]): Promise<Claimed[]> {
  // Citus cannot lock rows of several organizations by one statement.
  if (!(await isDistributed(db))) return inTransaction(db, (transaction) => claimTogether(transaction, claims))
  const results: Claimed[] = []
  for (const claim of claims) results.push(await inTransaction(db, (transaction) => claimAlone(transaction, claim)))
  return results
}

async function claimTogether(db: Db, claims: readonly BootClaim[]): Promise<Claimed[]> {
  const rows = await lockServers(
    db,
    claims.map(({ organization, serverId: id }) => ({ organization, id })),
  )
  const servers = new Map(rows.map((row) => [row.id, row]))
  const changed = new Map<string, ServerBoots>()
  const results = claims.map(({ serverId, bootId }): Claimed => {
    const server = servers.get(serverId)
    if (!server) return { is: 'gone' }
    const after = withBoot(server, bootId)
    if (after === 'clone') return cloneOf(server)
    if (after !== server) changed.set(serverId, after)
    servers.set(serverId, after)
    return { is: 'claimed' }
  })
  await updateBoots(db, [...changed.values()])
  return results
}

async function claimAlone(db: Db, { organization, serverId, bootId }: BootClaim): Promise<Claimed> {
  const server = await lockServer(db, organization, serverId)
  if (!server) return { is: 'gone' }
  const after = withBoot(server, bootId)
  if (after === 'clone') return cloneOf(server)
  const { boot_id, former_boot_ids } = after
  await updateServer(db, organization, serverId, { boot_id, former_boot_ids })
  return { is: 'claimed' }
}

const cloneOf = ({ display_name, hostname }: Pick<ServerBoots, 'display_name' | 'hostname'>): Claimed => ({
  is: 'clone',
  name: display_name ?? hostname,
})

type BootIds = Pick<ServerBoots, 'boot_id' | 'former_boot_ids'>

/** The server after this boot; `clone` where the boot id was replaced before. */
function withBoot<Server extends BootIds>(server: Server, bootId: string): Server | 'clone' {
  const { boot_id: current, former_boot_ids: former } = server
  if (current === bootId) return server
  if (former.includes(bootId)) return 'clone'
  return { ...server, boot_id: bootId, former_boot_ids: current === null ? [] : [current, ...former].slice(0, MAX_FORMER_BOOTS) }
}

/** Once a day: each push of the clone is refused, and it retries every minute. */
async function reportClone(db: Db, { organization, serverId: id, bootId }: BootClaim, name: string, at: Date): Promise<void> {
  const type = 'agent.cloned'
  const details = { boot_id: bootId }
  const event = { id: newId(), type, subjectId: id, details }
  // Two pushes of the clone at once would both find no report.
  await lockServer(db, organization, id)
  if (await hasRecentEvent(db, organization, event, new Date(at.getTime() - DAY_MS))) return
  await insertEvent(db, organization, event, at)
  await recordAudit(db, organization, SYSTEM, auditEntry(type, 'server', id, details), at)
  await publish(db, organization, { type, at, data: { server: { id: encodeId('server', id), name } } })
}
