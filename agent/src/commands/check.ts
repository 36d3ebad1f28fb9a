import { accessSync, constants, existsSync, statfsSync } from 'node:fs'
import { isIP } from 'node:net'
import { dirname } from 'node:path'
import { sendPush } from '../agent.ts'
import type { Clock } from '../clock.ts'
import { messageOf } from '../log.ts'
import { judgeAnswer } from '../push-outcome.ts'
import { withoutPassword } from '../proxy.ts'
import { resolveName } from '../resolve-name.ts'
import { chooseCredentials, type Settings, transportOptions } from '../settings.ts'
import { MAX_SKEW_MS } from '../skew.ts'
import { createTransport, type HttpAnswer, type Transport } from '../transport.ts'

export interface Finding {
  subject: string
  isGood: boolean
  /** What was found; for a fault also what mends it. */
  words: string
}

const good = (subject: string, words: string): Finding => ({ subject, isGood: true, words })
const bad = (subject: string, words: string): Finding => ({ subject, isGood: false, words })

/** A spool that starts on a disk with less than this has little to keep samples in. */
const MIN_FREE_BYTES = 16 * 1_048_576

/** Looks at all that a push needs, each with its cure. `readSettings` is called here, so that a fault of the config is a finding. */
export async function check(readSettings: () => Promise<Settings>, clock: Clock): Promise<Finding[]> {
  const findings: Finding[] = []
  let settings: Settings
  let credentials: ReturnType<typeof chooseCredentials>
  let transport: Transport
  try {
    settings = await readSettings()
    transport = createTransport(transportOptions(settings))
    findings.push(good('config', settings.configPath))
  } catch (error) {
    return [bad('config', messageOf(error))]
  }
  findings.push(checkDisk(settings.stateDir))
  try {
    credentials = chooseCredentials(settings)
    findings.push(good('identity', credentials.identity?.serverId ?? 'the token is from the config'))
  } catch (error) {
    return [...findings, bad('identity', messageOf(error))]
  }
  findings.push(...(await checkBackend(settings, credentials, transport, clock)))
  transport.close()
  return findings
}

/** The folder, or the nearest one above it that is there. */
function checkDisk(stateDir: string): Finding {
  let folder = stateDir
  while (!existsSync(folder) && dirname(folder) !== folder) folder = dirname(folder)
  try {
    accessSync(folder, constants.W_OK)
    const { bavail, bsize } = statfsSync(folder)
    if (bavail * bsize >= MIN_FREE_BYTES) return good('disk', stateDir)
    return bad('disk', `less than 16 MB are free for ${stateDir}: free some, or name another place by "state_dir"`)
  } catch (error) {
    const reason = messageOf(error)
    return bad('disk', `${reason}. Samples are kept in memory only: let the agent's user own the folder (chown)`)
  }
}

async function checkBackend(
  settings: Settings,
  credentials: { url: string; token: string },
  transport: Transport,
  clock: Clock,
): Promise<Finding[]> {
  const { url } = credentials
  const { hostname, protocol } = new URL(url)
  const proxy = protocol === 'https:' ? settings.proxy?.HTTPS_PROXY : settings.proxy?.HTTP_PROXY
  const name = hostname.replaceAll(/[[\]]/g, '')
  // Behind a proxy it is the proxy that looks names up.
  const findings = isIP(name) || proxy !== undefined ? [] : [await checkName(name)]
  if (proxy !== undefined) findings.push(good('proxy', withoutPassword(proxy)))
  if (findings.some(({ isGood }) => !isGood)) return findings
  const health = await transport.send({ method: 'GET', url: `${url}/healthz` })
  if (!('body' in health)) return [...findings, unreachable(url, health.reason)]
  if (protocol === 'https:') findings.push(good('tls', trustedBy(settings)))
  findings.push(
    health.status >= 500
      ? bad('backend', `${url} answers ${health.status}: look at the backend's own log; samples are kept meanwhile`)
      : good('backend', `${url} answers`),
    checkClock(health.headers.date, clock.now()),
    // An empty push has no samples to count, so nothing changes; credentials are judged before the body.
    judgeToken(await sendPush(transport, credentials, Buffer.from('{"batches":[]}')), clock.now()),
  )
  return findings
}

async function checkName(name: string): Promise<Finding> {
  try {
    const [first] = await resolveName(name)
    return good('dns', `${name} is ${first?.address}`)
  } catch (error) {
    return bad('dns', `${name} has no address (${messageOf(error)}): check the name in "url" and the name servers of this host`)
  }
}

function unreachable(url: string, reason: string): Finding {
  const words = `cannot reach ${url}: ${reason}`
  if (/certificate|self.signed|altname|issuer|TLS|SSL/i.test(reason)) {
    const cure = 'name its authority by "ca_file", or the certificate itself by "certificate_fingerprint"'
    return bad('tls', `${words}. If this is your backend, ${cure}`)
  }
  return bad('backend', `${words}. Check the address, the firewall, and that the backend runs`)
}

function trustedBy({ config }: Settings): string {
  if (config.certificateFingerprint !== undefined) return 'the certificate is the pinned one'
  return config.caFile === undefined ? 'the certificate is good' : `the certificate is good by ${config.caFile}`
}

/** The Date header has whole seconds, which is close enough for a bound of 30. */
function checkClock(date: string | undefined, nowMs: number): Finding {
  const serverMs = Date.parse(date ?? '')
  if (Number.isNaN(serverMs)) return bad('clock', 'the backend does not tell its time: is something else behind this address?')
  const offsetSeconds = Math.round((serverMs - nowMs) / 1000)
  if (Math.abs(offsetSeconds) * 1000 <= MAX_SKEW_MS) return good('clock', 'agrees with the backend')
  const cure = 'set the time on this host (for example by NTP); samples are corrected meanwhile'
  return bad('clock', `${Math.abs(offsetSeconds)} s ${offsetSeconds > 0 ? 'behind' : 'ahead of'} the backend's: ${cure}`)
}

function judgeToken(answer: HttpAnswer, nowMs: number): Finding {
  const outcome = judgeAnswer(answer, nowMs)
  const cure = 'Run "vedette-agent register" with a new API key, or "vedette-agent token set" with a new token'
  if (outcome.kind === 'refused') return bad('token', `refused (${outcome.reason}). ${cure}`)
  if (outcome.kind === 'retry') return bad('token', `could not be tried (${outcome.reason}). Try again later`)
  return good('token', 'accepted')
}
