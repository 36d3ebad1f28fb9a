import { HOUR_MS } from '@vedette/shared'
import type { IdKind } from '@vedette/shared'
import { recordAudit, SYSTEM } from '../../access/audit/index.ts'
import type { Encrypter } from '../../platform/crypto/encrypter.ts'
import { encodeId } from '../../platform/ids.ts'
import type { Log } from '../../platform/logging/log.ts'
import type { Mail, Mailer } from '../../platform/mail.ts'
import {
  abandonJob,
  attemptJob,
  completeJob,
  drainQueue,
  type Job,
  type QueueDeps,
  RETRY_FOR_MS,
} from '../../platform/queue/index.ts'
import { NO_ORGANIZATION, OUTBOX } from './outbox.ts'

export interface SendMailsDeps extends QueueDeps {
  log: Log
  mailer: Mailer
  encrypter: Encrypter
}

type QueuedMail = Job<{ about_kind: IdKind; letter: string }>

/** Sends the mails that are due. Does nothing without a mail server. */
export async function sendMails(deps: SendMailsDeps): Promise<void> {
  if (!deps.mailer.isSetUp) return
  await drainQueue(deps, OUTBOX, (queued) =>
    attemptJob(deps, OUTBOX, queued, {
      attempt: () => attemptMail(deps, queued),
      onRetry: (_job, error, nextAttemptAt) =>
        deps.log.warn(
          { err: error, about: subjectIdOf(queued), next_attempt_at: nextAttemptAt },
          'A mail was not accepted and is retried',
        ),
      abandon: (_job, error) => abandonMail(deps, queued, error),
    }),
  )
}

/** Gives up mails that were stored more than a day ago when no mail server is set up any more: their links are not kept. */
export async function giveUpOldMails(deps: SendMailsDeps): Promise<void> {
  // An hour more: a process that has a mail server gives them up before.
  const createdBefore = new Date(deps.clock.now() - RETRY_FOR_MS - HOUR_MS)
  const reason = new Error('no process has sent it in time')
  await drainQueue(deps, OUTBOX, (queued) => abandonMail(deps, queued, reason), { createdBefore })
}

async function attemptMail(deps: SendMailsDeps, queued: QueuedMail): Promise<Error | undefined> {
  const mail = decryptMail(deps, queued)
  if (!mail) {
    await abandonMail(deps, queued, new Error('it was encrypted with a secret that is no longer configured'))
    return undefined
  }
  try {
    await deps.mailer.send(mail)
  } catch (error) {
    return error as Error
  }
  await completeJob(deps.db, OUTBOX, queued)
  return undefined
}

/** Undefined when no configured secret decrypts it. What decrypts was stored by the outbox, and is a mail. */
function decryptMail({ encrypter }: SendMailsDeps, { id, payload }: QueuedMail): Mail | undefined {
  const text = encrypter.decrypt(Buffer.from(payload.letter, 'base64'), id)
  return text && (JSON.parse(text.toString()) as Mail)
}

async function abandonMail({ db, clock, log }: SendMailsDeps, queued: QueuedMail, error: Error): Promise<void> {
  const { organization, key, payload, created_at: queuedAt } = queued
  const isAbandoned = await abandonJob(db, OUTBOX, queued, async (transaction) => {
    if (organization === NO_ORGANIZATION) return
    const target = { kind: payload.about_kind, id: key as string }
    const entry = { action: 'mail.failed', target, details: { queued_at: queuedAt.toISOString() } }
    await recordAudit(transaction, organization, SYSTEM, entry, new Date(clock.now()))
  })
  if (isAbandoned) log.error({ err: error, about: subjectIdOf(queued) }, 'A mail could not be sent for a day and is given up')
}

const subjectIdOf = ({ payload, key }: QueuedMail): string => encodeId(payload.about_kind, key as string)
