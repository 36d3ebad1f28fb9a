import { Readable } from 'node:stream'
import MailComposer from 'nodemailer/lib/mail-composer'
import SMTPConnection from 'nodemailer/lib/smtp-connection'
import type { Mail } from '../mail.ts'
import { MailError, messageOf, reasonOf, SEND_LIMIT_MS, transportOptions } from '../smtp.ts'
import { parseSmtpUrl } from '../smtp-url.ts'
import { after } from '../time/monotonic.ts'

// Mails to many people. A connection is used for many mails: each costs four answers of the server in place of six or more. Until
// the server has the whole content it has not accepted a mail; from then on it may have, even if this process is killed.

/** `unknown`: the server has the content and gave no answer. `unclaimed`: somebody else sends it. */
export type BulkOutcome = 'accepted' | 'unknown' | 'unclaimed'

/** `write` is false where the attempt has ended meanwhile: the content was not sent, and will not be. */
export type Hand = (write: () => boolean) => Promise<boolean>

export interface BulkMailer {
  readonly isSetUp: boolean
  /**
   * Sends one mail. `hand` is called when the server is ready for the content; it writes the content by the function that it gets, or
   * resolves with false and the content is not sent. Throws MailError where the server did not accept it.
   */
  send(mail: Mail, hand: Hand): Promise<BulkOutcome>
  /** Ends the connections that wait for another mail. */
  close(): void
}

interface BulkOptions {
  limitMs?: number
  ending?: AbortSignal
}

/** Servers limit the mails of a connection, most to a hundred. */
const MAX_MAILS_OF_CONNECTION = 100

interface Connection {
  smtp: SMTPConnection
  /** Rejects when the connection fails or ends. */
  lost: Promise<never>
  mails: number
}

interface Letter {
  envelope: { from: string; to: string[] }
  content: Buffer
}

export function createBulkMailer(
  smtpUrl: string | undefined,
  from: string,
  { limitMs = SEND_LIMIT_MS, ending }: BulkOptions = {},
): BulkMailer {
  const server = smtpUrl === undefined ? undefined : parseSmtpUrl(smtpUrl)
  const idle = new Set<Connection>()

  async function send(mail: Mail, hand: Hand): Promise<BulkOutcome> {
    if (!server) throw new MailError('No mail server is set up (VEDETTE_SMTP_URL).')
    const letter = await compose(mail, server.from ?? from)
    for (;;) {
      const [waiting] = idle
      if (waiting) idle.delete(waiting)
      const transfer = transferOf(letter, hand, limitMs, ending)
      try {
        const connection = waiting ?? (await transfer.within(open()))
        const outcome = await transfer.over(connection)
        connection.mails += 1
        if (outcome === 'accepted') {
          if (connection.mails < MAX_MAILS_OF_CONNECTION) idle.add(connection)
          else connection.smtp.quit()
        }
        return outcome
      } catch (error) {
        // The server has closed a connection that waited.
        if (waiting && !transfer.isHanded() && isLost(error)) continue
        throw error instanceof MailError ? error : toMailError(error)
      } finally {
        transfer.end()
      }
    }
  }

  async function open(): Promise<Connection> {
    const options = transportOptions(server as NonNullable<typeof server>, limitMs)
    const smtp = new SMTPConnection(options)
    const { promise: lost, reject } = Promise.withResolvers<never>()
    const connection = { smtp, lost, mails: 0 }
    lost.catch(() => idle.delete(connection))
    smtp.on('error', reject)
    smtp.on('end', () => reject(Object.assign(new Error('the connection ended'), { code: 'ECONNECTION' })))
    try {
      await Promise.race([new Promise<void>((resolve) => smtp.connect(() => resolve())), lost])
      const { auth } = options
      if (auth) {
        const login = new Promise<void>((resolve, refuse) => {
          smtp.login({ credentials: auth }, (error) => (error ? refuse(error) : resolve()))
        })
        await Promise.race([login, lost])
      }
    } catch (error) {
      smtp.close()
      throw error
    }
    return connection
  }

  return {
    isSetUp: server !== undefined,
    send,
    close: () => {
      for (const { smtp } of idle) smtp.quit()
      idle.clear()
    },
  }
}

/** One attempt, which ends by itself after the limit, or when the program ends. */
function transferOf({ envelope, content }: Letter, hand: Hand, limitMs: number, ending?: AbortSignal) {
  let [isHanded, isUnclaimed, isOver] = [false, false, false]
  const late = Promise.withResolvers<never>()
  late.promise.catch(() => undefined)
  const stop = () => late.reject(Object.assign(new Error('too late'), { code: 'ETIMEDOUT' }))
  const timer = after(limitMs, stop, { isKeptAlive: true })
  ending?.addEventListener('abort', stop)
  if (ending?.aborted) stop()

  /** Is read once the server is ready for the content. The content and its end leave in the turn of the event loop that writes. */
  function contentStream(): Readable {
    let isWanted = false
    const stream = new Readable({
      read: () => {
        if (isWanted) return
        isWanted = true
        const write = () => {
          if (isOver) return false
          isHanded = true
          stream.push(content)
          stream.push(null)
          return true
        }
        void begin(stream, write)
      },
    })
    return stream
  }

  async function begin(stream: Readable, write: () => boolean): Promise<void> {
    try {
      isUnclaimed = !(await hand(write))
      // An end of the stream would end the message.
      if (isUnclaimed) stream.destroy(new Error('unclaimed'))
    } catch (error) {
      // Once the content has left, the answer of the server counts.
      if (!isHanded) stream.destroy(error as Error)
    }
  }

  async function over({ smtp, lost }: Connection): Promise<BulkOutcome> {
    const stream = contentStream()
    const sent = new Promise<void>((resolve, reject) => {
      stream.on('error', reject)
      smtp.send(envelope, stream, (error) => (error ? reject(error) : resolve()))
    })
    try {
      await Promise.race([sent, lost, late.promise])
      return 'accepted'
    } catch (error) {
      isOver = true
      sent.catch(() => undefined)
      smtp.close()
      if (isUnclaimed) return 'unclaimed'
      if (isHanded && !isRefusal(error)) return 'unknown'
      throw error
    }
  }
  return {
    within: (opening: Promise<Connection>) =>
      Promise.race([opening, late.promise]).catch((error: unknown) => {
        // It may come after the limit.
        opening.then(({ smtp }) => smtp.close()).catch(() => undefined)
        throw error
      }),
    over,
    isHanded: () => isHanded,
    end: () => {
      timer.cancel()
      ending?.removeEventListener('abort', stop)
    },
  }
}

async function compose(mail: Mail, from: string): Promise<Letter> {
  const node = new MailComposer(messageOf(mail, from)).compile()
  const { from: sender, to } = node.getEnvelope()
  return { envelope: { from: sender === false ? '' : (sender ?? ''), to: to ?? [] }, content: await node.build() }
}

const isRefusal = (error: unknown): boolean => ((error as { responseCode?: number }).responseCode ?? 0) >= 400
const isLost = (error: unknown): boolean => !isRefusal(error) && (error as { code?: string }).code !== 'ETIMEDOUT'

/** A mailbox that does not exist is not tried again. */
function toMailError(error: unknown): MailError {
  const { responseCode = 0 } = error as { responseCode?: number }
  return new MailError(reasonOf(error, 'did not accept the message'), responseCode >= 550 && responseCode <= 554)
}
