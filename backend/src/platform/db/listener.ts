import pg from 'pg'
import type { Clock } from '../time/clock.ts'
import type { Log } from '../logging/log.ts'
import { closeConnection, limitSilence } from './statement-limit.ts'

export interface Listener {
  stop(): Promise<void>
}

const RECONNECT_MS = 1_000
/** How often the connection is checked, and how soon it has to answer: a dead one is silent, like one without notifications. */
const CHECK_EVERY_MS = 15_000
const CHECK_LIMIT_MS = 5_000

export interface ListenOptions {
  url: string
  channel: string
  clock: Clock
  log: Log
  checkEveryMs?: number
  checkLimitMs?: number
}

/**
 * Calls `onNotification` for each notification on a channel, over a connection of its own, which is replaced when it breaks.
 * Notifications in between are lost, and behind a transaction pooler none arrive: for hints only.
 */
export function listen(options: ListenOptions, onNotification: (payload: string) => void): Listener {
  const { channel, clock, log } = options
  const stopping = new AbortController()
  const running = (async () => {
    while (!stopping.signal.aborted) {
      await listenUntilLost(options, stopping.signal, onNotification).catch((error: unknown) =>
        log.debug({ err: error, channel }, 'the connection for notifications was lost; reconnecting'),
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

async function listenUntilLost(
  { url, channel, clock, checkEveryMs = CHECK_EVERY_MS, checkLimitMs = CHECK_LIMIT_MS }: ListenOptions,
  signal: AbortSignal,
  onNotification: (payload: string) => void,
): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 4_000 })
  const lost = new AbortController()
  const end = AbortSignal.any([signal, lost.signal])
  client.once('end', () => lost.abort())
  client.on('error', () => lost.abort())
  client.on('notification', ({ payload }) => onNotification(payload ?? ''))
  try {
    await client.connect()
    limitSilence(client, checkLimitMs)
    await client.query(`listen ${client.escapeIdentifier(channel)}`)
    while (!end.aborted) {
      await clock.sleep(checkEveryMs, end)
      if (!end.aborted) await client.query('select')
    }
  } finally {
    await closeConnection(client)
  }
}
