import { after, type Alarm } from '../../../../platform/time/monotonic.ts'
import { closeConnection, openConnection, type Connection } from './connection.ts'

/** RFC 8305: the next address is tried after this delay. */
const ATTEMPT_DELAY_MS = 250

/**
 * Connects to the first address that responds, in the given order: the next one is tried when one refuses or does not respond for
 * a while. `source` is the local address. Returns a function that cancels and closes everything.
 */
export function raceConnections(
  addresses: readonly string[],
  port: number,
  plain: boolean,
  done: (outcome: Connection | { error: Error; address: string }) => void,
  source?: string,
): () => void {
  const open = new Set<Connection>()
  let tried = 0
  let stagger: Alarm | undefined

  function stop(winner?: Connection): void {
    stagger?.cancel()
    for (const connection of open) if (connection !== winner) closeConnection(connection)
    open.clear()
  }

  function tryNext(): void {
    const address = addresses[tried++]
    if (address === undefined) return
    const connection = openConnection(address, port, plain, source)
    open.add(connection)
    connection.onConnect = () => {
      stop(connection)
      done(connection)
    }
    connection.onError = (error) => {
      open.delete(connection)
      stagger?.cancel()
      if (tried < addresses.length) tryNext()
      else if (open.size === 0) done({ error, address })
    }
    if (tried < addresses.length) stagger = after(ATTEMPT_DELAY_MS, tryNext, { isKeptAlive: true })
  }

  tryNext()
  return () => stop()
}
