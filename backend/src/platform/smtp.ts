import { truncateText } from '@vedette/shared'
import { createTransport, type SentMessageInfo } from 'nodemailer'
import type { Mail, Mailer } from './mail.ts'
import { parseSmtpUrl, type SmtpServer } from './smtp-url.ts'

/** Enough for a server that greets late (greylisting waits for seconds). */
export const SEND_LIMIT_MS = 20_000

/** Why a mail was not accepted. Never contains the login or the content. */
export class MailError extends Error {
  /** The mailbox will not accept it later either. */
  readonly isFinal: boolean
  constructor(message: string, isFinal = false) {
    super(message)
    this.isFinal = isFinal
  }
}

interface MailerOptions {
  limitMs?: number
  /** Aborts mails that are being sent: the program may end before the mail server answers. */
  ending?: AbortSignal
}

/**
 * Sends by the SMTP server of the URL (see `parseSmtpUrl`); without a URL sending throws. Each mail has a connection of its own: mails
 * are rare, and servers close idle connections.
 */
export function createMailer(
  smtpUrl: string | undefined,
  from: string,
  { limitMs = SEND_LIMIT_MS, ending }: MailerOptions = {},
): Mailer {
  if (smtpUrl === undefined) {
    return { isSetUp: false, send: () => Promise.reject(new MailError('No mail server is set up (VEDETTE_SMTP_URL).')) }
  }
  const server = parseSmtpUrl(smtpUrl)
  if (!server) throw new Error('VEDETTE_SMTP_URL is not an SMTP URL')
  const signal = () => AbortSignal.any([AbortSignal.timeout(limitMs), ...(ending ? [ending] : [])])
  const transport = createTransport(transportOptions(server, limitMs))
  return {
    isSetUp: true,
    send: async (mail: Mail) => {
      try {
        const message = messageOf(mail, server.from ?? from)
        await (transport.sendMail({ ...message, signal: signal() }) as Promise<SentMessageInfo>)
      } catch (error) {
        throw new MailError(reasonOf(error, 'did not accept the message'))
      }
    },
  }
}

export const messageOf = ({ to, subject, text, html, unsubscribeUrl }: Mail, from: string) => ({
  from,
  // As an object it is one address, whatever it contains.
  to: { name: '', address: to },
  subject,
  text,
  html,
  headers: { ...AUTOMATIC, ...unsubscribeHeaders(unsubscribeUrl) },
})

/** Nobody's holiday reply comes back (RFC 3834); Exchange reads the second one. */
const AUTOMATIC = { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' }

/** For the button of mail programs (RFC 2369 and 8058). */
const unsubscribeHeaders = (url: string | undefined): Record<string, string> =>
  url === undefined ? {} : { 'List-Unsubscribe': `<${url}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' }

/** Connects, encrypts and logs in as for a mail, and sends none. Throws MailError with the reason. */
export async function verifyMailServer(smtpUrl: string, limitMs: number): Promise<void> {
  const server = parseSmtpUrl(smtpUrl)
  if (!server) throw new MailError('VEDETTE_SMTP_URL is not an SMTP URL.')
  const transport = createTransport(transportOptions(server, limitMs))
  try {
    await transport.verify()
  } catch (error) {
    throw new MailError(reasonOf(error, 'cannot be reached'))
  } finally {
    transport.close()
  }
}

export function transportOptions({ host, port, isTls, startTls, login }: SmtpServer, limitMs: number) {
  return {
    host,
    port,
    secure: isTls,
    requireTLS: startTls === 'required',
    ignoreTLS: startTls === 'never',
    ...(login ? { auth: { user: login.user, pass: login.password } } : {}),
    connectionTimeout: limitMs,
    greetingTimeout: limitMs,
    socketTimeout: limitMs,
    dnsTimeout: limitMs,
    logger: false as const,
    disableFileAccess: true,
    disableUrlAccess: true,
  }
}

/** The fields of the library's errors. */
interface SendError {
  name?: string
  code?: string
  command?: string
  responseCode?: number
  response?: string
}

/** The server's response to the login is omitted: some repeat the password. */
export function reasonOf(error: unknown, failure: string): string {
  const { name, code = 'no code', command = '', responseCode = 0, response } = error as SendError
  if (name === 'AbortError' || code === 'ABORT_ERR' || code === 'ETIMEDOUT') return 'The mail server did not answer in time.'
  if (code === 'ETLS')
    return 'The mail server offers no TLS, or a certificate that is not trusted (see tls= in VEDETTE_SMTP_URL).'
  if (code === 'EAUTH') return `The mail server refused the login (${responseCode}).`
  const words = response && !command.startsWith('AUTH') ? `: ${truncateText(response, 200)}` : ''
  return `The mail server ${failure} (${code})${words}`
}
