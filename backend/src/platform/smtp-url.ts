/** How mail is sent, read from a URL. */
export interface SmtpServer {
  host: string
  port: number
  /** TLS from the first byte (`smtps:`); else STARTTLS as `startTls` says. */
  isTls: boolean
  startTls: 'required' | 'offered' | 'never'
  login: { user: string; password: string } | undefined
  /** Sender of all mail; undefined: derived from the public URL. */
  from: string | undefined
}

const SUBMISSION_PORT = 587
const SUBMISSION_TLS_PORT = 465
/** One address, or `Name <address>`; without line breaks and lists. */
const SENDER = /^(?:[^<>@,;"\\\p{Cc}]{1,100} <[^\s<>@,;"\p{Cc}]+@[^\s<>@,;"\p{Cc}]+>|[^\s<>@,;"\p{Cc}]+@[^\s<>@,;"\p{Cc}]+)$/u
const TLS_WORDS = new Map<string, SmtpServer['startTls']>([
  ['required', 'required'],
  ['off', 'never'],
])

/**
 * Reads `smtp://user:password@host:port?from=…&tls=required|off`. Undefined where it is invalid: the text may contain a
 * password, so that no error quotes it.
 *
 * A password is never sent unencrypted over a network, unless `tls=off`: with a login STARTTLS is required, without one it is used
 * if the server offers it. On loopback it is not used: there is nothing to hide, and no certificate for it.
 */
export function parseSmtpUrl(text: string): SmtpServer | undefined {
  const url = URL.parse(text)
  if (!url || !/^smtps?:$/.test(url.protocol) || url.hostname === '' || !/^\/?$/.test(url.pathname) || url.hash !== '')
    return undefined
  const query = new Map(url.searchParams)
  const [from, tls] = [query.get('from'), query.get('tls')]
  // An unknown or repeated parameter.
  if (url.searchParams.size !== [from, tls].filter((value) => value !== undefined).length) return undefined
  if ((tls !== undefined && !TLS_WORDS.has(tls)) || (from !== undefined && !SENDER.test(from))) return undefined
  const login = loginOf(url)
  if (login === 'malformed') return undefined
  const isTls = url.protocol === 'smtps:'
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1')
  return {
    host,
    port: url.port === '' ? (isTls ? SUBMISSION_TLS_PORT : SUBMISSION_PORT) : Number(url.port),
    isTls,
    startTls: TLS_WORDS.get(tls ?? '') ?? (isLoopback(host) ? 'never' : login ? 'required' : 'offered'),
    login,
    from,
  }
}

function loginOf({ username, password }: URL): SmtpServer['login'] | 'malformed' {
  if (username === '' && password === '') return undefined
  try {
    return { user: decodeURIComponent(username), password: decodeURIComponent(password) }
  } catch {
    return 'malformed' // a lone % in it
  }
}

const isLoopback = (host: string): boolean => host === 'localhost' || host === '::1' || /^127\.\d+\.\d+\.\d+$/.test(host)

/** The default sender: `vedette@` the host of the public URL. */
export function defaultSender(publicUrl: string | undefined): string {
  const host = (publicUrl && URL.parse(publicUrl)?.hostname) || 'localhost'
  return `Vedette <vedette@${/^\[|^[\d.]+$/.test(host) ? 'localhost' : host}>`
}
