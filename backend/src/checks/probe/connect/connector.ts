import { isIP } from 'node:net'
import type { AddressGuard } from '../address/guard.ts'
import { connectFault, type Fault } from '../phases/fault.ts'
import type { NameResolver } from '../names/lookup.ts'
import type { Timeline } from '../phases/timeline.ts'
import { raceConnections } from './race.ts'
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
      const fault = (isMail ? undefined : guard.portFault(port)) ?? guard.nameFault(host)
      if (fault !== undefined) {
        done({ code: 'blocked', message: fault })
        return () => {}
      }
      let cancel = () => {}
      let isSynchronous = true
      const isLiteral = isIP(host) > 0
      if (!isLiteral) timeline.begin('dns')
      const stopLookUp = names.lookUp(host, (answer) => {
        if (isSynchronous) timeline.endNow()
        else timeline.endByEvent()
        if ('fault' in answer) return done({ code: 'dns', message: answer.fault })
        const refused = refusal(guard, answer.addresses)
        if (refused) return done(refused)
        cancel = raceConnections(answer.addresses, port, plain, (outcome) => {
          timeline.endByEvent()
          done('error' in outcome ? connectFault(outcome.error, outcome.address) : outcome)
        })
        // Node connects in the next tick, after the other work of this one.
        process.nextTick(() => timeline.begin('connect'))
      })
      isSynchronous = false
      // The query was sent just now; the time before it was spent on the hosts file.
      if (timeline.current === 'dns') timeline.begin('dns')
      return () => {
        stopLookUp()
        cancel()
      }
    },
  }
}

/** One refused address refuses the name: names with an internal address are suspicious. */
function refusal(guard: AddressGuard, addresses: readonly string[]): Fault | undefined {
  const message = addresses.map((address) => guard.addressFault(address)).find((fault) => fault !== undefined)
  return message === undefined ? undefined : { code: 'blocked', message }
}
