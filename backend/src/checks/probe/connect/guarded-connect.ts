import type { Socket } from 'node:net'
import { createLoopWatch } from '../../../platform/loop-watch.ts'
import { after } from '../../../platform/monotonic.ts'
import { type AddressPolicy, createAddressGuard } from '../address/guard.ts'
import type { Fault } from '../fault.ts'
import { createNames, type NameOptions } from '../names/lookup.ts'
import { createTimeline } from '../timeline.ts'
import { createConnector } from './connector.ts'
import { closeWire } from './wire.ts'

/** Why there is no connection; `code` is that of a check. */
export class GuardedConnectError extends Error {
  readonly code: Fault['code']
  constructor({ code, message }: Fault) {
    super(message)
    this.code = code
  }
}

/** Opens a TCP connection. Rejects with a `GuardedConnectError`. Every new target (a redirect's too) has to be asked for anew. */
export type GuardedConnect = (
  target: { host: string; port: number },
  limits: { timeoutMs: number; signal?: AbortSignal },
) => Promise<Socket>

/** Connections under the address rules of checks, for other senders: hand one to `http.request` as its `createConnection`. */
export function createGuardedConnect(options: AddressPolicy & NameOptions): GuardedConnect {
  const connector = createConnector(createAddressGuard(options), createNames(options))
  const watch = createLoopWatch()
  return ({ host, port }, { timeoutMs, signal }) =>
    new Promise((resolve, reject) => {
      let isOver = false
      const end = () => {
        isOver = true
        alarm.cancel()
        signal?.removeEventListener('abort', callOff)
      }
      const fail = (fault: Fault) => {
        if (isOver) return
        end()
        reject(new GuardedConnectError(fault))
      }
      const late = () => {
        fail({ code: 'timeout', message: `no connection within ${timeoutMs} ms` })
        cancel()
      }
      const callOff = () => {
        fail({ code: 'internal', message: 'the connection was called off' })
        cancel()
      }
      const alarm = after(timeoutMs, late, { isKeptAlive: true })
      signal?.addEventListener('abort', callOff)
      const cancel = connector.connect({ host, port, plain: false }, createTimeline(watch), (outcome) => {
        if ('code' in outcome) return fail(outcome)
        if (isOver) return closeWire(outcome)
        end()
        resolve(outcome.socket)
      })
      if (signal?.aborted === true) callOff()
    })
}
