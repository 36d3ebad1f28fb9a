import { recordAudit, SYSTEM } from '../../../access/audit/index.ts'
import type { Outbox } from '../../mail/index.ts'
import { type Db, inTransaction } from '../../../platform/db/index.ts'
import { ApiError } from '../../../platform/errors.ts'
import { encodeId } from '../../../platform/ids.ts'
import type { Log } from '../../../platform/logging/log.ts'
import type { Language } from '../../../platform/language/index.ts'
import type { Mail } from '../../../platform/mail.ts'
import { abandonJob, attemptJob, completeJob, createLanes, deleteJobs, type Lanes } from '../../../platform/queue/index.ts'
import type { Clock } from '../../../platform/time/clock.ts'
import { actionUrl } from '../action-links/link.ts'
import { findRecipientChannel, type RecipientChannel } from '../channels/recipient-store.ts'
import { type ChannelRow, clearChannelFailure } from '../channels/store.ts'
import { DeliveryError } from '../messages/delivery.ts'
import type { Encrypter } from '../../../platform/crypto/encrypter.ts'
import type { Message } from '../messages/message.ts'
import { deliver, type DeliveryDeps, toMessage } from './deliver.ts'
import { recordFailure } from './record-failure.ts'
import { joinGroup } from './group.ts'
import { deleteMembers, readMembers } from './group-store.ts'
import { DELIVERIES, type Delivery, readContent } from './store.ts'

export interface SenderDeps extends Omit<DeliveryDeps, 'nowMs'> {
  db: Db
  clock: Clock
  log: Log
  outbox: Outbox
  /** How long incidents wait after one that opened or ended, to be sent together, ms; 0: each is sent alone. */
  groupMs: number
  /** Encrypts the links by which people act. */
  actionEncrypter: Encrypter
  /** Where links lead; undefined: messages have none. */
  publicUrl: (() => string) | undefined
  ending: AbortSignal
}

/** Of a group, in the body of a webhook, after the first incident. */
const MAX_OTHERS = 99

/** Sends the deliveries that are due, each channel on its own. */
export const createSender = (deps: SenderDeps): Lanes => createLanes(deps, DELIVERIES, (delivery) => sendDelivery(deps, delivery))

async function sendDelivery(deps: SenderDeps, delivery: Delivery): Promise<void> {
  const channelId = delivery.lane as string
  const channel = await findRecipientChannel(deps.db, delivery.organization, channelId)
  if (!channel?.enabled) return discardDeliveries(deps, delivery.organization, channelId)
  const takesEach = deps.kinds[channel.type]?.takesEachIncident === true
  const due = takesEach ? delivery : await joinGroup(deps, delivery)
  if (!due) return
  await attemptJob(deps, DELIVERIES, due, {
    attempt: () => attemptDelivery(deps, channel, due),
    onRetry: (_job, error, nextAttemptAt) =>
      deps.log.warn({ ...idsOf(due), reason: error.message, next_attempt_at: nextAttemptAt }, 'A notification was not accepted'),
    abandon: (_job, error) => abandon(deps, due, error),
  })
}

async function discardDeliveries({ db, log }: SenderDeps, organization: number, channelId: string): Promise<void> {
  const count = await deleteJobs(db, DELIVERIES.table, organization, { lane: channelId })
  if (count > 0)
    log.info({ channel: encodeId('channel', channelId), count }, 'Discarded the notifications of a deleted or disabled channel')
}

/** Resolves with the reason where the channel did not accept it. */
async function attemptDelivery(deps: SenderDeps, channel: RecipientChannel, delivery: Delivery): Promise<Error | undefined> {
  const { db, clock, log, publicUrl, ending } = deps
  const content = await readContent(db, delivery)
  if (!content) {
    await abandon(deps, delivery, new Error('the event is past its retention'))
    return undefined
  }
  try {
    const others = delivery.payload.group_id === null ? undefined : await readMembers(db, delivery, MAX_OTHERS)
    const message = withAction(deps, channel, delivery, toMessage(delivery, content, publicUrl?.(), others))
    const { mails, templateFault } = await deliver({ ...deps, nowMs: () => clock.now() }, channel, message)
    if (templateFault !== undefined)
      log.warn({ ...idsOf(delivery), reason: templateFault }, 'A template of a channel failed; the standard text was sent')
    await complete(deps, channel, delivery, mails, content.language)
    log.debug({ ...idsOf(delivery), type: content.type }, 'Delivered a notification')
    return undefined
  } catch (error) {
    if (!(error instanceof DeliveryError)) throw error
    if (!ending.aborted) await recordFailure(db, delivery.organization, channel, error, clock.now())
    return error
  }
}

/** Adds that buttons act on an incident that is open; for the person of a contact method the link by which they do. */
function withAction(
  { actionEncrypter: encrypter, publicUrl, clock }: SenderDeps,
  { organization_id: organizationId, user_id: userId, id: channelId }: RecipientChannel,
  { payload: { incident_id: incidentId } }: Delivery,
  message: Message,
): Message {
  const { incident, incidents } = message.data
  const isOfOne = incident?.status === 'open' && incidents === undefined
  if (!isOfOne || incidentId === null || !publicUrl) return message
  if (organizationId === null || userId === null) return { ...message, actionIncident: incident.id }
  const link = { organizationId, userId, channelId, incidentId }
  return { ...message, actionLink: actionUrl(encrypter, publicUrl(), link, clock.now()) }
}

/** Mails go into the outbox in the transaction that deletes the delivery, so that they are stored once. */
async function complete(
  { db, clock, outbox }: SenderDeps,
  channel: ChannelRow,
  delivery: Delivery,
  mails: readonly Mail[],
  language: Language = 'en',
): Promise<void> {
  const { organization, payload } = delivery
  const { incident_id: incidentId } = payload
  const subject =
    incidentId === null
      ? ({ organization, kind: 'channel', id: channel.id } as const)
      : ({ organization, kind: 'incident', id: incidentId } as const)
  await inTransaction(db, async (transaction) => {
    if (!(await completeJob(transaction, DELIVERIES, delivery))) return
    if (payload.group_id !== null) await deleteMembers(transaction, delivery)
    for (const mail of mails) await putMail(outbox, transaction, { subject, mail, language }, new Date(clock.now()))
    if (channel.last_error !== null) await clearChannelFailure(transaction, organization, channel.id)
  })
}

/** A mail that the budget of its address refuses is a delivery that failed: it is retried, and the channel says so. */
async function putMail(
  outbox: Outbox,
  db: Db,
  { subject, mail, language }: { subject: Parameters<Outbox['put']>[1]; mail: Mail; language: Language },
  at: Date,
): Promise<void> {
  try {
    await outbox.put(db, subject, mail, at, { hasLink: true, language })
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'rate_limited') throw error
    const how = 'Nobody has confirmed the address: open the link in a mail that it has got.'
    throw new DeliveryError('refused', `${mail.to}, or the organization, has got too many mails today. ${how}`)
  }
}

async function abandon({ db, clock, log }: SenderDeps, delivery: Delivery, error: Error): Promise<void> {
  const { organization, created_at: storedAt, attempts, payload } = delivery
  const incident = payload.incident_id === null ? {} : { incident: encodeId('incident', payload.incident_id) }
  const isAbandoned = await abandonJob(db, DELIVERIES, delivery, async (transaction) => {
    const others = payload.group_id === null ? 0 : await deleteMembers(transaction, delivery)
    const more = others > 0 ? { other_incidents: others } : {}
    const details = { ...incident, ...more, stored_at: storedAt.toISOString(), tries: attempts + 1, reason: error.message }
    const target = { kind: 'channel', id: delivery.lane as string } as const
    await recordAudit(
      transaction,
      organization,
      SYSTEM,
      { action: 'notification.failed', target, details },
      new Date(clock.now()),
    )
  })
  if (isAbandoned)
    log.error({ ...incident, ...idsOf(delivery), reason: error.message }, 'A notification failed for a day and is given up')
}

const idsOf = ({ id, lane }: Delivery) => ({
  channel: encodeId('channel', lane as string),
  notification: encodeId('notification', id),
})
