import { HOUR_MS, MINUTE_MS, SECOND_MS } from '@vedette/shared'
import type { Db } from '../../../platform/db/index.ts'
import type { Log } from '../../../platform/logging/log.ts'
import type { Clock } from '../../../platform/time/clock.ts'
import { markExported, readUnexported } from '../export-store.ts'
import { toInstallationEvent } from '../wire.ts'
import type { Sink } from './sink.ts'

/** Events of one request or connection: some hundred kilobytes. */
export const EXPORTED_AT_ONCE = 500
/** After a failure, doubled with each further one. */
const [SHORTEST_PAUSE_MS, LONGEST_PAUSE_MS] = [5 * SECOND_MS, 5 * MINUTE_MS]

export interface ExportDeps {
  db: Db
  clock: Clock
  log: Log
  sink: Sink
  /** The end of the program. */
  ending: AbortSignal
}

/**
 * Sends what the sink has not received, oldest first, batch by batch. A batch that fails is sent again, after growing pauses, until
 * it is received: nothing is passed over. One that was received by a process that then ended is sent twice. One process at a time
 * may run it. Never rejects because of the sink.
 */
export function createSecurityExport({ db, clock, log, sink, ending }: ExportDeps): () => Promise<void> {
  let [failures, notBeforeMs] = [0, 0]

  async function sendBatch(): Promise<number> {
    // The other instances store what they counted some seconds late.
    const hourStart = new Date(Math.floor((clock.now() - MINUTE_MS) / HOUR_MS) * HOUR_MS)
    const rows = await readUnexported(db, hourStart, EXPORTED_AT_ONCE)
    if (rows.length === 0) return 0
    try {
      await sink.send(rows.map(toInstallationEvent), ending)
    } catch (error) {
      if (!ending.aborted) postpone(error)
      return 0
    }
    failures = 0
    await markExported(
      db,
      rows.map(({ id }) => id),
      new Date(clock.now()),
    )
    return rows.length
  }

  function postpone(error: unknown): void {
    const pauseMs = Math.min(SHORTEST_PAUSE_MS * 2 ** failures, LONGEST_PAUSE_MS)
    failures += 1
    notBeforeMs = clock.now() + pauseMs
    const next = new Date(notBeforeMs).toISOString()
    log.warn({ err: error, next_attempt_at: next }, 'VEDETTE_SECURITY_LOG_URL did not receive the security log; it is sent again')
  }

  return async () => {
    // A clock that was set back must not lengthen the pause.
    if (clock.now() < notBeforeMs && notBeforeMs - clock.now() <= LONGEST_PAUSE_MS) return
    while (!ending.aborted && (await sendBatch()) === EXPORTED_AT_ONCE);
  }
}
