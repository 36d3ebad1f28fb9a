import type { InstallationSecurityEvent } from '../wire.ts'
import { sendSyslog, toSyslogFrame } from './syslog.ts'

/** Where events go in addition to the database. */
export interface Sink {
  /** Resolves when the events were received; rejects where they are to be sent again. */
  send(events: readonly InstallationSecurityEvent[], signal: AbortSignal): Promise<void>
}

export interface WebhookRequest {
  url: string
  headers: Readonly<Record<string, string>>
  secretHeaders: Readonly<Record<string, string>>
  body: string
}

export interface SinkOptions {
  /** Posts and resolves to the status of the response; rejects without one. */
  post(request: WebhookRequest): Promise<number>
  /** Trusted by `syslog+tls://` instead of the public authorities. */
  ca?: string
  limitMs?: number
}

const LIMIT_MS = 10_000

/** The sink of VEDETTE_SECURITY_LOG_URL. */
export function createSink(url: string, { post, ca, limitMs = LIMIT_MS }: SinkOptions): Sink {
  const target = new URL(url)
  const { protocol, username, password } = target
  if (protocol === 'syslog:' || protocol === 'syslog+tls:') {
    const host = target.hostname.replace(/^\[(.*)\]$/, '$1')
    const server = { host, port: Number(target.port), isTls: protocol === 'syslog+tls:', ca }
    return {
      send: (events, signal) =>
        sendSyslog(
          server,
          events.map((event) => toSyslogFrame(event)),
          signal,
          limitMs,
        ),
    }
  }
  const login = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  target.username = target.password = ''
  const secretHeaders: Record<string, string> =
    login === ':' ? {} : { authorization: `Basic ${Buffer.from(login).toString('base64')}` }
  return {
    send: async (events) => {
      const body = events.map((event) => `${JSON.stringify(event)}\n`).join('')
      const status = await post({ url: target.href, headers: { 'content-type': 'application/x-ndjson' }, secretHeaders, body })
      if (status < 200 || status > 299) throw new Error(`the webhook answered ${status}`)
    },
  }
}
