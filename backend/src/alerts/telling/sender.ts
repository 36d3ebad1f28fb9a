import { recordAudit, SYSTEM } from '../../audit/index.ts'
import type { Outbox } from '../../mail/index.ts'
import type { Clock } from '../../platform/clock.ts'
import { type Db, inTransaction } from '../../platform/db/index.ts'
import { encodeId } from '../../platform/ids.ts'
import type { Log } from '../../platform/log.ts'
import type { Mail } from '../../platform/mail.ts'
import { chance } from '../../platform/random.ts'
import { type ChannelRow, clearFault, findChannel } from '../channels/store.ts'
import { deliver, type DeliveryDeps, messageOf } from './deliver.ts'
import { DeliveryError } from './delivery.ts'
import { noteFailure } from './note-fault.ts'
import { nextTryAt } from './retry.ts'
import * as store from './store.ts'

// A telling: waits → is leased by one process → taken by its service: gone, and the next of the same incident goes; else it waits
// again, longer after each failure, until it is given up. A process that dies holds it no longer than its lease.
//
// Every channel with something due has a lane of its own: one that hangs holds up nobody else.

export interface SenderDeps extends Omit<DeliveryDeps, 'nowMs'> {
  db: Db
  clock: Clock
  log: Log
  outbox: Outbox
  /** Where links lead; undefined: messages have none. */
  publicUrl: (() => string) | undefined
  ending: AbortSignal
}

export interface Sender {
  /** Begins to send what is due; resolves when it is known what that is. */
  wake(): Promise<void>
  /** Resolves when nothing is under way. */
  idle(): Promise<void>
}

/** Longer than a telling may take, so that no two processes send the same one. */
const LEASE_MS = 30_000
/** Under way at one channel: a service that takes 200 ms gets 40 a second. */
const PER_CHANNEL = 8
/** Channels at once: what hangs waits, and costs a socket. */
const MAX_LANES = 256

export function createSender(deps: SenderDeps): Sender {
  const { db, clock, ending } = deps
  const lanes = new Map<string, Promise<void>>()

  function start(key: store.ChannelKey): void {
    const name = `${key.organization}.${key.channel_id}`
    if (lanes.has(name) || lanes.size >= MAX_LANES) return
    const lane = runLane(deps, key)
      .catch((error: unknown) => deps.log.error({ err: error }, 'tellings of a channel had to be left for a moment'))
      .finally(() => lanes.delete(name))
    lanes.set(name, lane)
  }

  return {
    wake: async () => {
      if (ending.aborted) return
      for (const key of await store.findDueChannels(db, new Date(clock.now()))) start(key)
    },
    idle: async () => {
      while (lanes.size > 0) await Promise.all(lanes.values())
    },
  }
}

/** Sends what is due of one channel, some at once, until nothing is. */
async function runLane(deps: SenderDeps, key: store.ChannelKey): Promise<void> {
  const { db, clock, ending } = deps
  const underWay = new Set<Promise<void>>()
  try {
    while (!ending.aborted) {
      const now = clock.now()
      const leased = await store.leaseTellings(db, key, new Date(now), new Date(now + LEASE_MS), PER_CHANNEL - underWay.size)
      const channel = leased.length === 0 ? undefined : await findChannel(db, key.organization, key.channel_id)
      if (leased.length > 0 && !channel?.enabled) return forget(deps, key)
      for (const telling of leased) {
        const sending = sendTelling(deps, channel as ChannelRow, telling).finally(() => underWay.delete(sending))
        underWay.add(sending)
      }
      if (underWay.size === 0) return
      await Promise.race(underWay)
    }
  } finally {
    await Promise.allSettled(underWay)
  }
}

async function forget({ db, log }: SenderDeps, key: store.ChannelKey): Promise<void> {
  const count = await store.deleteTellingsOf(db, key)
  log.info(
    { channel: encodeId('channel', key.channel_id), count },
    'a channel is gone or disabled; what waited for it is forgotten',
  )
}

async function sendTelling(deps: SenderDeps, channel: ChannelRow, telling: store.QueuedTelling): Promise<void> {
  const { db, clock, log, publicUrl, ending } = deps
  const told = await store.readToldEvent(db, telling)
  if (!told) return giveUp(deps, channel, telling, new Error('what it tells of is kept no more'))
  try {
    const message = messageOf(telling, told, publicUrl?.())
    const { mails } = await deliver({ ...deps, nowMs: () => clock.now() }, channel, message)
    await finish(deps, channel, telling, mails)
    log.debug({ channel: encodeId('channel', channel.id), telling: message.id, type: told.type }, 'told')
  } catch (error) {
    if (!(error instanceof DeliveryError)) throw error
    // Cut by our own end, not refused: another process may try at once.
    if (ending.aborted) return store.postponeTelling(db, telling, telling.tries, new Date(clock.now()))
    await noteFailure(deps, telling.organization, channel, error, clock.now())
    await retryLater(deps, channel, telling, error)
  }
}

/** It is told: mails go into the outbox with the end of the telling, so that they are put in once. */
async function finish(
  { db, clock, outbox }: SenderDeps,
  channel: ChannelRow,
  telling: store.QueuedTelling,
  mails: readonly Mail[],
): Promise<void> {
  const { organization, incident_id: incidentId, channel_id: channelId } = telling
  const about =
    incidentId === null
      ? ({ organization, kind: 'channel', id: channelId } as const)
      : ({ organization, kind: 'incident', id: incidentId } as const)
  await inTransaction(db, async (transaction) => {
    const at = new Date(clock.now())
    if (!(await store.deleteTelling(transaction, telling, at))) return
    for (const mail of mails) await outbox.put(transaction, about, mail, at)
    if (channel.last_error !== null) await clearFault(transaction, organization, channelId)
  })
}

async function retryLater(
  deps: SenderDeps,
  channel: ChannelRow,
  telling: store.QueuedTelling,
  error: DeliveryError,
): Promise<void> {
  const { db, clock, log } = deps
  const nextMs = nextTryAt(telling.created_at.getTime(), telling.tries, clock.now(), chance())
  if (nextMs === undefined) return giveUp(deps, channel, telling, error)
  const about = { channel: encodeId('channel', channel.id), telling: encodeId('telling', telling.id) }
  log.warn({ ...about, code: error.code, reason: error.message, next_try_at: new Date(nextMs) }, 'a telling was not taken')
  await store.postponeTelling(db, telling, telling.tries + 1, new Date(nextMs))
}

async function giveUp(
  { db, clock, log }: SenderDeps,
  channel: ChannelRow,
  telling: store.QueuedTelling,
  error: Error,
): Promise<void> {
  const { organization, created_at: storedAt, tries } = telling
  const incident = telling.incident_id === null ? {} : { incident: encodeId('incident', telling.incident_id) }
  const isGone = await inTransaction(db, async (transaction) => {
    const at = new Date(clock.now())
    if (!(await store.deleteTelling(transaction, telling, at))) return false
    const details = { ...incident, stored_at: storedAt.toISOString(), tries: tries + 1, reason: error.message }
    const entry = { action: 'telling.given_up', target: { kind: 'channel', id: channel.id } as const, details }
    await recordAudit(transaction, organization, SYSTEM, entry, at)
    return true
  })
  if (isGone)
    log.error({ ...incident, channel: encodeId('channel', channel.id), reason: error.message }, 'a telling was given up')
}
