import type { CheckDefinition, CheckResult } from '@vedette/shared'
import { systemClock } from '../../platform/clock.ts'
import { createLoopWatch, type LoopWatch } from '../../platform/loop-watch.ts'
import { createAddressGuard, type AddressPolicy } from './address/guard.ts'
import { startAttempt } from './attempt.ts'
import { createConnector } from './connect/connector.ts'
import { type AnyKind, CHECK_KINDS } from './kinds/index.ts'
import type { ProbeTools } from './kinds/kind.ts'
import { createNames, type NameOptions } from './names/lookup.ts'
import { createPlaces } from './places.ts'
import { ownFault } from './result.ts'
import { createCertificateReader } from './tls/certificate.ts'
import { createTlsContext } from './tls/context.ts'
import { createTlsLayer } from './tls/handshake.ts'

/** All of it can be handed to another thread, but for `kinds` and the clocks. */
export interface ProberOptions extends AddressPolicy, NameOptions {
  /** Checks under way at one host; further ones wait. */
  perHostInFlight?: number
  /** PEM certificates of authorities beside those that Node trusts. */
  extraAuthorities?: readonly string[]
}

export interface ProberParts {
  kinds?: readonly AnyKind[]
  /** Milliseconds since the epoch, for `checked_at` and the days that a certificate has left. */
  now?: () => number
  /** Times the phases; for tests. */
  watch?: LoopWatch
}

export interface ProberStats {
  /** Checks that have ended. */
  checks: number
  /** Of those: made under more than 5 ms of our own delay. */
  delayed: number
  inconclusive: number
  inFlight: number
}

export interface Prober {
  /**
   * Makes one check of a valid definition. Never rejects: what goes wrong is the result. A check that is aborted, or has to wait
   * for a place at its host for longer than its own timeout, is `inconclusive`.
   */
  check(definition: CheckDefinition, options?: { signal?: AbortSignal }): Promise<CheckResult>
  stats(): ProberStats
  /** Ends the checks under way as `inconclusive`. */
  close(): void
}

/** A monitor farm behind one load balancer is no reason to storm it. */
const PER_HOST_IN_FLIGHT = 100

/** Makes checks in the calling thread, which should do nothing else: see `startProberThread`. */
export function createProber(options: ProberOptions, parts: ProberParts = {}): Prober {
  const { kinds = CHECK_KINDS, now = systemClock.now, watch = createLoopWatch() } = parts
  const tools: ProbeTools = {
    connector: createConnector(createAddressGuard(options), createNames(options)),
    tls: createTlsLayer(createTlsContext(options.extraAuthorities ?? []), createCertificateReader()),
    http2Only: new Set(),
  }
  const places = createPlaces(options.perHostInFlight ?? PER_HOST_IN_FLIGHT)
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
        if (!kind) return resolve(count(ownFault(`this probe does not know checks of type ${definition.type}`, now())))
        if (isClosed || signal?.aborted === true) return resolve(count(ownFault('the check was called off', now())))
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
        stopWaiting = places.take(hostOf(kind, definition), definition.timeout, (place) => {
          if ('fault' in place) return finish(ownFault(place.fault, now()))
          running = startAttempt({ kind, definition, tools, watch, now }, (result) => {
            place.leave()
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

/** What names no host is found out when the check begins. */
function hostOf(kind: AnyKind, definition: CheckDefinition): string {
  try {
    return kind.hostOf(definition)
  } catch {
    return ''
  }
}
