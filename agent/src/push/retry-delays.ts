import type { PushAnswer } from '@vedette/shared'
import { DAY_MS, HOUR_MS } from '@vedette/shared/durations'
import type { QueuedBatch } from '../spool/batch.ts'

const MIN_DELAY_MS = 60_000
const MAX_DELAY_MS = HOUR_MS
/** The default time that the spool may cover: samples further ahead would be dropped before they are accepted. */
const MAX_AHEAD_MS = 7 * DAY_MS

/**
 * The batches with samples that are too far ahead of the backend's clock, and after how many ms each is sent again. A backend
 * accepts such samples later, when its clock has advanced or was corrected, so they must not be dropped. The delay is a tenth of
 * how far the batch is ahead, between a minute and an hour: another backend, or a corrected clock, may accept it sooner.
 */
export function retryDelays(batches: readonly QueuedBatch[], answer: PushAnswer): Map<QueuedBatch, number> {
  const delays = new Map<QueuedBatch, number>()
  for (const { batch: number, code } of answer.rejected) {
    const batch = batches[number]
    if (!batch || code !== 'too_far_ahead') continue
    const aheadMs = batch.newestAtMs - Date.parse(answer.server_time)
    if (aheadMs > MAX_AHEAD_MS) continue
    delays.set(batch, Math.min(MAX_DELAY_MS, Math.max(MIN_DELAY_MS, aheadMs / 10)))
  }
  return delays
}
