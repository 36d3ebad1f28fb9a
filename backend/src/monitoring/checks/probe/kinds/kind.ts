import type { CertificateFacts, ErrorDetail } from '@vedette/shared'
import type { Evaluation, RawObservation } from '../../evaluation/index.ts'
import type { AddressGuard } from '../address/guard.ts'
import type { Connector } from '../connect/connector.ts'
import type { Route } from '../connect/route.ts'
import type { NameResolver } from '../names/lookup.ts'
import type { Fault } from '../phases/fault.ts'
import type { Timeline } from '../phases/timeline.ts'
import type { TlsLayer } from '../tls/handshake.ts'

/** An access token of OAuth 2, in the memory of the prober alone. */
export interface AccessToken {
  token: string
  /** By the monotonic clock, ms. */
  untilMs: number
}

/** Ping sockets that the process that started this one has opened and bound. */
export interface InheritedSockets {
  icmpFd?: number | undefined
  icmp6Fd?: number | undefined
}

/** Shared by all checks of one prober. */
export interface ProbeTools {
  connector: Connector
  /** Of the definition: what the connector does differently. */
  route: Route
  /** Distinguishes what checks of other routes found out; empty for the usual one. */
  routeKey: string
  /** For what does not go through the connector: every address, port and name is checked. */
  guard: AddressGuard
  names: NameResolver
  tls: TlsLayer
  inherited: InheritedSockets
  /** `host:port` of targets that speak only HTTP/2. */
  http2Only: Set<string>
  /** Of OAuth 2, by client. */
  accessTokens: Map<string, AccessToken>
}

/** What a check reports in addition to its outcome, as far as it is known at its end. */
export interface ProbeFacts {
  address: string | null
  statusCode: number | null
  httpVersion: '1.0' | '1.1' | '2' | null
  /** Of the last request over HTTP. */
  url: string | null
  /** Without its line break. */
  statusLine: string | null
  certificate: { facts: CertificateFacts; expiresAtMs: number } | null
  /** The facts of its kind: see `facts` of its description. */
  figures: Record<string, number | string>
}

export const noFacts = (): ProbeFacts => ({
  address: null,
  statusCode: null,
  httpVersion: null,
  url: null,
  statusLine: null,
  certificate: null,
  figures: {},
})

/** One running check. */
export interface Attempt {
  readonly timeline: Timeline
  /** Milliseconds since the epoch. */
  readonly startedAtMs: number
  readonly facts: ProbeFacts
  /** Sets what to release at the end of the check, replacing the previous one; called at once if it has ended. */
  hold(release: () => void): void
  /** The response is complete: the timeout no longer applies. */
  arrived(): void
  /** Wraps a callback: an exception, which is a fault of the probe, ends this check instead of the thread. */
  safely<Values extends unknown[]>(call: (...values: Values) => void): (...values: Values) => void
  /** Masks this in all that is reported, in addition to the credentials of the definition. */
  addSecret(text: string): void
  /** Ends the check without a response. Later calls do nothing. */
  fail(fault: Fault): void
  /** Ends the check with a response; its assertions are then evaluated. `own`: what the kind itself found wrong, which decides unless
   * an assertion is worse. */
  answer(seen: Pick<RawObservation, 'headers' | 'body'>, own?: Evaluation): void
}

/** A kind of check: a file or folder here, its line in the registry, and its description in shared. */
export interface CheckKind<Definition extends { type: string }> {
  type: Definition['type']
  /** Patterns and paths in options that cannot be used. Total: the options may be invalid. */
  patternFaults?(options: Readonly<Record<string, unknown>>): ErrorDetail[]
  /** The host whose limit of concurrent checks applies. */
  hostOf(definition: Definition): string
  /**
   * It queries others about its target, as registries about a domain: where they fail, refuse or do not answer, nothing is known of the
   * target, and the check is inconclusive. What they say of it is an evaluation of its own.
   */
  readsElsewhere?: true
  /** Starts the check, which ends by `attempt.fail`, `attempt.answer` or its timeout. */
  start(definition: Definition, attempt: Attempt, tools: ProbeTools): void
}
