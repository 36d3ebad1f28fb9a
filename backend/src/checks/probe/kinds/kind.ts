import type { CertificateFacts } from '@vedette/shared'
import type { Seen } from '../../judge/index.ts'
import type { Connector } from '../connect/connector.ts'
import type { Fault } from '../fault.ts'
import type { Timeline } from '../timeline.ts'
import type { TlsLayer } from '../tls/handshake.ts'

/** What kinds of checks share within one prober. */
export interface ProbeTools {
  connector: Connector
  tls: TlsLayer
  /** `host:port` of targets that were found to speak HTTP/2 only. */
  http2Only: Set<string>
}

/** What is told of a target beside its outcome, as far as it is known when the check ends. */
export interface SeenFacts {
  address: string | null
  statusCode: number | null
  httpVersion: '1.0' | '1.1' | '2' | null
  /** As it came, without what ends it. */
  statusLine: string | null
  certificate: { facts: CertificateFacts; expiresAtMs: number } | null
}

/** One check under way. */
export interface Attempt {
  readonly timeline: Timeline
  readonly facts: SeenFacts
  /** What to undo when the check ends, however it ends, in place of what was held before; at once when it has ended. */
  hold(release: () => void): void
  /** The answer is whole: from here on the check's time limit is not the target's any more. */
  arrived(): void
  /** A callback whose exceptions, which are our own fault, end this check and not the thread with all the others. */
  safely<Values extends unknown[]>(call: (...values: Values) => void): (...values: Values) => void
  /** Ends the check without an answer. What is called after the end does nothing. */
  fail(fault: Fault): void
  /** Ends the check with an answer, which is then judged. */
  answer(seen: Pick<Seen, 'headers' | 'body'>): void
}

/** A kind of check: a file here, and its line in the registry. */
export interface CheckKind<Definition extends { type: string }> {
  type: Definition['type']
  /** What its URLs begin with, as `https:`. */
  protocols: readonly string[]
  /** The host whose share of checks in flight this one takes. */
  hostOf(definition: Definition): string
  /** Begins the check; it ends by `attempt.fail` or `attempt.answer`, or when its time is over. */
  start(definition: Definition, attempt: Attempt, tools: ProbeTools): void
}
