import { recordAudit, SYSTEM } from '../audit/index.ts'
import type { Clock } from '../platform/clock.ts'
import { type Db, inTransaction } from '../platform/db/index.ts'
import { encodeId } from '../platform/ids.ts'
import type { Log } from '../platform/log.ts'
import type { Mail, Mailer } from '../platform/mail.ts'
import type { Sealer } from '../platform/sealer.ts'
import { workOff } from '../platform/work-off.ts'
import * as store from './store.ts'

// A mail in the outbox: waits → is leased by one process → taken by the mail server: gone; else it waits again, longer after each
// failure, until it is given up. A process that dies holds it no longer than its lease.

export interface SendMailsDeps {
  db: Db
  clock: Clock
  log: Log
  mailer: Mailer
  sealer: Sealer
  ending: AbortSignal
}

/** Longer than a mail may take, so that no two processes send the same one. */
const LEASE_MS = 60_000
const AT_ONCE = 5
const SECOND_MS = 1_000
const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000
/** From one try to the next; the last of them again and again. */
const PAUSES_MS = [5 * SECOND_MS, 30 * SECOND_MS, 2 * MINUTE_MS, 10 * MINUTE_MS, 30 * MINUTE_MS, HOUR_MS]
const GIVE_UP_AFTER_MS = 24 * HOUR_MS

/** Sends what is due. Does nothing where no mail server is set up. */
export async function sendMails(deps: SendMailsDeps): Promise<void> {
  if (deps.mailer.isSetUp)
    await workOff(
      () => leaseMails(deps),
      (mail) => sendMail(deps, mail),
      deps.ending,
    )
}

/** Gives up what nobody has sent for more than a day, because no mail server is set up any more: its link is not kept for ever. */
export async function giveUpOldMails(deps: SendMailsDeps): Promise<void> {
  // An hour more: whoever sends mail has given it up by then.
  const putBefore = new Date(deps.clock.now() - GIVE_UP_AFTER_MS - HOUR_MS)
  const reason = new Error('nobody has sent it in time')
  await workOff(
    () => leaseMails(deps, { putBefore }),
    (mail) => giveUp(deps, mail, reason),
    deps.ending,
  )
}

function leaseMails({ db, clock }: SendMailsDeps, only: Pick<store.Lease, 'putBefore'> = {}): Promise<store.QueuedMail[]> {
  const now = clock.now()
  return store.leaseMails(db, { at: new Date(now), until: new Date(now + LEASE_MS), limit: AT_ONCE, ...only })
}

async function sendMail(deps: SendMailsDeps, queued: store.QueuedMail): Promise<void> {
  const { db, clock, mailer, ending } = deps
  const mail = openLetter(deps, queued)
  if (!mail) return giveUp(deps, queued, new Error('it was sealed with a secret that is not used any more'))
  try {
    await mailer.send(mail)
  } catch (error) {
    // Cut by our own end, not refused: another process may try at once.
    if (ending.aborted) return store.postponeMail(db, queued.id, queued.tries, new Date(clock.now()))
    return retryLater(deps, queued, error)
  }
  await store.deleteMail(db, queued.id)
}

/** Undefined when no secret of today opens it. What opens was sealed by `createOutbox`, so that it is a mail. */
function openLetter({ sealer }: SendMailsDeps, { id, letter }: store.QueuedMail): Mail | undefined {
  const text = sealer.open(letter, id)
  return text && (JSON.parse(text.toString()) as Mail)
}

async function retryLater(deps: SendMailsDeps, queued: store.QueuedMail, error: unknown): Promise<void> {
  const { db, clock, log } = deps
  const nextTryMs = clock.now() + (PAUSES_MS[Math.min(queued.tries, PAUSES_MS.length - 1)] as number)
  if (nextTryMs > queued.created_at.getTime() + GIVE_UP_AFTER_MS) return giveUp(deps, queued, error)
  const nextTryAt = new Date(nextTryMs)
  log.warn({ err: error, about: aboutOf(queued), next_try_at: nextTryAt }, 'a mail was not taken; it will be tried again')
  await store.postponeMail(db, queued.id, queued.tries + 1, nextTryAt)
}

async function giveUp({ db, clock, log }: SendMailsDeps, queued: store.QueuedMail, error: unknown): Promise<void> {
  const { id, organization, about_kind, about_id, created_at: queuedAt } = queued
  const isGivenUp = await inTransaction(db, async (transaction) => {
    if (!(await store.deleteMail(transaction, id))) return false
    const target = { kind: about_kind, id: about_id }
    const entry = { action: 'mail.given_up', target, details: { queued_at: queuedAt.toISOString() } }
    await recordAudit(transaction, organization, SYSTEM, entry, new Date(clock.now()))
    return true
  })
  if (isGivenUp) log.error({ err: error, about: aboutOf(queued) }, 'a mail was given up; what it told of stands')
}

const aboutOf = ({ about_kind, about_id }: store.QueuedMail): string => encodeId(about_kind, about_id)
