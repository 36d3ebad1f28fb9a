import { after, type Alarm } from '../../../platform/monotonic.ts'
import { closeWire, openWire, type Wire } from './wire.ts'

/** RFC 8305: an address that does not answer holds up the next one for so long. */
const ATTEMPT_DELAY_MS = 250

/**
 * Connects to the first of these addresses that answers, in their order: the next is tried when one refuses, or does not answer
 * for a while. What comes back gives up and closes everything.
 */
export function raceConnections(
  addresses: readonly string[],
  port: number,
  plain: boolean,
  done: (outcome: Wire | { error: Error; address: string }) => void,
): () => void {
  const open = new Set<Wire>()
  let tried = 0
  let stagger: Alarm | undefined

  function stop(winner?: Wire): void {
    stagger?.cancel()
    for (const wire of open) if (wire !== winner) closeWire(wire)
    open.clear()
  }

  function tryNext(): void {
    const address = addresses[tried++]
    if (address === undefined) return
    const wire = openWire(address, port, plain)
    open.add(wire)
    wire.onConnect = () => {
      stop(wire)
      done(wire)
    }
    wire.onError = (error) => {
      open.delete(wire)
      stagger?.cancel()
      if (tried < addresses.length) tryNext()
      else if (open.size === 0) done({ error, address })
    }
    if (tried < addresses.length) stagger = after(ATTEMPT_DELAY_MS, tryNext, { isKeptAlive: true })
  }

  tryNext()
  return () => stop()
}
