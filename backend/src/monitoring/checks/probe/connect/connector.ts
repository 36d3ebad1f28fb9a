import type { AddressGuard } from '../address/guard.ts'
import { connectFault, type Fault } from '../phases/fault.ts'
import type { NameResolver } from '../names/lookup.ts'
import type { Timeline } from '../phases/timeline.ts'
import { raceConnections } from './race.ts'
import { resolveTarget } from './resolve.ts'
import type { Connection } from './connection.ts'

export interface Target {
  /** A name or an address; IPv6 without brackets. */
  host: string
  port: number
  /** See `openConnection`. */
  plain: boolean
  /** Mail ports are open to checks that speak to mail servers and send no mail. */
  isMail?: boolean
}

/**
 * The only way to a target: resolves its name, checks every address with the guard, and connects to one of those addresses by
 * number, so that a later DNS response cannot lead elsewhere. Records the phases `dns` and `connect`.
 */
export interface Connector {
  /** Calls `done` once. Returns a function that cancels; `done` is not called after it. */
  connect(target: Target, timeline: Timeline, done: (outcome: Connection | Fault) => void): () => void
}

export function createConnector(guard: AddressGuard, names: NameResolver): Connector {
  return {
    connect({ host, port, plain, isMail = false }, timeline, done) {
      const fault = isMail ? undefined : guard.portFault(port)
      if (fault !== undefined) {
        done({ code: 'blocked', message: fault })
        return () => {}
      }
      let cancel = () => {}
      const stopLookUp = resolveTarget({ guard, names }, host, timeline, (resolved) => {
        if ('code' in resolved) return done(resolved)
        cancel = raceConnections(resolved, port, plain, (outcome) => {
          timeline.endByEvent()
          done('error' in outcome ? connectFault(outcome.error, outcome.address) : outcome)
        })
        // Node connects in the next tick, after the other work of this one.
        process.nextTick(() => timeline.begin('connect'))
      })
      return () => {
        stopLookUp()
        cancel()
      }
    },
  }
}
