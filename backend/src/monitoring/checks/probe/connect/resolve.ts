import { isIP } from 'node:net'
import type { AddressGuard } from '../address/guard.ts'
import type { NameResolver } from '../names/lookup.ts'
import type { Fault } from '../phases/fault.ts'
import type { Timeline } from '../phases/timeline.ts'

/**
 * The addresses of a target, all of which the guard allows, or why there are none. Records the phase `dns`. Calls `done` once, possibly
 * synchronously; returns a function that cancels.
 */
export function resolveTarget(
  { guard, names }: { guard: AddressGuard; names: NameResolver },
  host: string,
  timeline: Timeline,
  done: (outcome: readonly string[] | Fault) => void,
): () => void {
  const fault = guard.nameFault(host)
  if (fault !== undefined) {
    done({ code: 'blocked', message: fault })
    return () => {}
  }
  let isSynchronous = true
  if (isIP(host) === 0) timeline.begin('dns')
  const cancel = names.lookUp(host, (answer) => {
    if (isSynchronous) timeline.endNow()
    else timeline.endByEvent()
    if ('fault' in answer) return done({ code: 'dns', message: answer.fault })
    done(refusal(guard, answer.addresses) ?? answer.addresses)
  })
  isSynchronous = false
  // The query was sent just now; the time before it was spent on the hosts file.
  if (timeline.current === 'dns') timeline.begin('dns')
  return cancel
}

/** One refused address refuses the name: names with an internal address are suspicious. */
function refusal(guard: AddressGuard, addresses: readonly string[]): Fault | undefined {
  const message = addresses.map((address) => guard.addressFault(address)).find((fault) => fault !== undefined)
  return message === undefined ? undefined : { code: 'blocked', message }
}
