import { once } from 'node:events'
import { createServer } from 'node:http'
import { isIP } from 'node:net'
import { systemClock } from '../process/clock.ts'
import { ConfigError } from '../config/config.ts'
import { openHostFiles } from './host-files.ts'
import { nodeMetrics } from './node-metrics.ts'

/** Where it listens without an option. */
export const DEFAULT_LISTEN = '127.0.0.1:9100'
/** Some Prometheus with their open connections. */
const MAX_CONNECTIONS = 16
/** A request has neither a body nor long headers. */
const REQUEST_LIMIT_MS = 5_000

export interface Address {
  host: string
  port: number
}

/** `127.0.0.1:9100`, `[::1]:9100`. Throws ConfigError. */
export function parseListen(text: string): Address {
  const [, bracketed, plain, port] = /^(?:\[([^\]]+)\]|([^:]+)):(\d{1,5})$/.exec(text) ?? []
  const host = bracketed ?? plain ?? ''
  if (isIP(host) !== (bracketed === undefined ? 4 : 6) || Number(port) > 65_535)
    throw new ConfigError([`--listen must be an address and a port from 0 to 65535, as ${DEFAULT_LISTEN} or [::1]:9100`])
  return { host, port: Number(port) }
}

export interface Exporter {
  url: string
  /** Whether a call to a mount hangs: Node's exit would wait for it. */
  hasPendingCall(): boolean
  close(): void
}

/**
 * Serves `/metrics` by the names of node_exporter, read at each scrape. One reading is under way at a time: scrapes that come
 * meanwhile get it too. Throws ConfigError on other systems than Linux, and where it cannot listen.
 */
export async function startExporter({ host, port }: Address, platform: NodeJS.Platform = process.platform): Promise<Exporter> {
  if (platform !== 'linux') throw new ConfigError(['exporter: its figures are those of /proc, which only Linux has'])
  const files = openHostFiles(systemClock)
  let reading: Promise<string> | undefined
  const read = () => {
    reading ??= files
      .read()
      .then(nodeMetrics)
      .finally(() => {
        reading = undefined
      })
    return reading
  }
  const server = createServer({ requestTimeout: REQUEST_LIMIT_MS, headersTimeout: REQUEST_LIMIT_MS }, (request, response) => {
    const send = (status: number, text: string, headers: Record<string, string> = {}) =>
      response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', ...headers }).end(text)
    if (request.url?.split('?', 1)[0] !== '/metrics') send(404, 'The metrics are at /metrics.\n')
    else if (request.method !== 'GET' && request.method !== 'HEAD') send(405, 'Only GET.\n', { allow: 'GET, HEAD' })
    else
      read().then(
        (text) => send(200, text, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' }),
        () => send(500, 'The host could not be read.\n'),
      )
  })
  server.maxConnections = MAX_CONNECTIONS
  server.listen(port, host)
  try {
    await once(server, 'listening')
  } catch (error) {
    files.close()
    throw new ConfigError([`exporter: cannot listen on ${host}:${port}: ${(error as Error).message}`])
  }
  const address = server.address()
  const used = typeof address === 'object' && address ? address.port : port
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${used}/metrics`,
    hasPendingCall: () => files.hasPendingCall(),
    close: () => {
      server.close()
      server.closeAllConnections()
      files.close()
    },
  }
}
