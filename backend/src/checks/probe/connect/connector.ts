import { isIP } from 'node:net'
import type { AddressGuard } from '../address/guard.ts'
import { connectFault, type Fault } from '../fault.ts'
import type { Names } from '../names/lookup.ts'
import type { Timeline } from '../timeline.ts'
import { raceConnections } from './race.ts'
import type { Wire } from './wire.ts'

export interface Target {
  /** A name or a literal; IPv6 without brackets. */
  host: string
  port: number
  /** See `openWire`. */
  plain: boolean
}

/**
 * The one way to a target: resolves, asks the guard about every address, and connects to one of those, by its number, so that
 * no later answer of a name server can lead elsewhere. Tells the phases `dns` and `connect` to the timeline.
 */
export interface Connector {
  /** Answers once. What comes back gives up; then there is no answer. */
  connect(target: Target, timeline: Timeline, done: (outcome: Wire | Fault) => void): () => void
}

export function createConnector(guard: AddressGuard, names: Names): Connector {
  return {
    connect({ host, port, plain }, timeline, done) {
      const fault = guard.portFault(port) ?? guard.nameFault(host)
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
        // Node connects in the next tick, behind whatever else this one has to do.
        process.nextTick(() => timeline.begin('connect'))
      })
      isSynchronous = false
      // The question went out just now; what came before it was the hosts file and ourselves.
      if (timeline.current === 'dns') timeline.begin('dns')
      return () => {
        stopLookUp()
        cancel()
      }
    },
  }
}

/** One forbidden address among the answers refuses all: a name that leads inside does so for a reason. */
function refusal(guard: AddressGuard, addresses: readonly string[]): Fault | undefined {
  const message = addresses.map((address) => guard.addressFault(address)).find((fault) => fault !== undefined)
  return message === undefined ? undefined : { code: 'blocked', message }
}
