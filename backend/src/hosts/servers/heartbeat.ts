import { type BackgroundJob, repeat } from '../../platform/concurrency/background-job.ts'
import type { Clock } from '../../platform/time/clock.ts'
import type { Db } from '../../platform/db/index.ts'
import { newId } from '../../platform/ids.ts'
import type { Log } from '../../platform/logging/log.ts'
import { deleteGoneInstances, findLastAlive, markAlive, markStopped } from './instance-store.ts'
import { MAX_SILENCE_MS, type Uptime } from './presence.ts'

/** The precision of the recorded uptime of an instance. */
const BEAT_MS = 15_000

/** A database that does not answer holds no stop up for longer. */
const STOP_PATIENCE_MS = 1_000

/** Reads when an instance was last alive before this start, then records this instance as alive every 15 s until it is stopped. */
export async function startHeartbeat(
  db: Db,
  clock: Clock,
  log: Log,
  version?: string,
): Promise<{ uptime: Uptime; job: BackgroundJob }> {
  const startedAtMs = clock.now()
  const aliveBefore = await findLastAlive(db)
  await deleteGoneInstances(db, new Date(startedAtMs))
  const instance = { id: newId(), startedAt: new Date(startedAtMs), ...(version !== undefined && { version }) }
  const uptime: Uptime = { startedAtMs, aliveBeforeMs: aliveBefore?.getTime() }
  const beat = async () => {
    await markAlive(db, instance, new Date(clock.now()))
    const { beatMs = startedAtMs } = uptime
    uptime.beatMs = clock.now()
    if (uptime.beatMs - beatMs > MAX_SILENCE_MS) uptime.gap = { fromMs: beatMs, toMs: uptime.beatMs }
  }
  await beat()
  const job = repeat('heartbeat', BEAT_MS, clock, log, beat)
  const stop = async () => {
    await job.stop()
    const isMarked = markStopped(db, instance.id, new Date(clock.now())).catch((error: unknown) =>
      log.debug({ err: error }, 'could not record the stop of this instance; it counts as running for 45 s'),
    )
    const patience = new AbortController()
    await Promise.race([isMarked, clock.sleep(STOP_PATIENCE_MS, patience.signal)])
    patience.abort()
  }
  return { uptime, job: { stop } }
}
