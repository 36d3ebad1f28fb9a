import type { ErrorDetail, PushAnswer } from '@vedette/shared'
import { retryDelays } from './retry-delays.ts'
import { backoffMs, MIN_GAP_MS } from './backoff.ts'
import { type Clock, pause, settlesWithin } from '../process/clock.ts'
import { MAX_BATCHES_PER_REQUEST } from '@vedette/shared/metrics/limits'
import { limitAfterRefusal, limitAfterSuccess } from '@vedette/shared/queue-limit'
import { type Log, messageOf } from '../process/log.ts'
import { classifyAnswer } from './push-outcome.ts'
import { BINARY_PUSH_TYPE } from '@vedette/shared/metrics/binary-push'
import { pushBody, type PushForm, type QueuedBatch } from '../spool/batch.ts'
import type { Spool } from '../spool/spool.ts'
import type { HttpAnswer } from './transport.ts'

/** What is refused is in no batch: to divide one would not help. */
const isOfRequest = (details: readonly ErrorDetail[]): boolean =>
  details.length > 0 && details.every(({ path }) => path !== '' && !path.startsWith('batches'))

/** How often an agent whose token is refused checks for a new one. */
const TOKEN_CHECK_MS = 60_000

/** After a batch that could not be divided. */
const DIVIDE_AGAIN_MS = 60_000

const REFUSED_REMEDY = 'run "vedette-agent register" with a new API key, or "vedette-agent token set"'
const CLONED_REMEDY = 'one host is a copy of the other: run "vedette-agent register" with an API key on one of them'

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
  /** Reads config and identity again; throws if they cannot be read. */
  readCredentials(): Promise<Credentials>
  send(credentials: Credentials, body: Buffer, form: PushForm, timeoutMs?: number): Promise<HttpAnswer>
  /** `localMs` is this host's clock in the middle of the exchange. */
  onAccepted(answer: PushAnswer, localMs: number): void
  /** Something that `status` shows changed. */
  onChange(): void
}

/** What `status` shows about pushing; instants in ms since the epoch. */
export interface PushStats {
  /**
   * `pushing`: normal. `waiting`: the last attempt failed and is retried. `refused`: the token is refused, no push until there is a
   * new one. `cloned`: another host pushes with this token.
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
 * Sends the batches of the spool. States: idle (nothing to send) → an attempt is scheduled → an attempt is running → idle,
 * scheduled again (backlog, backoff), refused (ends with a new token), or cloned (retried every minute).
 */
export class Pusher {
  readonly stats: PushStats = {
    state: 'pushing',
    acceptedSamples: 0,
    duplicateSamples: 0,
    rejectedSamples: 0,
  }
  readonly #deps: PusherDeps
  #credentials: Credentials
  #cancelTimer: (() => void) | undefined
  #attempt: Promise<void> | undefined
  #isStopped = false
  #failures = 0
  #batchLimit = MAX_BATCHES_PER_REQUEST
  #lastAttemptMs = Number.NEGATIVE_INFINITY
  #silentUntilMs = 0
  #form: PushForm = 'json'

  constructor(deps: PusherDeps) {
    this.#deps = deps
    this.#credentials = deps.credentials
  }

  /** Address and token of the pushes; they change when a new token is found. */
  get credentials(): Credentials {
    return this.#credentials
  }

  /** Call it when the spool has a new batch. */
  wake(): void {
    if (!this.#cancelTimer && !this.#attempt && this.stats.state !== 'refused') this.#scheduleAttempt(0)
  }

  /** Makes one last attempt to send what is queued; settles within `limitMs`. */
  async stop(limitMs: number): Promise<void> {
    const { clock, queue, log } = this.#deps
    const startMs = clock.monotonicMs()
    this.#isStopped = true
    this.#cancelTimer?.()
    if (this.#attempt) await settlesWithin(clock, this.#attempt, limitMs / 2)
    const untilGapMs = this.#lastAttemptMs + MIN_GAP_MS - clock.monotonicMs()
    if (queue.hasDue && this.stats.state === 'pushing' && untilGapMs > 0) await pause(clock, untilGapMs)
    const leftMs = limitMs - (clock.monotonicMs() - startMs)
    const isReachable = this.stats.state === 'pushing' || this.stats.state === 'waiting'
    const mayPush = isReachable && clock.monotonicMs() >= this.#silentUntilMs && untilGapMs < leftMs && !this.#attempt
    if (mayPush && queue.hasDue) await settlesWithin(clock, this.#push(leftMs), leftMs)
    if (queue.length > 0) log('info', 'stopped with undelivered samples: the next start sends them', { samples: queue.samples })
  }

  #scheduleAttempt(delayMs: number): void {
    if (this.#isStopped) return
    const { clock } = this.#deps
    const untilGapMs = this.#lastAttemptMs + MIN_GAP_MS - clock.monotonicMs()
    this.#cancelTimer?.()
    this.#cancelTimer = clock.after(Math.max(delayMs, untilGapMs, 0), () => {
      this.#cancelTimer = undefined
      this.#attempt = this.#push().finally(() => {
        this.#attempt = undefined
      })
    })
  }

  async #push(timeoutMs?: number): Promise<void> {
    const { clock, queue, log } = this.#deps
    const form = this.#form
    const batches = queue.next(this.#batchLimit, form)
    if (batches.length === 0) return
    const startWallMs = clock.now()
    const startMs = clock.monotonicMs()
    this.#lastAttemptMs = startMs
    this.stats.lastTryAtMs = startWallMs
    const answer = await this.#deps.send(this.#credentials, pushBody(batches, this.#deps.bootId, form), form, timeoutMs)
    queue.endAttempt()
    this.#chooseForm(answer)
    const outcome = classifyAnswer(answer, clock.now())
    switch (outcome.kind) {
      case 'accepted':
        this.#onAccepted(batches, outcome.answer)
        this.#deps.onAccepted(outcome.answer, startWallMs + (clock.monotonicMs() - startMs) / 2)
        if (queue.hasDue) this.#scheduleAttempt(MIN_GAP_MS)
        break
      case 'retry':
        this.#fail('waiting', outcome.reason)
        if (outcome.isTooMuch) this.#batchLimit = limitAfterRefusal(batches.length)
        if (outcome.afterMs !== undefined) this.#silentUntilMs = clock.monotonicMs() + outcome.afterMs
        this.#scheduleAttempt(outcome.afterMs ?? backoffMs(this.#failures, this.#deps.random()))
        break
      case 'refused':
        if (this.stats.state !== 'refused')
          log('error', 'the backend refuses the token: samples stay in the spool until there is a new token', {
            remedy: REFUSED_REMEDY,
          })
        this.#fail('refused', outcome.reason)
        await this.#checkForNewToken()
        break
      case 'cloned':
        if (this.stats.state !== 'cloned')
          log('error', 'another host pushes with the token of this one: samples stay in the spool', { remedy: CLONED_REMEDY })
        this.#fail('cloned', outcome.reason)
        await this.#checkForNewToken()
        break
      case 'unacceptable':
        this.#fail('waiting', outcome.reason)
        this.#batchLimit = limitAfterRefusal(batches.length)
        if (form === 'json' && isOfRequest(outcome.details)) {
          this.#scheduleAttempt(backoffMs(this.#failures, this.#deps.random()))
          break
        }
        if (batches.length === 1 && form === 'json') this.#divide(batches[0] as QueuedBatch, outcome.reason, outcome.details)
        if (queue.hasDue) this.#scheduleAttempt(MIN_GAP_MS)
        break
    }
    this.#deps.onChange()
  }

  /** By what the backend says that it takes. What it refuses in the binary form is sent as JSON before it counts as refused. */
  #chooseForm(answer: HttpAnswer): void {
    if (!('headers' in answer)) return
    if (answer.status < 300 && answer.headers.accept?.includes(BINARY_PUSH_TYPE)) this.#form = 'binary'
    if (answer.status === 400 || answer.status === 415) this.#form = 'json'
  }

  #onAccepted(batches: readonly QueuedBatch[], answer: PushAnswer): void {
    const { stats } = this
    const rejected = this.#settle(batches, answer)
    if (stats.state !== 'pushing')
      this.#deps.log('info', 'the backend accepts pushes again: the queued batches are sent', { queued: this.#deps.queue.length })
    this.#failures = 0
    this.#batchLimit = limitAfterSuccess(this.#batchLimit, MAX_BATCHES_PER_REQUEST)
    stats.state = 'pushing'
    delete stats.lastError
    stats.lastAcceptedAtMs = this.#deps.clock.now()
    stats.acceptedSamples += answer.accepted
    stats.duplicateSamples += answer.duplicates
    stats.rejectedSamples += rejected.length
    const [first] = rejected
    if (first)
      this.#deps.log('warn', 'the backend rejected samples: they are lost', {
        samples: rejected.length,
        reason: first.message,
      })
  }

  /** Removes what is settled from the queue, defers batches that the backend accepts later, and returns the final rejections. */
  #settle(batches: readonly QueuedBatch[], answer: PushAnswer): PushAnswer['rejected'] {
    const { queue, log } = this.#deps
    const delays = retryDelays(batches, answer)
    queue.remove(batches.filter((batch) => !delays.has(batch)))
    for (const [batch, delayMs] of delays) {
      if (!queue.defer(batch, delayMs)) continue
      const aheadSeconds = Math.round((batch.newestAtMs - Date.parse(answer.server_time)) / 1000)
      log('warn', "samples are too far ahead of the backend's clock: kept in the spool and sent again later", {
        samples: batch.samples,
        aheadSeconds,
        retryInSeconds: Math.round(delayMs / 1000),
      })
    }
    return answer.rejected.filter(({ batch }) => !delays.has(batches[batch] as QueuedBatch))
  }

  #fail(state: 'waiting' | 'refused' | 'cloned', reason: string): void {
    this.#failures++
    this.stats.state = state
    this.stats.lastError = reason
    this.#deps.log('warn', 'push failed: samples stay in the spool', {
      reason,
      failures: this.#failures,
      queued: this.#deps.queue.length,
    })
  }

  /** Until what the backend refuses is alone, and only that is dropped. */
  #divide(batch: QueuedBatch, reason: string, details: readonly ErrorDetail[]): void {
    const { queue, log } = this.#deps
    const faults = details.map(({ path, message }) => ({ path: path.replace(/^batches\.0(?:\.|$)/, ''), message }))
    const result = queue.divide(
      batch,
      faults.map(({ path }) => path),
    )
    const [first] = faults
    const fields = { reason: first?.message ?? reason, ...(first && first.path !== '' && { field: first.path }) }
    if (result === 'divided') log('warn', 'the backend refuses a part of a batch: the batch is divided', fields)
    else if (result === 'later') queue.defer(batch, DIVIDE_AGAIN_MS)
    else {
      queue.drop([batch])
      log('error', 'dropped a sample that the backend never accepts', { ...fields, droppedSamples: queue.totals.droppedSamples })
    }
  }

  #scheduleTokenCheck(): void {
    if (this.#isStopped) return
    this.#cancelTimer?.()
    this.#cancelTimer = this.#deps.clock.after(TOKEN_CHECK_MS, () => {
      this.#cancelTimer = undefined
      this.#attempt = this.#checkAgain().finally(() => {
        this.#attempt = undefined
      })
    })
  }

  /** A refused token stays refused; a cloned machine may have been fixed on the other host. */
  async #checkAgain(): Promise<void> {
    await this.#checkForNewToken()
    if (this.stats.state === 'cloned') this.#scheduleAttempt(0)
    this.#deps.onChange()
  }

  /** Config or identity may hold another token since they were read. */
  async #checkForNewToken(): Promise<void> {
    try {
      const credentials = await this.#deps.readCredentials()
      if (credentials.token !== this.#credentials.token || credentials.url !== this.#credentials.url) {
        this.#credentials = credentials
        this.#deps.log('info', 'found a new token: pushing again')
        this.stats.state = 'waiting'
        this.#scheduleAttempt(0)
        return
      }
    } catch (error) {
      this.#deps.log('warn', 'cannot check for a new token: checking again in a minute', { reason: messageOf(error) })
    }
    this.#scheduleTokenCheck()
  }
}
