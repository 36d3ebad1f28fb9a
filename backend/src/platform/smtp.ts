import { createTransport, type SentMessageInfo } from 'nodemailer'
import type { Mail, Mailer } from './mail.ts'
import { parseSmtpUrl, type SmtpServer } from './smtp-url.ts'

/** A server that greets late (grey-listing waits for seconds) still gets its mail; one that hangs holds nothing for longer. */
const SEND_LIMIT_MS = 20_000

/** Why a mail was not taken. Never holds the login or the content. */
export class MailError extends Error {}

interface MailerOptions {
  limitMs?: number
  /** Cuts what is under way: the program ends sooner than a mail server may answer. */
  ending?: AbortSignal
}

/**
 * Mail by the SMTP server of the URL (see `parseSmtpUrl`); without a URL nothing is set up, and sending throws. Each mail is a
 * connection of its own: mails are rare, and an idle connection would be closed by the server anyway.
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
    send: async ({ to, subject, text, html }: Mail) => {
      try {
        // An object: the address is one address, whatever stands in it.
        const message = { from: server.from ?? from, to: { name: '', address: to }, subject, text, html }
        await (transport.sendMail({ ...message, signal: signal() }) as Promise<SentMessageInfo>)
      } catch (error) {
        throw new MailError(reasonOf(error))
      }
    },
  }
}

function transportOptions({ host, port, isTls, startTls, login }: SmtpServer, limitMs: number) {
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

/** What the library tells of a failure. */
interface SendError {
  name?: string
  code?: string
  command?: string
  responseCode?: number
  response?: string
}

/** The server's words are left out where they answer the login: some repeat it. */
function reasonOf(error: unknown): string {
  const { name, code = 'no code', command = '', responseCode = 0, response } = error as SendError
  if (name === 'AbortError' || code === 'ABORT_ERR' || code === 'ETIMEDOUT') return 'The mail server did not answer in time.'
  if (code === 'ETLS')
    return 'The mail server offers no TLS, or a certificate that is not trusted (see tls= in VEDETTE_SMTP_URL).'
  if (code === 'EAUTH') return `The mail server refused the login (${responseCode}).`
  const words = response && !command.startsWith('AUTH') ? `: ${response.slice(0, 200)}` : ''
  return `The mail server did not take the message (${code})${words}`
}
