import { createPrivateKey, X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { type IncomingMessage, request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { DAY_MS } from '@vedette/shared'
import type { Clock } from '../../platform/time/clock.ts'
import { connectableHost, type Settings } from '../settings/index.ts'
import { loadTls } from '../startup/index.ts'
import { fault, type Finding, ok, reasonOf, warning } from './finding.ts'

const ANSWER_LIMIT_MS = 5_000
const MAX_BODY_BYTES = 65_536
/** Certificates are renewed a month ahead. */
const EXPIRES_SOON_MS = 14 * DAY_MS
/** A Date header has whole seconds. */
export const MAX_CLOCK_OFFSET_MS = 5_000

interface Response {
  status: number
  /** Of its Date header, ms; NaN without one. */
  dateMs: number
  body: string
}

/** Requests a URL without following redirects. */
function get(url: string, isVerified: boolean): Promise<Response> {
  const options = { signal: AbortSignal.timeout(ANSWER_LIMIT_MS), agent: false as const }
  return new Promise((resolve, reject) => {
    const receive = (message: IncomingMessage) => {
      let body = ''
      message.setEncoding('utf8').on('data', (chunk: string) => {
        body += chunk
        if (body.length > MAX_BODY_BYTES) message.destroy(new Error('the answer is too long'))
      })
      message.once('error', reject)
      message.once('end', () =>
        resolve({ status: message.statusCode ?? 0, dateMs: Date.parse(message.headers.date ?? ''), body }),
      )
    }
    const request = url.startsWith('https:')
      ? httpsRequest(url, { ...options, rejectUnauthorized: isVerified }, receive)
      : httpRequest(url, options, receive)
    request.once('error', reject).end()
  })
}

const isLiveness = ({ status, body }: Response): boolean => status === 200 && /^\{"status":"ok"\}$/.test(body)

/** Who listens on the port of the settings, and whether Vedette is ready there. */
export async function examinePort({ host, port, tls }: Settings, owner: number | undefined): Promise<Finding[]> {
  if (port === 0) return [ok('port', 'VEDETTE_PORT is 0: each start chooses a free port')]
  const base = `${tls ? 'https' : 'http'}://${connectableHost(host)}:${port}`
  try {
    if (!isLiveness(await get(`${base}/healthz`, false))) return [taken(host, port)]
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ECONNREFUSED') return [...examinePrivilege(port, owner), silent(host, port)]
    if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
      return [fault('port', `${host} is not an address of this host`, 'Set VEDETTE_HOST to one that is')]
    return [taken(host, port, reasonOf(error))]
  }
  const isReady = await get(`${base}/readyz`, false).then(
    ({ status }) => status === 200,
    () => false,
  )
  if (isReady) return [ok('port', `Vedette answers on ${base} and is ready`)]
  return [fault('port', `Vedette answers on ${base}, but is not ready`, 'See the findings about the database, and its log')]
}

const taken = (host: string, port: number, reason?: string): Finding =>
  fault(
    'port',
    `another program answers on port ${port} of ${host}${reason === undefined ? '' : ` (${reason})`}`,
    `Stop it (ss -ltnp "sport = :${port}" shows it), or set VEDETTE_PORT to another port`,
  )

const silent = (host: string, port: number): Finding =>
  warning(
    'port',
    `nothing listens on port ${port} of ${host}: Vedette does not run here`,
    'Start it: systemctl start vedette, or vedette start',
  )

/** A user other than root cannot listen below the first of these ports. */
function examinePrivilege(port: number, owner: number | undefined): Finding[] {
  if (owner === undefined || owner === 0 || process.platform !== 'linux') return []
  const first = Number(readFileSync('/proc/sys/net/ipv4/ip_unprivileged_port_start', 'utf8'))
  if (port >= first) return []
  return [fault('port', `user ${owner} may not listen on port ${port}`, `Set VEDETTE_PORT to one from ${first} on`)]
}

/** The certificate and key that the backend serves. */
export function examineCertificate(settings: Settings, nowMs: number): Finding[] {
  const { tls } = settings
  if (!tls) return []
  try {
    const { cert, key } = loadTls(settings) ?? {}
    const certificate = new X509Certificate(cert ?? '')
    const leftMs = certificate.validToDate.getTime() - nowMs
    const detail = `${tls.certFile} is valid until ${certificate.validToDate.toISOString()}`
    const remedy = 'Renew the certificate; it is served within seconds, without a restart'
    if (!certificate.checkPrivateKey(createPrivateKey(key ?? '')))
      return [fault('certificate', `${tls.keyFile} is not the key of ${tls.certFile}`, 'Set both to one pair')]
    if (leftMs <= 0) return [fault('certificate', detail, remedy)]
    return [leftMs < EXPIRES_SOON_MS ? warning('certificate', detail, remedy) : ok('certificate', detail)]
  } catch (error) {
    return [
      fault('certificate', reasonOf(error), 'Set VEDETTE_TLS_CERT_FILE and VEDETTE_TLS_KEY_FILE to PEM files that can be read'),
    ]
  }
}

/** Whether the backend is reached by its public URL, and what time it is there. */
export async function examinePublicUrl({ publicUrl }: Settings, clock: Clock): Promise<Finding[]> {
  if (publicUrl === undefined) return []
  try {
    const answer = await get(`${publicUrl}/healthz`, true)
    const time = Number.isNaN(answer.dateMs) ? [] : [examineClock(answer.dateMs - clock.now(), `that of ${publicUrl}`)]
    if (isLiveness(answer)) return [ok('public URL', `Vedette answers on ${publicUrl}`), ...time]
    return [
      warning(
        'public URL',
        `${publicUrl}/healthz answers ${answer.status}, not as Vedette does`,
        'Set VEDETTE_PUBLIC_URL to the address at which the proxy serves Vedette, or mend the proxy',
      ),
      ...time,
    ]
  } catch (error) {
    return [
      warning(
        'public URL',
        `${publicUrl} is not reached from this host: ${reasonOf(error)}`,
        'Check its name, proxy, firewall and certificate; ignore this if only other hosts can reach it',
      ),
    ]
  }
}

/** `offsetMs`: the other clock minus that of this host. */
export function examineClock(offsetMs: number, other: string): Finding {
  const seconds = Math.round(Math.abs(offsetMs) / 1000)
  if (Math.abs(offsetMs) <= MAX_CLOCK_OFFSET_MS) return ok('clock', `agrees with ${other} within ${MAX_CLOCK_OFFSET_MS / 1000} s`)
  return fault(
    'clock',
    `${seconds} s ${offsetMs > 0 ? 'behind' : 'ahead of'} ${other}`,
    'Set the time of both hosts by NTP (timedatectl set-ntp true)',
  )
}
