import { HOUR_MS, MINUTE_MS, SECOND_MS } from '@vedette/shared'
import { type AnnouncedFamilies, createAnnouncedFamilies } from './announced-families.ts'
import { listEnabledExports, type SendingExport } from './cursor-store.ts'
import { Sending, type SenderDeps } from './sending.ts'

/** After a failure, doubled with each further one; a receiver may ask for more. */
const [SHORTEST_PAUSE_MS, LONGEST_PAUSE_MS, LONGEST_RETRY_AFTER_MS] = [5 * SECOND_MS, 5 * MINUTE_MS, HOUR_MS]
const EXPORTS_AT_ONCE = 20

/** What this process knows of an export. */
interface Sender {
  families: AnnouncedFamilies
  failures: number
  /** It waits until then; of the export as it was changed last. */
  pause: { untilMs: number; updatedAtMs: number } | undefined
}

/**
 * Sends what each export has not sent, in the order of receipt, batch by batch. The cursor moves with each batch that was accepted, or
 * refused for ever; after any other answer the same batch is sent again, after growing pauses. One process at a time runs it; a
 * second one would send again, and change nothing. Never rejects because of a receiver.
 */
export function createExportSender(deps: SenderDeps): () => Promise<void> {
  const senders = new Map<string, Sender>()

  function senderOf(id: string): Sender {
    const known = senders.get(id) ?? { families: createAnnouncedFamilies(), failures: 0, pause: undefined }
    senders.set(id, known)
    return known
  }

  /** Sends until there is nothing more, its time is over, or the receiver does not take it. */
  async function send(one: SendingExport, keptFromMs: number): Promise<void> {
    const sender = senderOf(one.id)
    const ended = await new Sending(deps, one, sender.families).run(keptFromMs)
    if (ended.hasSent) Object.assign(sender, { failures: 0, pause: undefined })
    if (ended.waitMs === undefined) return
    const pauseMs = Math.min(SHORTEST_PAUSE_MS * 2 ** sender.failures, LONGEST_PAUSE_MS)
    const untilMs = deps.clock.now() + Math.max(pauseMs, Math.min(ended.waitMs, LONGEST_RETRY_AFTER_MS))
    sender.failures += 1
    sender.pause = { untilMs, updatedAtMs: one.updated_at.getTime() }
  }

  return async () => {
    const exports = await listEnabledExports(deps.db)
    const ids = new Set(exports.map(({ id }) => id))
    for (const id of senders.keys()) if (!ids.has(id)) senders.delete(id)
    const nowMs = deps.clock.now()
    const due = exports.filter((one) => !isPaused(senders.get(one.id)?.pause, one, nowMs))
    if (due.length === 0) return
    const { fromMs: keptFromMs = 0 } = (await deps.readPartitions(nowMs)).find(({ table }) => table === 'metric_push') ?? {}
    const waiting = due.values()
    const failures: unknown[] = []
    await Promise.all(
      Array.from({ length: EXPORTS_AT_ONCE }, async () => {
        for (const one of waiting) await send(one, keptFromMs).catch((error: unknown) => failures.push(error))
      }),
    )
    if (failures.length > 0) throw failures[0]
  }
}

/** A change of the export ends the pause, and so does a clock that was set back. */
const isPaused = (pause: Sender['pause'], { updated_at: updatedAt }: SendingExport, nowMs: number): boolean =>
  pause !== undefined &&
  pause.updatedAtMs === updatedAt.getTime() &&
  nowMs < pause.untilMs &&
  pause.untilMs - nowMs <= LONGEST_RETRY_AFTER_MS
