import type { Socket } from 'node:net'
import { createEventLoopClock } from '../../../../platform/time/event-loop-clock.ts'
import { after } from '../../../../platform/time/monotonic.ts'
import { type AddressPolicy, createAddressGuard } from '../address/guard.ts'
import type { Fault } from '../phases/fault.ts'
import { createNameResolver, type NameOptions } from '../names/lookup.ts'
import { createTimeline } from '../phases/timeline.ts'
import { createConnector } from './connector.ts'
import { closeConnection } from './connection.ts'

/** Why there is no connection; `code` is an error code of checks. */
export class GuardedConnectError extends Error {
  readonly code: Fault['code']
  constructor({ code, message }: Fault) {
    super(message)
    this.code = code
  }
}

/** Opens a TCP connection. Rejects with a `GuardedConnectError`. Call it for every target, redirects included. */
export type GuardedConnect = (
  target: { host: string; port: number },
  limits: { timeoutMs: number; signal?: AbortSignal },
) => Promise<Socket>

/** Connections under the address rules of checks, for other senders: use it as `createConnection` of `http.request`. */
export function createGuardedConnect(options: AddressPolicy & NameOptions): GuardedConnect {
  const connector = createConnector(createAddressGuard(options), createNameResolver(options))
  const watch = createEventLoopClock()
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
        fail({ code: 'internal', message: 'the connection was canceled' })
        cancel()
      }
      const alarm = after(timeoutMs, late, { isKeptAlive: true })
      signal?.addEventListener('abort', callOff)
      const cancel = connector.connect({ host, port, plain: false }, createTimeline(watch), (outcome) => {
        if ('code' in outcome) return fail(outcome)
        if (isOver) return closeConnection(outcome)
        end()
        resolve(outcome.socket)
      })
      if (signal?.aborted === true) callOff()
    })
}
