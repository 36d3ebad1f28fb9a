import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '@vedette/shared'
import { countSamplesOfDays, readReceived, readSlotsOfServers, type ReceivedPush } from '../../hosts/metrics/index.ts'
import type { OutboundRequest, OutboundResponse } from '../../notifying/notifications/index.ts'
import { yieldToEventLoop } from '../../platform/concurrency/yield-to-event-loop.ts'
import type { Encrypter } from '../../platform/crypto/encrypter.ts'
import type { Db, PartitionState } from '../../platform/db/index.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { findHosts } from '../prometheus/index.ts'
import { type Batch, type Cursor, cutBatches } from './series/batches.ts'
import { type Advance, advanceExport, listEnabledExports, type SendingExport } from './cursor-store.ts'
import { FORMATS, type Outcome, postBatch } from './post.ts'
import { type ExportedSeries, seriesOfPush } from './series/samples.ts'
import { decryptHeaders, type Headers } from './secret.ts'

/** A statement that stores pushes has ended this long after their instant, committed or not; see the limits of requests. */
export const SETTLE_MS = 10 * SECOND_MS
/** After a failure, doubled with each further one; a receiver may ask for more. */
const [SHORTEST_PAUSE_MS, LONGEST_PAUSE_MS, LONGEST_RETRY_AFTER_MS] = [5 * SECOND_MS, 5 * MINUTE_MS, HOUR_MS]
/** Of one run: others wait for it. */
const RUN_MS = 10 * SECOND_MS
const PUSHES_AT_ONCE = 200
const EXPORTS_AT_ONCE = 20
/** Pushes of this time are looked for at once; more where there are none, less where there are many. */
const [FIRST_WINDOW_MS, LEAST_WINDOW_MS] = [5 * MINUTE_MS, SECOND_MS]
/** Where there is nothing to send, the cursor is stored this often. */
const REST_MS = 10 * SECOND_MS
/** At the end of what a later success makes obsolete. */
const AGAIN = 'it is sent again'

export interface SenderDeps {
  db: Db
  clock: Clock
  encrypter: Encrypter
  /** The end of the program. */
  ending: AbortSignal
  send(request: OutboundRequest): Promise<OutboundResponse>
  /** To targets that the operator has chosen. */
  sendToOperator(request: OutboundRequest): Promise<OutboundResponse>
  /** Of exports that are made from the setting. */
  managedHeaders: Headers
  readPartitions(nowMs: number): Promise<PartitionState[]>
}

interface Pause {
  failures: number
  untilMs: number
  updatedAtMs: number
}

/**
 * Sends what each export has not sent, in the order of receipt, batch by batch. The cursor moves with each batch that was accepted, or
 * refused for ever; after any other answer the same batch is sent again, after growing pauses. One process at a time runs it; a
 * second one would send again, and change nothing. Never rejects because of a receiver.
 */
export function createExportSender(deps: SenderDeps): () => Promise<void> {
  const pauses = new Map<string, Pause>()

  return async () => {
    const exports = await listEnabledExports(deps.db)
    const ids = new Set(exports.map(({ id }) => id))
    for (const id of pauses.keys()) if (!ids.has(id)) pauses.delete(id)
    const nowMs = deps.clock.now()
    const due = exports.filter((one) => !isPaused(pauses.get(one.id), one, nowMs))
    if (due.length === 0) return
    const { fromMs: keptFromMs = 0 } = (await deps.readPartitions(nowMs)).find(({ table }) => table === 'metric_push') ?? {}
    const waiting = due.values()
    const failures: unknown[] = []
    await Promise.all(
      Array.from({ length: EXPORTS_AT_ONCE }, async () => {
        for (const one of waiting)
          await new Sending(deps, one, pauses).run(keptFromMs).catch((error: unknown) => failures.push(error))
      }),
    )
    if (failures.length > 0) throw failures[0]
  }
}

/** A change of the export ends the pause, and so does a clock that was set back. */
const isPaused = (pause: Pause | undefined, { updated_at: updatedAt }: SendingExport, nowMs: number): boolean =>
  pause !== undefined &&
  pause.updatedAtMs === updatedAt.getTime() &&
  nowMs < pause.untilMs &&
  pause.untilMs - nowMs <= LONGEST_RETRY_AFTER_MS

/** One run of one export. */
class Sending {
  readonly #deps: SenderDeps
  readonly #pauses: Map<string, Pause>
  #export: SendingExport

  constructor(deps: SenderDeps, one: SendingExport, pauses: Map<string, Pause>) {
    this.#deps = deps
    this.#export = one
    this.#pauses = pauses
  }

  async run(keptFromMs: number): Promise<void> {
    const { db, clock, ending } = this.#deps
    const [startMs, settledMs] = [clock.now(), clock.now() - SETTLE_MS]
    if (!(await this.#skipLost(keptFromMs))) return
    let [windowMs, searched] = [FIRST_WINDOW_MS, this.#export.cursor]
    while (!ending.aborted && clock.now() - startMs < RUN_MS && searched.receivedAtMs < settledMs) {
      const untilMs = Math.min(settledMs, searched.receivedAtMs + windowMs)
      const pushes = await readReceived(db, this.#export.organization, searched, untilMs, PUSHES_AT_ONCE)
      if (pushes.length === PUSHES_AT_ONCE) windowMs = Math.max(LEAST_WINDOW_MS, windowMs / 2)
      if (pushes.length > 0) {
        if (!(await this.#sendPushes(pushes))) return
        searched = this.#export.cursor
        continue
      }
      searched = { ...atInstant(untilMs), values: searched.values }
      windowMs = Math.min(DAY_MS, windowMs * 2)
    }
    const { cursor } = this.#export
    if (searched.receivedAtMs - cursor.receivedAtMs >= REST_MS && cursor.values === 0) await this.#advance({ cursor: searched })
  }

  /** False where the export was changed meanwhile. */
  async #skipLost(keptFromMs: number): Promise<boolean> {
    const { organization, cursor } = this.#export
    if (cursor.receivedAtMs >= keptFromMs) return true
    const window = { fromMs: cursor.receivedAtMs, toMs: keptFromMs }
    const skipped = await countSamplesOfDays(this.#deps.db, organization, window)
    const [from, to] = [new Date(window.fromMs).toISOString(), new Date(window.toMs).toISOString()]
    const lastError = `what was received from ${from} to ${to} was no longer stored push by push, and is not sent: ${skipped} samples of hosts`
    return this.#advance({ cursor: atInstant(keptFromMs), skipped, lastError })
  }

  /** False where it has to wait. */
  async #sendPushes(pushes: readonly ReceivedPush[]): Promise<boolean> {
    const { ending } = this.#deps
    const series = await this.#seriesOf(pushes)
    for (const batch of cutBatches(series, this.#export.cursor)) {
      if (ending.aborted || !(await this.#sendBatch(batch))) return false
    }
    return true
  }

  async #seriesOf(pushes: readonly ReceivedPush[]) {
    const { db } = this.#deps
    const { organization, kind } = this.#export
    const servers = [...new Set(pushes.map(({ server }) => server))]
    const [hosts, slots] = await Promise.all([
      findHosts(db, organization, servers),
      readSlotsOfServers(db, organization, servers),
    ])
    const derived = new Map(
      hosts.map((host) => [host.number, { host, all: FORMATS[kind].naming(host, slots.get(host.number) ?? []) }]),
    )
    const found: { place: ReceivedPush; series: ExportedSeries[] }[] = []
    for (const push of pushes) {
      const own = derived.get(push.server)
      found.push({ place: push, series: own ? seriesOfPush(push, own.host, own.all) : [] })
      if (found.length % 20 === 0) await yieldToEventLoop()
    }
    return found
  }

  async #sendBatch({ series, values, next }: Batch): Promise<boolean> {
    if (values === 0) return this.#advance({ cursor: next })
    const { clock } = this.#deps
    const outcome = await this.#post(series)
    const at = new Date(clock.now())
    const { id, last_error: lastError } = this.#export
    if (outcome.kind === 'waits') return this.#wait(outcome)
    this.#pauses.delete(id)
    if (outcome.kind === 'refused')
      return this.#advance({
        cursor: next,
        dropped: values,
        lastError: `${at.toISOString()}: ${values} values are dropped, ${outcome.reason}`,
      })
    const rejected = Math.min(values, outcome.rejected)
    const words = `the receiver took the others${outcome.reason === '' ? '' : `: ${outcome.reason}`}`
    return this.#advance({
      cursor: next,
      sent: values - rejected,
      dropped: rejected,
      sentAt: at,
      ...(lastError?.endsWith(AGAIN) && { lastError: null }),
      ...(rejected > 0 && { lastError: `${at.toISOString()}: ${rejected} values are dropped, ${words}` }),
    })
  }

  async #post(series: readonly ExportedSeries[]): Promise<Outcome> {
    const { clock, encrypter, ending, managedHeaders } = this.#deps
    const { kind, url, is_managed: isManaged } = this.#export
    const secretHeaders = isManaged ? managedHeaders : decryptHeaders(encrypter, this.#export)
    const send = isManaged ? this.#deps.sendToOperator : this.#deps.send
    if (!secretHeaders)
      return { kind: 'waits', reason: 'the headers cannot be decrypted: enter them again', retryAfterMs: undefined }
    const { headers, encode } = FORMATS[kind]
    const outcome = await postBatch(send, { url, headers, secretHeaders, body: encode(series) }, () => clock.now())
    // What the end of the program cut off is no fault of the receiver.
    return ending.aborted && outcome.kind === 'waits' ? { ...outcome, reason: '' } : outcome
  }

  async #wait({ reason, retryAfterMs = 0 }: Outcome & { kind: 'waits' }): Promise<false> {
    if (reason === '') return false
    const { id, updated_at: updatedAt } = this.#export
    const { failures = 0 } = this.#pauses.get(id) ?? {}
    const pauseMs = Math.min(SHORTEST_PAUSE_MS * 2 ** failures, LONGEST_PAUSE_MS)
    const untilMs = this.#deps.clock.now() + Math.max(pauseMs, Math.min(retryAfterMs, LONGEST_RETRY_AFTER_MS))
    this.#pauses.set(id, { failures: failures + 1, untilMs, updatedAtMs: updatedAt.getTime() })
    const lastError = `${reason}; ${AGAIN}`
    if (lastError !== this.#export.last_error) await this.#advance({ cursor: this.#export.cursor, lastError })
    return false
  }

  async #advance(advance: Advance): Promise<boolean> {
    if (!(await advanceExport(this.#deps.db, this.#export, advance))) return false
    const { cursor, lastError = this.#export.last_error } = advance
    this.#export = { ...this.#export, cursor, last_error: lastError }
    return true
  }
}

const atInstant = (receivedAtMs: number): Cursor => ({ receivedAtMs, t0Ms: 0, digest: '0', server: 0, values: 0 })
