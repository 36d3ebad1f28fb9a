import type { AlertTargetType } from '@vedette/shared'
import type { Clock } from '../../platform/clock.ts'
import { type Db, inTransaction } from '../../platform/db/index.ts'
import { insertIncidentEvent } from '../incidents/store.ts'
import { appliesTo } from '../rules/rule.ts'
import { tell } from '../telling/index.ts'
import { endOfWindow } from '../windows/recurrence.ts'
import { listBegun } from '../windows/store.ts'
import {
  findMonitor,
  findServer,
  isToldOffline,
  listSilenced,
  noteHostSilent,
  type Silenced,
  unsilence,
} from './silence-store.ts'

/** What an incident is of. */
export interface Silenceable {
  type: AlertTargetType
  id: string
  /** What the rule looks at: that a server is offline is told, what that brings with it is not. */
  metric: string
}

export interface Silence {
  /** For people. */
  why: string
  isForHost: boolean
}

/**
 * Why nobody is to be told of it now: a maintenance window of the target, or of the server that a monitor runs on; or that server
 * is offline, which is told already. Undefined where there is no reason.
 */
export async function silenceOf(db: Db, organization: number, target: Silenceable, at: Date): Promise<Silence | undefined> {
  const monitor = target.type === 'monitor' ? await findMonitor(db, organization, target.id) : undefined
  const serverId = target.type === 'server' ? target.id : (monitor?.server_id ?? undefined)
  const server = serverId === undefined ? undefined : await findServer(db, organization, serverId)
  for (const window of await listBegun(db, organization, at)) {
    const isOf =
      (monitor !== undefined && appliesTo(window, { type: 'monitor', ...monitor })) ||
      (server !== undefined && appliesTo(window, { type: 'server', ...server }))
    if (isOf && endOfWindow(window, at.getTime()) !== undefined)
      return { why: `silenced by the maintenance window ${window.name}`, isForHost: false }
  }
  const isOfServer = target.type === 'monitor' || target.metric !== 'status'
  if (server && isOfServer && (await isToldOffline(db, organization, server.id)))
    return { why: `silenced: its server ${server.name} is offline, which is told`, isForHost: true }
  return undefined
}

const AT_ONCE = 200

/**
 * Gives what tells what opened silently, once there is no reason for silence any more and it is still open. Each call looks at some,
 * and the next at those behind them: what stays silent for long keeps nothing else from being told.
 */
export function createSilenceEnds({ db, clock }: { db: Db; clock: Clock }): () => Promise<void> {
  let last: Silenced | undefined
  return async () => {
    const at = new Date(clock.now())
    const some = await listSilenced(db, last, AT_ONCE)
    for (const silenced of some) await inTransaction(db, (transaction) => endOne(transaction, silenced, at))
    last = some.length < AT_ONCE ? undefined : some.at(-1)
  }
}

/** What ran on a server that is back has so long to come back too, before it is told. */
const HOST_BACK_MS = 180_000
const NOTED_EVERY_MS = 60_000

async function endOne(db: Db, silenced: Silenced, at: Date): Promise<void> {
  const { organization, target_type: type, target_id: id, metric, incident_id: incidentId, incident_at: incidentAt } = silenced
  const hostAgoMs = at.getTime() - (silenced.host_silent_at?.getTime() ?? Number.NEGATIVE_INFINITY)
  const silence = await silenceOf(db, organization, { type, id, metric }, at)
  if (silence?.isForHost && hostAgoMs >= NOTED_EVERY_MS) await noteHostSilent(db, silenced, at)
  if (silence || hostAgoMs < HOST_BACK_MS || !(await unsilence(db, silenced))) return
  await insertIncidentEvent(db, organization, incidentId, { type: 'unsilenced', message: 'it is told from now on' }, at)
  await tell(db, organization, { type: 'incident.opened', incidentId, incidentAt, at })
}
