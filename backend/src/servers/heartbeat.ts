import { type BackgroundJob, repeat } from '../platform/background.ts'
import type { Clock } from '../platform/clock.ts'
import type { Db } from '../platform/db/index.ts'
import { newId } from '../platform/ids.ts'
import type { Log } from '../platform/log.ts'
import { findLastAlive, markAlive } from './instance-store.ts'
import type { Uptime } from './presence.ts'

/** How exactly it is known until when the backend was there to hear of servers. */
const BEAT_MS = 15_000

/** Reads until when an instance was alive before this start, and says from now on that this one is. */
export async function startHeartbeat(db: Db, clock: Clock, log: Log): Promise<{ uptime: Uptime; job: BackgroundJob }> {
  const startedAtMs = clock.now()
  const aliveBefore = await findLastAlive(db)
  const instance = { id: newId(), startedAt: new Date(startedAtMs) }
  const beat = () => markAlive(db, instance, new Date(clock.now()))
  await beat()
  return { uptime: { startedAtMs, aliveBeforeMs: aliveBefore?.getTime() }, job: repeat('heartbeat', BEAT_MS, clock, log, beat) }
}
