/** A mailbox that is read for alerts. */
export interface Mailbox {
  host: string
  port: number
  /** TLS from the first byte. Without it the mailbox is on this host. */
  isTls: boolean
  user: string
  password: string
  folder: string
}

const TLS_PORT = 993
const PLAIN_PORT = 143
const IS_LOOPBACK = /^(localhost|::1|127(\.\d{1,3}){3})$/
/** Others have to be written in a form of UTF-7 (RFC 3501, 5.1.3). */
const FOLDER = /^[ !#$'-~]{1,200}$/
const CREDENTIAL = /^[^\p{Cc}]{1,500}$/u

/**
 * Reads `imaps://user:password@host:993/INBOX`; `imap://` without TLS is for loopback alone. Undefined where it is invalid: the text has
 * a password, so that no error quotes it.
 */
export function parseMailboxUrl(text: string): Mailbox | undefined {
  const url = URL.parse(text)
  if (!url || !/^imaps?:$/.test(url.protocol) || url.search !== '' || url.hash !== '') return undefined
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1')
  const isTls = url.protocol === 'imaps:'
  const [user, password, folder] = [url.username, url.password, url.pathname.slice(1) || 'INBOX'].map(decode)
  if (host === '' || !(isTls || IS_LOOPBACK.test(host))) return undefined
  if (user === undefined || password === undefined || !CREDENTIAL.test(user) || !CREDENTIAL.test(password)) return undefined
  if (folder === undefined || !FOLDER.test(folder)) return undefined
  return { host, port: url.port === '' ? (isTls ? TLS_PORT : PLAIN_PORT) : Number(url.port), isTls, user, password, folder }
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined // a lone % in it
  }
}
