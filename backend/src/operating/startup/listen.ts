import { readFileSync, statSync } from 'node:fs'
import { createServer } from 'node:http'
import { type AddressInfo, createServer as createProbe } from 'node:net'
import type { Server as TlsServer } from 'node:tls'
import { type BackgroundJob, repeat } from '../../platform/concurrency/background-job.ts'
import type { Clock } from '../../platform/time/clock.ts'
import type { App } from '../../platform/http/index.ts'
import type { Log } from '../../platform/logging/log.ts'
import { connectableHost, type Settings } from '../settings/index.ts'

/** Interval at which a renewed certificate is detected. */
const TLS_CHECK_EVERY_MS = 5_000

/** Starts to listen and returns the port. Throws with a message for the operator when the address is not available. */
export async function listen(app: App, { host, port }: Pick<Settings, 'host' | 'port'>): Promise<number> {
  try {
    await app.listen({ host, port })
  } catch (error) {
    throw explained(error, host, port)
  }
  return (app.server.address() as AddressInfo).port
}

/** Whether the address can be had: asked before a database is started for nothing. Throws as `listen` does. */
export async function probeAddress({ host, port }: Settings): Promise<void> {
  if (port === 0) return
  const probe = createProbe()
  await new Promise<void>((resolve, reject) => {
    probe.once('error', (error) => reject(explained(error, host, port)))
    probe.listen({ host, port, exclusive: true }, () => probe.close(() => resolve()))
  })
}

function explained(error: unknown, host: string, port: number): Error {
  const { code } = error as NodeJS.ErrnoException
  const say = (text: string) => new Error(text, { cause: error })
  if (code === 'EADDRINUSE')
    return say(`Port ${port} on ${host} is in use. Stop what listens there, or set VEDETTE_PORT to another.`)
  if (code === 'EACCES') return say(`Port ${port} needs more rights than this user has. Set VEDETTE_PORT to one above 1023.`)
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
    return say(`${host} is not an address of this host. Set VEDETTE_HOST to one that is.`)
  return error as Error
}

/** The certificate and key of the settings. Throws naming the file that cannot be read. */
export function loadTls({ tls }: Settings): { cert: Buffer; key: Buffer } | undefined {
  return tls && { cert: readNamed('VEDETTE_TLS_CERT_FILE', tls.certFile), key: readNamed('VEDETTE_TLS_KEY_FILE', tls.keyFile) }
}

function readNamed(setting: string, file: string): Buffer {
  try {
    return readFileSync(file)
  } catch (error) {
    throw new Error(`${setting}: ${file} cannot be read (${(error as NodeJS.ErrnoException).code}).`, { cause: error })
  }
}

/** Serves a renewed certificate without a restart. One that cannot be read or does not fit its key leaves the old one in place. */
export function watchTls(app: App, settings: Settings, clock: Clock, log: Log): BackgroundJob {
  const { tls } = settings
  if (!tls) return { stop: async () => {} }
  const stamp = () => [tls.certFile, tls.keyFile].map((file) => statSync(file).mtimeMs).join(' ')
  let seen = stamp()
  return repeat('certificate', TLS_CHECK_EVERY_MS, clock, log, async () => {
    const current = stamp()
    if (current === seen) return
    seen = current
    ;(app.server as unknown as TlsServer).setSecureContext(loadTls(settings) as { cert: Buffer; key: Buffer })
    log.info({ file: tls.certFile }, 'serving the renewed certificate')
  })
}

/**
 * Where the agent of this host reaches the backend. With HTTPS the certificate is for another name than loopback: the same
 * routes are served to this host alone on a loopback port of their own.
 */
export async function agentUrl(
  app: App,
  { tls, host }: Settings,
  port: number,
): Promise<{ url: string; close(): Promise<void> }> {
  if (!tls) return { url: `http://${connectableHost(host)}:${port}`, close: async () => {} }
  const server = createServer((request, response) => app.routing(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close }
}
