import { accessSync, constants, existsSync, statfsSync } from 'node:fs'
import { isIP } from 'node:net'
import { dirname } from 'node:path'
import { sendPush } from '../agent.ts'
import { type Clock, settlesWithin } from '../process/clock.ts'
import type { EntitySource } from '../entities/source.ts'
import { messageOf } from '../process/log.ts'
import { classifyAnswer } from '../push/push-outcome.ts'
import { withoutPassword } from '../push/proxy.ts'
import { resolveName } from '../push/resolve-name.ts'
import { chooseCredentials, type Settings, transportOptions } from '../config/settings.ts'
import { MAX_SKEW_MS } from '../process/clock-skew.ts'
import { createTransport, type HttpAnswer, type Transport } from '../push/transport.ts'

export interface Finding {
  subject: string
  isGood: boolean
  /** Samples are taken and sent without it. */
  isOptional?: true
  /** A call for it has not returned: `process.exit` may wait for it for ever. */
  isHeld?: true
  /** What was checked; for a fault also the remedy. */
  detail: string
}

const ok = (subject: string, detail: string): Finding => ({ subject, isGood: true, detail })
const fault = (subject: string, detail: string): Finding => ({ subject, isGood: false, detail })
const optional = (subject: string, detail: string): Finding => ({ ...fault(subject, detail), isOptional: true })

/** With less free disk the spool can store few samples. */
const MIN_FREE_BYTES = 16 * 1_048_576

/** As long as a push waits for a source. */
const SOURCE_LIMIT_MS = 5_000

/** Checks everything a push needs and suggests remedies. Reads the settings itself, so that a config error becomes a finding. */
export async function check(
  readSettings: () => Promise<Settings>,
  clock: Clock,
  createSources: (settings: Settings) => EntitySource[],
): Promise<Finding[]> {
  const findings: Finding[] = []
  let settings: Settings
  let credentials: ReturnType<typeof chooseCredentials>
  let transport: Transport
  try {
    settings = await readSettings()
    transport = createTransport(transportOptions(settings))
    findings.push(ok('config', settings.configPath))
  } catch (error) {
    return [fault('config', messageOf(error))]
  }
  findings.push(checkDisk(settings.stateDir), ...(await checkSources(createSources(settings), clock)))
  try {
    credentials = chooseCredentials(settings)
    findings.push(ok('identity', credentials.identity?.serverId ?? 'the token is from the config'))
  } catch (error) {
    return [...findings, fault('identity', messageOf(error))]
  }
  findings.push(...(await checkBackend(settings, credentials, transport, clock)))
  transport.close()
  return findings
}

/** Reads each source of entities once; those that have none are left out. */
async function checkSources(sources: readonly EntitySource[], clock: Clock): Promise<Finding[]> {
  const findings = await Promise.all(sources.map((source) => checkSource(source, clock)))
  for (const source of sources) source.close?.()
  return findings.flat()
}

async function checkSource(source: EntitySource, clock: Clock): Promise<Finding[]> {
  const subject = source.name
  try {
    const reading = Promise.resolve(source.prime?.()).then(() => source.read(SOURCE_LIMIT_MS))
    if (!(await settlesWithin(clock, reading, SOURCE_LIMIT_MS)))
      return [
        {
          ...optional(subject, `no answer within ${SOURCE_LIMIT_MS / 1_000} s: what it reads is left out until it answers`),
          isHeld: true,
        },
      ]
    const { length } = await reading
    return length === 0 ? [] : [ok(subject, `${length} read`)]
  } catch (error) {
    return [optional(subject, `${messageOf(error)}: what it reads is left out`)]
  }
}

/** Checks the folder, or its nearest parent that exists. */
function checkDisk(stateDir: string): Finding {
  let folder = stateDir
  while (!existsSync(folder) && dirname(folder) !== folder) folder = dirname(folder)
  try {
    accessSync(folder, constants.W_OK)
    const { bavail, bsize } = statfsSync(folder)
    if (bavail * bsize >= MIN_FREE_BYTES) return ok('disk', stateDir)
    return fault('disk', `less than 16 MB are free for ${stateDir}: free disk space, or set "state_dir" to another disk`)
  } catch (error) {
    const reason = messageOf(error)
    return fault('disk', `${reason}. Samples stay in memory only: make the agent's user the owner of the folder (chown)`)
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
  // With a proxy, the proxy resolves names.
  const findings = isIP(name) || proxy !== undefined ? [] : [await checkName(name)]
  if (proxy !== undefined) findings.push(ok('proxy', withoutPassword(proxy)))
  if (findings.some(({ isGood }) => !isGood)) return findings
  const health = await transport.send({ method: 'GET', url: `${url}/healthz` })
  if (!('body' in health)) return [...findings, unreachable(url, health.reason)]
  if (protocol === 'https:') findings.push(ok('tls', trustedBy(settings)))
  findings.push(
    health.status >= 500
      ? fault('backend', `${url} answers ${health.status}: see the backend's log; samples stay in the spool meanwhile`)
      : ok('backend', `${url} answers`),
    checkClock(health.headers.date, clock.now()),
    // An empty push changes nothing; the backend checks credentials before the body.
    checkToken(await sendPush(transport, credentials, Buffer.from('{"batches":[]}')), clock.now()),
  )
  return findings
}

async function checkName(name: string): Promise<Finding> {
  try {
    const [first] = await resolveName(name)
    return ok('dns', `${name} resolves to ${first?.address}`)
  } catch (error) {
    return fault('dns', `${name} has no address (${messageOf(error)}): check the name in "url" and the name servers of this host`)
  }
}

function unreachable(url: string, reason: string): Finding {
  const problem = `cannot reach ${url}: ${reason}`
  if (/certificate|self.signed|altname|issuer|TLS|SSL/i.test(reason)) {
    const remedy = 'set "ca_file" to its certificate authority, or "certificate_fingerprint" to its certificate'
    return fault('tls', `${problem}. If this is your backend, ${remedy}`)
  }
  return fault('backend', `${problem}. Check the address, the firewall, and that the backend runs`)
}

function trustedBy({ config }: Settings): string {
  if (config.certificateFingerprint !== undefined) return 'the certificate matches certificate_fingerprint'
  return config.caFile === undefined ? 'the certificate is valid' : `the certificate is valid (${config.caFile})`
}

/** The Date header has whole seconds, which is precise enough for a limit of 30. */
function checkClock(date: string | undefined, nowMs: number): Finding {
  const serverMs = Date.parse(date ?? '')
  if (Number.isNaN(serverMs)) return fault('clock', 'the answer has no Date header: is this the address of a Vedette backend?')
  const offsetSeconds = Math.round((serverMs - nowMs) / 1000)
  if (Math.abs(offsetSeconds) * 1000 <= MAX_SKEW_MS) return ok('clock', 'agrees with the backend')
  const remedy = 'set the time on this host (for example with NTP); samples are corrected meanwhile'
  return fault('clock', `${Math.abs(offsetSeconds)} s ${offsetSeconds > 0 ? 'behind' : 'ahead of'} the backend's: ${remedy}`)
}

function checkToken(answer: HttpAnswer, nowMs: number): Finding {
  const outcome = classifyAnswer(answer, nowMs)
  const remedy = 'run "vedette-agent token set" with the new token, or "vedette-agent register" with an API key'
  if (outcome.kind === 'refused') return fault('token', `refused: ${remedy} (the backend says ${outcome.reason})`)
  if (outcome.kind === 'retry') return fault('token', `could not be checked (${outcome.reason}). Try again later`)
  return ok('token', 'accepted')
}
