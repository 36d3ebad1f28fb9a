import { BrowserGoneError, deliver, DeliveryError, deliverPush, type PushDeps } from '../../../notifying/notifications/index.ts'
import type { BulkMailer, Hand } from '../../../platform/bulk-mail/bulk-smtp.ts'
import type { Encrypter } from '../../../platform/crypto/encrypter.ts'
import { encodeId } from '../../../platform/ids.ts'
import type { Log } from '../../../platform/logging/log.ts'
import {
  attemptJob,
  claimAttempt,
  completeJob,
  createPace,
  drainQueue,
  enqueue,
  type Pace,
  type Queue,
  type QueueDeps,
} from '../../../platform/queue/index.ts'
import { MailError } from '../../../platform/smtp.ts'
import { type LinkDeps, stepMail, stepMessage, stepPush } from './letters.ts'
import { deleteSubscriber, readStep, STEP_MAILS, STEP_PUSHES, STEP_WEBHOOKS, type Step, type StepJob } from './store.ts'

export interface SendStepsDeps extends QueueDeps, LinkDeps {
  log: Log
  mailer: BulkMailer
  /** Of the secrets of channels. */
  encrypter: Encrypter
  kinds: Parameters<typeof deliver>[0]['kinds']
  send: Parameters<typeof deliver>[0]['send']
  /** To webhooks of visitors: to public addresses alone. */
  sendToVisitors: SendStepsDeps['send']
  /** To the browsers of visitors. */
  push: PushDeps
}

/**
 * Sends the mails that are due. A job is deleted in the moment in which the content of its mail goes out: a mail is sent once, whatever
 * ends this process. It is stored again only if the server refuses the content.
 */
export async function sendStepMails(deps: SendStepsDeps): Promise<void> {
  if (!deps.mailer.isSetUp) return
  try {
    await drainQueue(deps, STEP_MAILS, (job) => attempt(deps, STEP_MAILS, job, sendMail))
  } finally {
    deps.mailer.close()
  }
}

/** Sends what is due to webhooks and chats, at least once; each attempt has the same `webhook-id`. */
export async function sendStepWebhooks(deps: SendStepsDeps): Promise<void> {
  await drainQueue(deps, STEP_WEBHOOKS, (job) => attempt(deps, STEP_WEBHOOKS, job, sendWebhook))
}

/** Pushes that an instance begins in a minute: a page with the most browsers there may be takes seven. */
const PUSHES_A_MINUTE = 3_000
export const createPushPace = (clock: QueueDeps['clock']): Pace => createPace(clock, PUSHES_A_MINUTE)

/** Sends what is due to browsers, at least once; the last message of a post takes the place of the others. */
export async function sendStepPushes(deps: SendStepsDeps, pace: Pace): Promise<void> {
  await drainQueue(deps, STEP_PUSHES, (job) => attempt(deps, STEP_PUSHES, job, sendPush), { pace })
}

type Send = (deps: SendStepsDeps, job: StepJob, step: Step) => Promise<Error | undefined>

function attempt(deps: SendStepsDeps, queue: Queue<StepJob['payload']>, job: StepJob, send: Send): Promise<void> {
  const { db, log } = deps
  const ids = { subscriber: encodeId('subscriber', job.payload.subscriber_id), post: encodeId('post', job.payload.post_id) }
  return attemptJob(deps, queue, job, {
    attempt: async () => {
      const step = await readStep(db, job)
      if (!step) return void (await completeJob(db, queue, job))
      const reason = await send(deps, job, step)
      const isFinal = reason instanceof BrowserGoneError || (reason instanceof MailError && reason.isFinal)
      if (!isFinal) return reason
      log.info({ ...ids, reason: reason.message }, 'A subscriber cannot be reached')
      return void (await completeJob(db, queue, job))
    },
    onRetry: (_job, error, nextAttemptAt) =>
      log.debug({ ...ids, reason: error.message, next_attempt_at: nextAttemptAt }, 'A post was not accepted and is sent again'),
    abandon: async (_job, error) => {
      await completeJob(db, queue, job)
      log.warn({ ...ids, reason: error.message }, 'A post could not be sent to a subscriber for a day and is given up')
    },
  })
}

/** While a job is stored again, this long nobody else takes it. */
const STORED_AGAIN_MS = 10_000

async function sendMail(deps: SendStepsDeps, job: StepJob, step: Step): Promise<Error | undefined> {
  const { db, clock, log, mailer } = deps
  const { id, organization, key, payload } = job
  const mail = stepMail(deps, step, { organization, pageId: step.page_id, id: payload.subscriber_id }, step.email ?? '')
  let deletion: Promise<boolean> | undefined
  const hand: Hand = (write) =>
    db.connection().execute(async (connection) => {
      if (!(await claimAttempt(connection, STEP_MAILS, job))) return false
      // In one turn: the content leaves to the mail server, and the deletion to the database. Both arrive, also if this process is
      // killed after it.
      if (!write()) return false
      deletion = completeJob(connection, STEP_MAILS, job)
      await deletion
      return true
    })
  try {
    const outcome = await mailer.send(mail, hand)
    // A connection that was lost at that moment: once more.
    await deletion?.catch(() => completeJob(db, STEP_MAILS, job))
    const about = { subscriber: encodeId('subscriber', payload.subscriber_id), post: encodeId('post', payload.post_id) }
    if (outcome === 'unknown')
      log.warn(about, 'The mail server has a mail and did not say whether it accepted it; it is not sent again')
    return undefined
  } catch (error) {
    if (!(error instanceof MailError)) throw error
    const notBefore = new Date(clock.now() + STORED_AGAIN_MS)
    if (await deletion?.catch(() => false))
      await enqueue(db, STEP_MAILS, [{ id, organization, ...(key !== null && { key }), payload, notBefore }], job.created_at)
    return error
  }
}

/** Follows no redirect to another origin: who gave the address has not signed in. */
export const sendOfVisitors =
  ({ sendToVisitors }: Pick<SendStepsDeps, 'sendToVisitors'>): SendStepsDeps['send'] =>
  (request) =>
    sendToVisitors({ ...request, staysAtOrigin: true })

async function sendWebhook(deps: SendStepsDeps, job: StepJob, step: Step): Promise<Error | undefined> {
  const { db, clock, encrypter, kinds } = deps
  const send = step.by_visitor ? sendOfVisitors(deps) : deps.send
  const channel = {
    id: job.payload.subscriber_id,
    type: step.subscriber_type as Exclude<Step['subscriber_type'], 'browser'>,
    config: step.config,
    secrets_encrypted: step.secrets_encrypted as Buffer,
  }
  try {
    const nowMs = () => clock.now()
    await deliver({ encrypter, kinds, send, sendsMail: false, nowMs }, channel, stepMessage(deps, job, step))
    await completeJob(db, STEP_WEBHOOKS, job)
    return undefined
  } catch (error) {
    if (!(error instanceof DeliveryError)) throw error
    return error
  }
}

async function sendPush(deps: SendStepsDeps, job: StepJob, step: Step): Promise<Error | undefined> {
  const { db, clock, push } = deps
  const id = job.payload.subscriber_id
  try {
    await deliverPush(push, { id, encrypted: step.browser_encrypted as Buffer }, stepPush(deps, job, step), clock.now())
    await completeJob(db, STEP_PUSHES, job)
    return undefined
  } catch (error) {
    if (error instanceof BrowserGoneError)
      await deleteSubscriber(db, { organization: job.organization, pageId: step.page_id, id })
    else if (!(error instanceof DeliveryError)) throw error
    return error
  }
}
