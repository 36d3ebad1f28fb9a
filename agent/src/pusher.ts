import type { PushAnswer } from '@vedette/shared'
import { backoffMs, MIN_GAP_MS } from './backoff.ts'
import { type Clock, pause, settlesWithin } from './clock.ts'
import { MAX_BATCHES_PER_REQUEST } from '@vedette/shared/metrics/limits'
import { type Log, messageOf } from './log.ts'
import { judgeAnswer } from './push-outcome.ts'
import { pushBody, type QueuedBatch } from './spool/batch.ts'
import type { Spool } from './spool/spool.ts'
import type { HttpAnswer } from './transport.ts'

/** How often a refused agent looks for a new token. */
const TOKEN_LOOK_MS = 60_000

const REFUSED_CURE = 'run "vedette-agent register" with a new API key, or "vedette-agent token set"'
const CLONED_CURE =
  'this host is a copy of another, or another of it: run "vedette-agent register" with an API key on one of them'

export interface Credentials {
  url: string
  /** Secret. */
  token: string
}

export interface PusherDeps {
  clock: Clock
  random: () => number
  log: Log
  queue: Spool
  bootId: string | undefined
  credentials: Credentials
  /** What config and identity say now; throws when they cannot be read. */
  readCredentials(): Promise<Credentials>
  send(credentials: Credentials, body: Buffer, timeoutMs?: number): Promise<HttpAnswer>
  /** `localMs` is this host's clock in the middle of the exchange. */
  onAccepted(answer: PushAnswer, localMs: number): void
  /** Something that `status` shows has changed. */
  onChange(): void
}

/** What `status` shows of pushing; instants in ms since the epoch. */
export interface PushRecord {
  /**
   * `pushing`: as usual. `waiting`: the last try failed, another follows. `refused`: no push before there is a new token.
   * `cloned`: another host pushes with this token.
   */
  state: 'pushing' | 'waiting' | 'refused' | 'cloned'
  lastTryAtMs?: number
  lastAcceptedAtMs?: number
  lastError?: string
  acceptedSamples: number
  duplicateSamples: number
  rejectedSamples: number
}

/**
 * Sends what is in the spool. States: idle (nothing to send, or all sent) → a try is due (timer) → a try is under way → idle,
 * due again (backlog, backoff), refused, where only a new token leads out, or cloned, where each minute either may.
 */
export class Pusher {
  readonly record: PushRecord = {
    state: 'pushing',
    acceptedSamples: 0,
    duplicateSamples: 0,
    rejectedSamples: 0,
  }
  readonly #deps: PusherDeps
  #credentials: Credentials
  #cancelTimer: (() => void) | undefined
  #tryUnderWay: Promise<void> | undefined
  #isStopped = false
  #failures = 0
  #batchLimit = MAX_BATCHES_PER_REQUEST
  #lastTryMs = Number.NEGATIVE_INFINITY
  #silentUntilMs = 0

  constructor(deps: PusherDeps) {
    this.#deps = deps
    this.#credentials = deps.credentials
  }

  /** Where and as whom it pushes now; changes when a new token is found. */
  get credentials(): Credentials {
    return this.#credentials
  }

  /** There is a new batch in the spool. */
  wake(): void {
    if (!this.#cancelTimer && !this.#tryUnderWay && this.record.state !== 'refused') this.#scheduleTry(0)
  }

  /** Sends once more what is there, and no more after that; settles within `limitMs`. */
  async stop(limitMs: number): Promise<void> {
    const { clock, queue, log } = this.#deps
    const startMs = clock.monotonicMs()
    this.#isStopped = true
    this.#cancelTimer?.()
    if (this.#tryUnderWay) await settlesWithin(clock, this.#tryUnderWay, limitMs / 2)
    const untilGapMs = this.#lastTryMs + MIN_GAP_MS - clock.monotonicMs()
    if (queue.length > 0 && this.record.state === 'pushing' && untilGapMs > 0) await pause(clock, untilGapMs)
    const leftMs = limitMs - (clock.monotonicMs() - startMs)
    const isAsked = this.record.state === 'pushing' || this.record.state === 'waiting'
    const mayTry = isAsked && clock.monotonicMs() >= this.#silentUntilMs && untilGapMs < leftMs && !this.#tryUnderWay
    if (mayTry && queue.length > 0) await settlesWithin(clock, this.#try(queue.next(this.#batchLimit), leftMs), leftMs)
    if (queue.length > 0) log('info', 'stopped with samples that are not delivered yet', { samples: queue.samples })
  }

  #scheduleTry(delayMs: number): void {
    if (this.#isStopped) return
    const { clock, queue } = this.#deps
    const untilGapMs = this.#lastTryMs + MIN_GAP_MS - clock.monotonicMs()
    this.#cancelTimer?.()
    this.#cancelTimer = clock.after(Math.max(delayMs, untilGapMs, 0), () => {
      this.#cancelTimer = undefined
      this.#tryUnderWay = this.#try(queue.next(this.#batchLimit)).finally(() => {
        this.#tryUnderWay = undefined
      })
    })
  }

  async #try(batches: readonly QueuedBatch[], timeoutMs?: number): Promise<void> {
    if (batches.length === 0) return
    const { clock, queue, log } = this.#deps
    const startWallMs = clock.now()
    const startMs = clock.monotonicMs()
    this.#lastTryMs = startMs
    this.record.lastTryAtMs = startWallMs
    const answer = await this.#deps.send(this.#credentials, pushBody(batches, this.#deps.bootId), timeoutMs)
    queue.release()
    const outcome = judgeAnswer(answer, clock.now())
    switch (outcome.kind) {
      case 'accepted':
        queue.remove(batches)
        this.#onAccepted(outcome.answer, startWallMs + (clock.monotonicMs() - startMs) / 2)
        if (queue.length > 0) this.#scheduleTry(MIN_GAP_MS)
        break
      case 'retry':
        this.#fail('waiting', outcome.reason)
        if (outcome.isTooMuch) this.#batchLimit = Math.max(1, Math.floor(batches.length / 2))
        if (outcome.afterMs !== undefined) this.#silentUntilMs = clock.monotonicMs() + outcome.afterMs
        this.#scheduleTry(outcome.afterMs ?? backoffMs(this.#failures, this.#deps.random()))
        break
      case 'refused':
        if (this.record.state !== 'refused')
          log('error', 'the backend refuses the token: samples are kept', { cure: REFUSED_CURE })
        this.#fail('refused', outcome.reason)
        await this.#lookForToken()
        break
      case 'cloned':
        if (this.record.state !== 'cloned') log('error', 'another host pushes with the token of this one', { cure: CLONED_CURE })
        this.#fail('cloned', outcome.reason)
        await this.#lookForToken()
        break
      case 'unacceptable':
        this.#fail('waiting', outcome.reason)
        this.#batchLimit = Math.max(1, Math.floor(batches.length / 2))
        if (batches.length === 1) this.#giveUp(batches, outcome.reason)
        if (queue.length > 0) this.#scheduleTry(MIN_GAP_MS)
        break
    }
    this.#deps.onChange()
  }

  #onAccepted(answer: PushAnswer, localMs: number): void {
    const { record } = this
    if (record.state !== 'pushing')
      this.#deps.log('info', 'the backend accepts pushes again', { queued: this.#deps.queue.length })
    this.#failures = 0
    this.#batchLimit = Math.min(MAX_BATCHES_PER_REQUEST, this.#batchLimit * 2)
    record.state = 'pushing'
    delete record.lastError
    record.lastAcceptedAtMs = this.#deps.clock.now()
    record.acceptedSamples += answer.accepted
    record.duplicateSamples += answer.duplicates
    record.rejectedSamples += answer.rejected.length
    const [first] = answer.rejected
    if (first) this.#deps.log('warn', 'the backend rejected samples', { samples: answer.rejected.length, reason: first.message })
    this.#deps.onAccepted(answer, localMs)
  }

  #fail(state: 'waiting' | 'refused' | 'cloned', reason: string): void {
    this.#failures++
    this.record.state = state
    this.record.lastError = reason
    this.#deps.log('warn', 'push failed', { reason, failures: this.#failures, queued: this.#deps.queue.length })
  }

  #giveUp(batches: readonly QueuedBatch[], reason: string): void {
    const { queue, log } = this.#deps
    queue.drop(batches)
    log('error', 'dropped a batch that the backend cannot take', { reason, droppedSamples: queue.totals.droppedSamples })
  }

  #scheduleTokenLook(): void {
    if (this.#isStopped) return
    this.#cancelTimer?.()
    this.#cancelTimer = this.#deps.clock.after(TOKEN_LOOK_MS, () => {
      this.#cancelTimer = undefined
      this.#tryUnderWay = this.#lookAgain().finally(() => {
        this.#tryUnderWay = undefined
      })
    })
  }

  /** A refused token stays refused; a clone may have been mended on the other host. */
  async #lookAgain(): Promise<void> {
    await this.#lookForToken()
    if (this.record.state === 'cloned') this.#scheduleTry(0)
    this.#deps.onChange()
  }

  /** Another token than the one that was refused may have been given to config or identity since it was read. */
  async #lookForToken(): Promise<void> {
    try {
      const found = await this.#deps.readCredentials()
      if (found.token !== this.#credentials.token || found.url !== this.#credentials.url) {
        this.#credentials = found
        this.#deps.log('info', 'found a new token')
        this.record.state = 'waiting'
        this.#scheduleTry(0)
        return
      }
    } catch (error) {
      this.#deps.log('warn', 'cannot look for a new token', { reason: messageOf(error) })
    }
    this.#scheduleTokenLook()
  }
}
