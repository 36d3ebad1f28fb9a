import type { Clock } from '../clock.ts'
import { messageOf } from '../log.ts'
import { judgeAnswer } from '../push-outcome.ts'
import { chooseCredentials, type Settings } from '../settings.ts'
import { MAX_SKEW_MS } from '../skew.ts'
import { sendPush } from '../agent.ts'
import type { Transport } from '../transport.ts'

export interface Finding {
  subject: string
  isGood: boolean
  /** What was found; for a fault also what mends it. */
  words: string
}

/** Looks at all that a push needs. `readSettings` is called here, so that a fault of the config is a finding as well. */
export async function check(readSettings: () => Promise<Settings>, transport: Transport, clock: Clock): Promise<Finding[]> {
  const findings: Finding[] = []
  const good = (subject: string, words: string) => void findings.push({ subject, isGood: true, words })
  const bad = (subject: string, words: string) => void findings.push({ subject, isGood: false, words })

  let credentials: ReturnType<typeof chooseCredentials>
  try {
    const settings = await readSettings()
    good('config', settings.configPath)
    credentials = chooseCredentials(settings)
    good('identity', credentials.identity?.serverId ?? 'the token is from the config')
  } catch (error) {
    bad(findings.length === 0 ? 'config' : 'identity', messageOf(error))
    return findings
  }

  const { url } = credentials
  const health = await transport.send({ method: 'GET', url: `${url}/healthz` })
  if (health.status === 0) {
    const reason = 'reason' in health ? health.reason : 'no answer'
    bad('backend', `cannot reach ${url}: ${reason}. Check the address, the firewall, and that the backend runs`)
    return findings
  }
  if (health.status >= 500)
    bad('backend', `${url} answers ${health.status}: look at the backend's own log; samples are kept meanwhile`)
  else good('backend', `${url} answers`)

  checkClock('headers' in health ? health.headers.date : undefined, clock.now(), good, bad)

  // An empty push has no samples to count, so nothing changes; credentials are judged before the body.
  const answer = await sendPush(transport, credentials, Buffer.from('{"batches":[]}'))
  const outcome = judgeAnswer(answer, clock.now())
  if (outcome.kind === 'refused') {
    bad('token', `refused (${outcome.reason}). Run "vedette-agent register" with a new API key, or set "token" in the config`)
  } else if (outcome.kind === 'retry') bad('token', `could not be tried (${outcome.reason}). Try again later`)
  else good('token', 'accepted')
  return findings
}

type Tell = (subject: string, words: string) => void

/** The Date header has whole seconds, which is close enough for a bound of 30. */
function checkClock(date: string | undefined, nowMs: number, good: Tell, bad: Tell): void {
  const serverMs = Date.parse(date ?? '')
  if (Number.isNaN(serverMs)) return bad('clock', 'the backend does not tell its time: is something else behind this address?')
  const offsetSeconds = Math.round((serverMs - nowMs) / 1000)
  if (Math.abs(offsetSeconds) * 1000 <= MAX_SKEW_MS) return good('clock', 'agrees with the backend')
  bad(
    'clock',
    `${offsetSeconds} s behind the backend's: set the time on this host (for example by NTP); samples are corrected meanwhile`,
  )
}
