import pg from 'pg'
import type { Clock } from '../clock.ts'
import type { Log } from '../log.ts'

export interface Listener {
  stop(): Promise<void>
}

const RECONNECT_MS = 1_000

/**
 * Hears what is notified on a channel, over a connection of its own that is made anew when it breaks. What was notified meanwhile
 * is lost, and behind a transaction pooler nothing arrives at all: for hints only.
 */
export function listen(
  options: { url: string; channel: string; clock: Clock; log: Log },
  hear: (payload: string) => void,
): Listener {
  const { url, channel, clock, log } = options
  const stopping = new AbortController()
  const running = (async () => {
    while (!stopping.signal.aborted) {
      await hearUntilLost(url, channel, stopping.signal, hear).catch((error: unknown) =>
        log.debug({ err: error, channel }, 'hints are not heard for a moment'),
      )
      await clock.sleep(RECONNECT_MS, stopping.signal)
    }
  })()
  return {
    stop: () => {
      stopping.abort()
      return running
    },
  }
}

async function hearUntilLost(url: string, channel: string, signal: AbortSignal, hear: (payload: string) => void): Promise<void> {
  const client = new pg.Client({ connectionString: url, keepAlive: true, connectionTimeoutMillis: 4_000 })
  const lost = new Promise<void>((resolve) => {
    client.once('end', resolve)
    client.on('error', () => resolve())
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
  client.on('notification', ({ payload }) => hear(payload ?? ''))
  try {
    await client.connect()
    await client.query(`listen ${client.escapeIdentifier(channel)}`)
    await lost
  } finally {
    await client.end().catch(() => undefined)
  }
}
