import { DAY_MS, MINUTE_MS, SECOND_MS } from '@vedette/shared'
import { GIVEN_UP_AFTER_MS } from '../../hosts/metrics/index.ts'
import { continuePath, EXPORT_PATH_HEADER, type SeriesFamily } from '../../hosts/series/index.ts'
import type { OutboundRequest, OutboundResponse } from '../../notifying/notifications/index.ts'
import type { Encrypter } from '../../platform/crypto/encrypter.ts'
import type { Db, PartitionState } from '../../platform/db/index.ts'
import { encodeId } from '../../platform/ids.ts'
import type { Clock } from '../../platform/time/clock.ts'
import type { AnnouncedFamilies } from './announced-families.ts'
import { type Batch, cutBatches, type ExportedPush } from './series/batches.ts'
import { type Advance, advanceExport, type SendingExport } from './cursor-store.ts'
import { atInstant, measureLoss, withLoss } from './losing.ts'
import { FORMATS, type Outcome, postBatch } from './post.ts'
import { decryptHeaders, type Headers } from './secret.ts'
import type { ExportedSeries } from './series/exported-series.ts'
import { entitiesSource } from './sources/entities.ts'
import { hostsSource } from './sources/hosts.ts'
import { receivedSource } from './sources/received.ts'
import type { ExportSource, SampleKind } from './sources/source.ts'

/** A statement that stores pushes has ended this long after their instant, committed or not; see the limits of requests. */
export const SETTLE_MS = 10 * SECOND_MS
/** Of one run: others wait for it. */
const RUN_MS = 10 * SECOND_MS
/** Pushes of this time are looked for at once; more where there are none, less where there are many. */
const [FIRST_WINDOW_MS, LEAST_WINDOW_MS] = [5 * MINUTE_MS, SECOND_MS]
/** Where there is nothing to send, the cursor is stored this often. */
const REST_MS = 10 * SECOND_MS

const SOURCES: Readonly<Record<SampleKind, ExportSource>> = {
  hosts: hostsSource,
  entities: entitiesSource,
  series: receivedSource,
}

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

export interface Ended {
  /** The receiver took a request, or refused it for ever. */
  hasSent: boolean
  /** It did not take the last one: it wants to wait as long as this, ms, 0 where it does not say. Undefined: it did. */
  waitMs: number | undefined
}

/** One run of one export: what it sends of each kind of samples, from the cursor of the kind. */
export class Sending {
  readonly #deps: SenderDeps
  readonly #families: AnnouncedFamilies
  #export: SendingExport
  readonly #ended: Ended = { hasSent: false, waitMs: undefined }

  constructor(deps: SenderDeps, one: SendingExport, families: AnnouncedFamilies) {
    this.#deps = deps
    this.#export = one
    this.#families = families
  }

  /** `keptFromMs`: since when pushes of hosts are there one by one. */
  async run(keptFromMs: number): Promise<Ended> {
    const { samples } = this.#export
    const givenUpMs = this.#deps.clock.now() - GIVEN_UP_AFTER_MS
    for (const kind of samples) {
      const since = kind === 'hosts' ? keptFromMs : givenUpMs
      if (!(await this.#sendKind(kind, since, RUN_MS / samples.length))) break
    }
    return this.#ended
  }

  /** False where it has to wait, or the export was changed meanwhile. */
  async #sendKind(kind: SampleKind, keptFromMs: number, runMs: number): Promise<boolean> {
    const { db, clock, ending } = this.#deps
    const [startMs, settledMs] = [clock.now(), clock.now() - SETTLE_MS]
    if (!(await this.#skipLost(kind, keptFromMs))) return false
    let [windowMs, searched] = [FIRST_WINDOW_MS, this.#export.cursors[kind]]
    while (!ending.aborted && clock.now() - startMs < runMs && searched.receivedAtMs < settledMs) {
      const untilMs = Math.min(settledMs, searched.receivedAtMs + windowMs)
      const { pushes, isAll } = await SOURCES[kind].read(db, this.#export, searched, untilMs)
      if (!isAll) windowMs = Math.max(LEAST_WINDOW_MS, windowMs / 2)
      if (pushes.length > 0) {
        if (!(await this.#sendPushes(kind, pushes))) return false
        searched = this.#export.cursors[kind]
        continue
      }
      searched = { ...atInstant(untilMs), values: searched.values }
      windowMs = Math.min(DAY_MS, windowMs * 2)
    }
    const cursor = this.#export.cursors[kind]
    if (searched.receivedAtMs - cursor.receivedAtMs < REST_MS || cursor.values > 0) return true
    return this.#advance(kind, { cursor: searched })
  }

  /** False where the export was changed meanwhile. */
  async #skipLost(kind: SampleKind, keptFromMs: number): Promise<boolean> {
    const { db, clock, ending } = this.#deps
    const cursor = this.#export.cursors[kind]
    if (cursor.receivedAtMs >= keptFromMs) return true
    const own = encodeId('organization', this.#export.organization_id)
    const loss = await measureLoss(db, SOURCES[kind], this.#export, {
      cursor,
      toMs: keptFromMs,
      nowMs: clock.now(),
      ending,
      isOwn: ({ path }) => continuePath(path, own) !== undefined,
    })
    if (!loss) return false
    const losses = withLoss(this.#export.losses, kind, loss)
    return this.#advance(kind, { cursor: atInstant(keptFromMs), skipped: loss.count, losses, waiting: null })
  }

  /** False where it has to wait. */
  async #sendPushes(kind: SampleKind, pushes: readonly ExportedPush[]): Promise<boolean> {
    const own = encodeId('organization', this.#export.organization_id)
    // What an export of this organization has sent, here or from elsewhere, goes no further: it would go round for ever.
    const sent = pushes.map((push) => (continuePath(push.path, own) === undefined ? { ...push, path: '', series: [] } : push))
    for (const batch of cutBatches(sent, this.#export.cursors[kind])) {
      if (this.#deps.ending.aborted || !(await this.#sendBatch(kind, batch, continuePath(batch.path, own) ?? own))) return false
    }
    return true
  }

  async #sendBatch(kind: SampleKind, { series, values, next }: Batch, path: string): Promise<boolean> {
    if (values === 0) return this.#advance(kind, { cursor: next })
    const { clock } = this.#deps
    const families = this.#families.news(series, clock.now())
    const outcome = await this.#post(series, families, path)
    const at = new Date(clock.now())
    if (outcome.kind === 'waits') return this.#wait(kind, outcome)
    this.#ended.hasSent = true
    if (outcome.kind === 'refused')
      return this.#advance(kind, {
        cursor: next,
        dropped: values,
        waiting: null,
        lastError: `${at.toISOString()}: ${values} values are dropped, ${outcome.reason}`,
      })
    this.#families.said(families)
    const rejected = Math.min(values, outcome.rejected)
    const words = `the receiver took the others${outcome.reason === '' ? '' : `: ${outcome.reason}`}`
    return this.#advance(kind, {
      cursor: next,
      sent: values - rejected,
      dropped: rejected,
      sentAt: at,
      ...(this.#export.waiting !== null && { waiting: null }),
      ...(rejected > 0 && { lastError: `${at.toISOString()}: ${rejected} values are dropped, ${words}` }),
    })
  }

  async #post(series: readonly ExportedSeries[], families: readonly SeriesFamily[], path: string): Promise<Outcome> {
    const { clock, encrypter, ending, managedHeaders } = this.#deps
    const { kind, url, is_managed: isManaged } = this.#export
    const secretHeaders = isManaged ? managedHeaders : decryptHeaders(encrypter, this.#export)
    const send = isManaged ? this.#deps.sendToOperator : this.#deps.send
    if (!secretHeaders)
      return { kind: 'waits', reason: 'the headers cannot be decrypted: enter them again', retryAfterMs: undefined }
    const headers = { ...FORMATS[kind].headers, [EXPORT_PATH_HEADER]: path }
    const body = FORMATS[kind].encode(series, families)
    const outcome = await postBatch(send, { url, headers, secretHeaders, body }, () => clock.now())
    // What the end of the program cut off is no fault of the receiver.
    return ending.aborted && outcome.kind === 'waits' ? { ...outcome, reason: '' } : outcome
  }

  async #wait(kind: SampleKind, { reason, retryAfterMs = 0 }: Outcome & { kind: 'waits' }): Promise<false> {
    if (reason === '') return false
    this.#ended.waitMs = retryAfterMs
    const waiting = `${reason}; it is sent again`
    if (waiting !== this.#export.waiting) await this.#advance(kind, { cursor: this.#export.cursors[kind], waiting })
    return false
  }

  async #advance(kind: SampleKind, advance: Advance): Promise<boolean> {
    if (!(await advanceExport(this.#deps.db, this.#export, kind, advance))) return false
    const { cursor, waiting = this.#export.waiting, losses = this.#export.losses } = advance
    this.#export = { ...this.#export, cursors: { ...this.#export.cursors, [kind]: cursor }, waiting, losses }
    return true
  }
}
