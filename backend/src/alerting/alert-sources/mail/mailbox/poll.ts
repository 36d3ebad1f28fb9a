import type { Log } from '../../../../platform/logging/log.ts'
import type { Clock } from '../../../../platform/time/clock.ts'
import type { Deliver } from '../conversation.ts'
import { readMail } from '../read-mail.ts'
import { type ClientOptions, type ImapClient, MAX_LITERAL_BYTES, MailboxFault, openMailbox, quoted } from './client.ts'
import { tokensOf } from './tokens.ts'
import type { Mailbox } from '../../../../platform/mailbox-url.ts'

export interface PollDeps extends ClientOptions {
  deliver: Deliver
}

/** Of one poll; the next one reads on. */
const MAX_MAILS = 500
export const POLL_MS = 60_000

/**
 * Reads the mails of a mailbox that are not marked as seen, oldest first, and marks each once its alerts are stored: one that is killed
 * in between reads it again, which changes nothing. What names no source is marked too; what its source may not send yet waits. Returns
 * the number of stored alerts. Throws MailboxFault, and what fails to be stored.
 */
export async function pollMailbox({ deliver, ...options }: PollDeps, mailbox: Mailbox): Promise<number> {
  const client = await openMailbox(mailbox, options)
  try {
    await client.command(`SELECT ${quoted(mailbox.folder)}`)
    let stored = 0
    for (const uid of await unseen(client)) {
      const mail = await fetchMail(client, uid)
      const outcomes = await deliverAll(deliver, mail)
      stored += outcomes.filter((outcome) => outcome === 'stored').length
      if (outcomes.includes('limited')) break
      await client.command(`UID STORE ${uid} +FLAGS.SILENT (\\Seen)`)
    }
    await client.command('LOGOUT').catch(() => undefined)
    return stored
  } finally {
    client.end()
  }
}

async function unseen(client: ImapClient): Promise<number[]> {
  const found = await client.command('UID SEARCH UNSEEN')
  const numbers = found.flatMap(({ line }) => /^\* SEARCH ([\d ]+)$/i.exec(line)?.[1]?.trim().split(' ') ?? [])
  return numbers
    .map(Number)
    .toSorted((one, other) => one - other)
    .slice(0, MAX_MAILS)
}

/** Its first MiB; empty where somebody has deleted it. */
async function fetchMail(client: ImapClient, uid: number): Promise<Buffer> {
  const data = await client.command(`UID FETCH ${uid} (BODY.PEEK[]<0.${MAX_LITERAL_BYTES}>)`)
  return data.find(({ line, literals }) => literals.length > 0 && line.includes('BODY[]'))?.literals[0] ?? Buffer.alloc(0)
}

async function deliverAll(deliver: Deliver, mail: Buffer) {
  const tokens = tokensOf(mail)
  if (tokens.length === 0) return []
  const alert = readMail(mail)
  const outcomes: Awaited<ReturnType<Deliver>>[] = []
  for (const token of tokens) outcomes.push(await deliver(token, alert))
  return outcomes
}

export interface MailboxWatch {
  /** Ends the poll under way. */
  close(): Promise<void>
}

/** Polls a mailbox each minute. What fails is said once, until it is something else or works again. */
export function watchMailbox(
  { deliver, log, clock }: { deliver: Deliver; log: Log; clock: Clock },
  mailbox: Mailbox,
): MailboxWatch {
  const ending = new AbortController()
  const { signal } = ending
  let said = ''
  async function poll(): Promise<void> {
    try {
      await pollMailbox({ deliver, signal }, mailbox)
      if (said !== '') log.info({ host: mailbox.host }, 'the mailbox of alerts is read again')
      said = ''
    } catch (error) {
      if (signal.aborted) return
      const reason = error instanceof MailboxFault ? error.message : String(error)
      if (reason !== said)
        log.warn({ host: mailbox.host, reason }, 'the mailbox of alerts cannot be read; it is tried each minute')
      said = reason
    }
  }
  async function run(): Promise<void> {
    while (!signal.aborted) {
      await poll()
      await clock.sleep(POLL_MS, signal)
    }
  }
  const running = run()
  return {
    close: async () => {
      ending.abort()
      await running
    },
  }
}
