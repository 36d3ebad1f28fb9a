import { checkKindSpec, DAY_MS, sentTexts, truncateText } from '@vedette/shared'
import type { CheckDefinition, CheckError, CheckResult, Outcome } from '@vedette/shared'
import { MAX_CHECK_MESSAGE_LENGTH } from '@vedette/shared/checks/limits'
import type { EventLoopClock } from '../../../platform/time/event-loop-clock.ts'
import { after } from '../../../platform/time/monotonic.ts'
import { maskSecrets } from '../../../platform/logging/mask-secrets.ts'
import { createObservation, evaluateAssertions } from '../evaluation/index.ts'
import { excerptOf } from './excerpt.ts'
import type { Fault } from './phases/fault.ts'
import type { AnyKind } from './kinds/index.ts'
import { type Attempt, noFacts } from './kinds/kind.ts'
import { toResult } from './result.ts'
import type { RouteTools } from './route-tools.ts'
import { sentSecrets } from './sent-secrets.ts'
import { createTimeline, type Phase, responseUs, type Timeline } from './phases/timeline.ts'

export interface AttemptParts {
  kind: AnyKind
  definition: CheckDefinition
  routes: RouteTools
  /** The fact that gets the response time. */
  timedAs?: 'ipv4_ms' | 'ipv6_ms'
  watch: EventLoopClock
  now: () => number
}

/** Starts one check and ends it at its timeout. Returns a function that cancels it. */
export function startAttempt(
  { kind, definition, routes, timedAs, watch, now }: AttemptParts,
  done: (result: CheckResult) => void,
): () => void {
  const startedAtMs = now()
  const startedUs = watch.nowUs()
  const timeline = createTimeline(watch)
  const facts = noFacts()
  const secrets: string[] = []
  let release = () => {}
  let isOver = false

  /** True for the first call only. */
  function end(): boolean {
    if (isOver) return false
    isOver = true
    deadline.cancel()
    release()
    return true
  }

  const reported = { definition, secrets, facts }
  const finish = (result: CheckResult, body?: ExcerptBody) => done(withAnswer(masked(result, reported), reported, body))

  const attempt: Attempt = {
    timeline,
    startedAtMs,
    facts,
    hold(next) {
      if (isOver) next()
      else release = next
    },
    arrived: () => deadline.cancel(),
    addSecret: (text) => void secrets.push(text),
    safely:
      (call) =>
      (...values) => {
        try {
          call(...values)
        } catch (error) {
          attempt.fail({
            code: 'internal',
            message: `the check failed because of a fault of the probe: ${(error as Error).message}`,
          })
        }
      },
    fail(fault) {
      const isOurs = fault.code === 'internal' || (kind.readsElsewhere && fault.code !== 'blocked')
      const result = resultOfFault(isOurs ? { ...fault, code: 'internal' } : fault)
      if (!end()) return
      const reached = toResult(result, timeline, facts, startedAtMs, false)
      // Read where the check is concluded, behind the threads.
      finish(fault.isOfDefinition === true ? Object.assign(reached, { isOfDefinition: true }) : reached)
    },
    answer({ headers, body }, own) {
      if (!end()) return
      const { statusCode, certificate, figures, url } = facts
      const certificateDaysLeft = certificate && (certificate.expiresAtMs - startedAtMs) / DAY_MS
      const responseMs = responseUs(timeline) / 1_000
      if (timedAs) figures[timedAs] = responseMs
      const observation = createObservation({ statusCode, responseMs, certificateDaysLeft, headers, body, url, facts: figures })
      const evaluation = worse(own, () => evaluateSafely(observation, definition.assertions))
      const result = toResult(evaluation, timeline, facts, startedAtMs, true)
      finish(result, { bytes: body, contentType: headers.get('content-type') })
    },
  }
  const timeoutMs = definition.timeout * 1_000
  const deadline = after(
    timeoutMs,
    () => {
      const lateMs = (watch.nowUs() - startedUs) / 1_000 - timeoutMs
      attempt.fail(timeoutFault(timeline, definition.timeout, lateMs))
    },
    { isKeptAlive: true },
  )
  attempt.safely(() => begin(kind, definition, attempt, routes))()
  return () => attempt.fail({ code: 'internal', message: 'the check was canceled' })
}

function begin(kind: AnyKind, definition: CheckDefinition, attempt: Attempt, routes: RouteTools): void {
  const tools = routes.of(definition)
  if ('code' in tools) attempt.fail(tools)
  else kind.start(definition, attempt, tools)
}

type ExcerptBody = Parameters<typeof excerptOf>[1]

/** What a result may not repeat, and what it says. */
interface Reported {
  definition: CheckDefinition
  secrets: readonly string[]
  facts: Attempt['facts']
}

/** What a target or a library says may repeat a secret. */
function masked(result: CheckResult, { definition, secrets }: Reported): CheckResult {
  const { error, facts: seen = {} } = result
  const { type, options, credentials } = definition
  const sent = sentTexts(checkKindSpec(type), options)
  if (Object.keys(credentials).length + sent.length + secrets.length === 0) return result
  const all = [...sentSecrets(definition), ...secrets]
  const mask = <Value>(value: Value) => (typeof value === 'string' ? maskSecrets(value, all) : value)
  return {
    ...result,
    error: error && { ...error, message: mask(error.message) },
    facts: Object.fromEntries(Object.entries(seen).map(([name, value]) => [name, mask(value)])),
  }
}

/** Passed checks carry no response, unless they are expected to fail. */
function withAnswer(result: CheckResult, { definition, secrets, facts }: Reported, body?: ExcerptBody): CheckResult {
  const { outcome } = result
  const isFailed = outcome === 'down' || outcome === 'degraded' || (outcome === 'up' && definition.options.invert === true)
  const { keep_response: keeps, max_body_bytes: maxBytes } = definition.options
  if (!isFailed || keeps === 'never' || facts.statusLine === null) return result
  try {
    return { ...result, answer: excerptOf(facts.statusLine, body, [...sentSecrets(definition), ...secrets], maxBytes) }
  } catch {
    // The excerpt is informative only: its failure must not fail the check or end the thread.
    return result
  }
}

/** An exception here is a fault of the prober: it makes this check inconclusive and must not end the thread with all its checks. */
function evaluateSafely(...[observation, assertions]: Parameters<typeof evaluateAssertions>): {
  outcome: Outcome
  error: CheckError | null
} {
  try {
    return evaluateAssertions(observation, assertions)
  } catch (error) {
    return resultOfFault({ code: 'internal', message: `the response could not be evaluated: ${(error as Error).message}` })
  }
}

type EvaluatedOutcome = ReturnType<typeof evaluateSafely>

/** What the kind found decides, unless it is degraded and an assertion fails. */
function worse(own: EvaluatedOutcome | undefined, evaluateNow: () => EvaluatedOutcome): EvaluatedOutcome {
  if (own && own.outcome !== 'degraded') return own
  const evaluated = evaluateNow()
  return own && evaluated.outcome === 'up' ? own : evaluated
}

const resultOfFault = ({ code, message }: Fault) =>
  ({
    outcome: code === 'internal' ? 'inconclusive' : 'down',
    error: { code, message: truncateText(message, MAX_CHECK_MESSAGE_LENGTH) },
  }) as const

const WAITED_FOR: Record<Phase, string> = {
  dns: 'a name server',
  connect: 'a connection',
  tls: 'the TLS handshake',
  firstByte: 'the first byte of an answer',
  transfer: 'the rest of the answer',
}

/** Own delay above which a timeout does not count: the target had that much less time. */
const MAX_OWN_DELAY_MS = 250

/** The fault of a timeout, by the phase in progress, unless the probe itself caused the delay. */
function timeoutFault({ current, waitsFor, doubtUs }: Timeline, timeoutSeconds: number, lateMs: number): Fault {
  if (lateMs + doubtUs / 1_000 > MAX_OWN_DELAY_MS)
    return { code: 'internal', message: `the probe itself was delayed by ${Math.round(lateMs + doubtUs / 1_000)} ms` }
  const waitedFor = waitsFor?.text ?? (current === undefined ? 'the target' : WAITED_FOR[current])
  const message = `no answer within ${timeoutSeconds} s: still waiting for ${waitedFor}`
  if (waitsFor?.isOurs === true) return { code: 'internal', message }
  return { code: current === 'dns' ? 'dns' : 'timeout', message }
}
