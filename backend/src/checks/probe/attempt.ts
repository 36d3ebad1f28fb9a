import type { CheckDefinition, CheckError, CheckResult, Outcome } from '@vedette/shared'
import { MAX_CHECK_MESSAGE_LENGTH } from '@vedette/shared/checks/limits'
import type { LoopWatch } from '../../platform/loop-watch.ts'
import { after } from '../../platform/monotonic.ts'
import { createObservation, judge } from '../judge/index.ts'
import { excerptOf } from './excerpt.ts'
import type { Fault } from './fault.ts'
import type { AnyKind } from './kinds/index.ts'
import type { Attempt, ProbeTools, SeenFacts } from './kinds/kind.ts'
import { responseUs, toResult } from './result.ts'
import { createTimeline, type Phase, type Timeline } from './timeline.ts'

export interface AttemptParts {
  kind: AnyKind
  definition: CheckDefinition
  tools: ProbeTools
  watch: LoopWatch
  now: () => number
}

const DAY_MS = 86_400_000

/** Starts one check, and ends it when its time is over. What comes back calls it off. */
export function startAttempt(
  { kind, definition, tools, watch, now }: AttemptParts,
  done: (result: CheckResult) => void,
): () => void {
  const startedAtMs = now()
  const startedUs = watch.nowUs()
  const timeline = createTimeline(watch)
  const facts: SeenFacts = { address: null, statusCode: null, httpVersion: null, statusLine: null, certificate: null }
  let release = () => {}
  let isOver = false

  /** True for the first one alone. */
  function end(): boolean {
    if (isOver) return false
    isOver = true
    deadline.cancel()
    release()
    return true
  }

  /** Of a check that passed nobody asks what was said. */
  function withAnswer(result: CheckResult, body?: Parameters<typeof excerptOf>[1]): CheckResult {
    const isFailed = result.outcome === 'down' || result.outcome === 'degraded'
    if (!isFailed || facts.statusLine === null) return result
    try {
      return { ...result, answer: excerptOf(facts.statusLine, body, definition) }
    } catch {
      // What is only for people is no reason to lose the thread, or the check.
      return result
    }
  }

  const attempt: Attempt = {
    timeline,
    facts,
    hold(next) {
      if (isOver) next()
      else release = next
    },
    arrived: () => deadline.cancel(),
    safely:
      (call) =>
      (...values) => {
        try {
          call(...values)
        } catch (error) {
          attempt.fail({ code: 'internal', message: `the check failed by our own fault: ${(error as Error).message}` })
        }
      },
    fail(fault) {
      if (end()) done(withAnswer(toResult(verdictOf(fault), timeline, facts, startedAtMs, false)))
    },
    answer({ headers, body }) {
      if (!end()) return
      const { statusCode, certificate } = facts
      const certificateDaysLeft = certificate && (certificate.expiresAtMs - startedAtMs) / DAY_MS
      const responseMs = responseUs(timeline) / 1_000
      const observation = createObservation({ statusCode, responseMs, certificateDaysLeft, headers, body })
      const result = toResult(judgeSafely(observation, definition.assertions), timeline, facts, startedAtMs, true)
      done(withAnswer(result, { bytes: body, contentType: headers.get('content-type') }))
    },
  }
  const timeoutMs = definition.timeout * 1_000
  const deadline = after(
    timeoutMs,
    () => {
      const lateMs = (watch.nowUs() - startedUs) / 1_000 - timeoutMs
      attempt.fail(outOfTime(timeline, definition.timeout, lateMs))
    },
    { isKeptAlive: true },
  )
  attempt.safely(() => kind.start(definition, attempt, tools))()
  return () => attempt.fail({ code: 'internal', message: 'the check was called off' })
}

/** A judge that fails is our own fault, and no reason to lose the thread with all its checks. */
function judgeSafely(...[observation, assertions]: Parameters<typeof judge>): { outcome: Outcome; error: CheckError | null } {
  try {
    return judge(observation, assertions)
  } catch (error) {
    return verdictOf({ code: 'internal', message: `the answer could not be judged: ${(error as Error).message}` })
  }
}

const verdictOf = ({ code, message }: Fault) =>
  ({
    outcome: code === 'internal' ? 'inconclusive' : 'down',
    error: { code, message: message.slice(0, MAX_CHECK_MESSAGE_LENGTH) },
  }) as const

const WAITED_FOR: Record<Phase, string> = {
  dns: 'a name server',
  connect: 'a connection',
  tls: 'the TLS handshake',
  firstByte: 'the first byte of an answer',
  transfer: 'the rest of the answer',
}

/** Of our own delay: a target that had so much less time than it was promised may have kept its word. */
const OWN_SHARE_MS = 250

/** The time limit passed: by the phase that it passed in, unless it was ourselves who took the time. */
function outOfTime({ current, doubtUs }: Timeline, timeoutSeconds: number, lateMs: number): Fault {
  if (lateMs + doubtUs / 1_000 > OWN_SHARE_MS)
    return { code: 'internal', message: `the checker itself was held up for ${Math.round(lateMs + doubtUs / 1_000)} ms` }
  const waitedFor = current === undefined ? 'the target' : WAITED_FOR[current]
  const message = `no answer within ${timeoutSeconds} s: still waiting for ${waitedFor}`
  return { code: current === 'dns' ? 'dns' : 'timeout', message }
}
