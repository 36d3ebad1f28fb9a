import { type CheckDefinition, type CheckResult, parseHostPort } from '@vedette/shared'
import { systemClock } from '../../../platform/time/clock.ts'
import { createEventLoopClock, type EventLoopClock } from '../../../platform/time/event-loop-clock.ts'
import { createAddressGuard, type AddressPolicy } from './address/guard.ts'
import { startAttempt } from './attempt.ts'
import { startBoth } from './both-families.ts'
import { createConnector } from './connect/connector.ts'
import { DIRECT } from './connect/route.ts'
import { type AnyKind, CHECK_KINDS } from './kinds/index.ts'
import type { InheritedSockets, ProbeTools } from './kinds/kind.ts'
import { createRouteTools } from './route-tools.ts'
import { createNameResolver, type NameOptions } from './names/lookup.ts'
import { createHostSlots } from './host-slots.ts'
import { ownFault } from './result.ts'
import { createCertificateReader } from './tls/certificate.ts'
import { createTlsContexts } from './tls/context.ts'
import { createTlsLayer } from './tls/handshake.ts'

/** Can be sent to another thread, except `kinds` and the clocks. */
export interface ProberOptions extends AddressPolicy, NameOptions, InheritedSockets {
  /** Concurrent checks per host; further ones wait. */
  perHostInFlight?: number
  /** PEM certificates of authorities in addition to Node's. */
  extraAuthorities?: readonly string[]
}

export interface ProberParts {
  kinds?: readonly AnyKind[]
  /** Milliseconds since the epoch, for `checked_at` and the days until a certificate expires. */
  now?: () => number
  /** Measures the phases; replaced in tests. */
  watch?: EventLoopClock
}

export interface ProberStats {
  /** Completed checks. */
  checks: number
  /** Completed with more than 5 ms of own delay. */
  delayed: number
  inconclusive: number
  inFlight: number
}

export interface Prober {
  /**
   * Runs one check of a valid definition. Never rejects: faults are results. A check that is aborted, or waits for a slot of its
   * host for longer than its timeout, is `inconclusive`.
   */
  check(definition: CheckDefinition, options?: { signal?: AbortSignal }): Promise<CheckResult>
  stats(): ProberStats
  /** Ends running checks as `inconclusive`. */
  close(): void
}

/** Many monitors behind one load balancer must not overload it. */
const PER_HOST_IN_FLIGHT = 100

/** Runs checks in the calling thread, which should do nothing else: see `startProberThread`. */
export function createProber(options: ProberOptions, parts: ProberParts = {}): Prober {
  const { kinds = CHECK_KINDS, now = systemClock.now, watch = createEventLoopClock() } = parts
  const guard = createAddressGuard(options)
  const names = createNameResolver(options)
  const tools: ProbeTools = {
    connector: createConnector(guard, names),
    route: DIRECT,
    routeKey: '',
    guard,
    names,
    tls: createTlsLayer(createTlsContexts(options.extraAuthorities ?? []), createCertificateReader(undefined, now)),
    inherited: options,
    http2Only: new Set(),
    accessTokens: new Map(),
  }
  const routes = createRouteTools(tools)
  const hostSlots = createHostSlots(options.perHostInFlight ?? PER_HOST_IN_FLIGHT)
  const underWay = new Set<() => void>()
  const stats = { checks: 0, delayed: 0, inconclusive: 0 }
  let isClosed = false

  function count(result: CheckResult): CheckResult {
    stats.checks++
    if (result.delayed) stats.delayed++
    if (result.outcome === 'inconclusive') stats.inconclusive++
    return result
  }

  return {
    check: (definition, { signal } = {}) =>
      new Promise((resolve) => {
        const kind = kinds.find(({ type }) => type === definition.type)
        if (!kind) return resolve(count(ownFault(`this probe does not support checks of type ${definition.type}`, now())))
        if (isClosed || signal?.aborted === true) return resolve(count(ownFault('the check was canceled', now())))
        let running: (() => void) | undefined
        let stopWaiting = () => {}
        const finish = (result: CheckResult) => {
          underWay.delete(callOff)
          signal?.removeEventListener('abort', callOff)
          resolve(count(result))
        }
        const callOff = () => (running ?? stopWaiting)()
        underWay.add(callOff)
        signal?.addEventListener('abort', callOff)
        stopWaiting = hostSlots.take(hostOf(kind, definition), definition.timeout, (slot) => {
          if ('fault' in slot) return finish(ownFault(slot.fault, now()))
          const start = definition.options.ip_family === 'both' ? startBoth : startAttempt
          running = start({ kind, definition, routes, watch, now }, (result) => {
            slot.leave()
            finish(result)
          })
        })
      }),
    stats: () => ({ ...stats, inFlight: underWay.size }),
    close() {
      isClosed = true
      for (const callOff of underWay) callOff()
    },
  }
}

/** A URL without a host fails when the check begins. */
function hostOf(kind: AnyKind, definition: CheckDefinition): string {
  const { connect_to: to } = definition.options
  if (to !== undefined) return parseHostPort(to)?.host ?? ''
  try {
    return kind.hostOf(definition)
  } catch {
    return ''
  }
}
