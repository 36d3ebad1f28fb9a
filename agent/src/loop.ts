import type { BatchState, PushAnswer } from '@vedette/shared'
import type { Clock } from './process/clock.ts'
import { PUSH_INTERVAL_SECONDS, SAMPLE_INTERVAL_SECONDS } from '@vedette/shared/metrics/limits'
import type { EntityCollector } from './entities/collector.ts'
import type { Log } from './process/log.ts'
import type { Pusher } from './push/pusher.ts'
import type { Spool } from './spool/spool.ts'
import type { HostDetails, HostDetailsReader } from './samplers/host-details.ts'
import type { Reading, Sampler } from './samplers/sampler.ts'
import { ClockSkew, MAX_SKEW_MS } from './process/clock-skew.ts'

/** Between the first two readings: long enough for meaningful rates, short enough for a person who waits for the host to appear. */
export const FIRST_INTERVAL_MS = 1_000
/** A rate over more intervals than this would hide what happened in between. */
const MAX_GAP_INTERVALS = 3
/** Between two pushes, the second of which is early because something happened to an entity. */
const MIN_PUSH_GAP_MS = 5_000
/** The state of the host is read before each push; it is unknown once so many readings are missing. */
const MAX_STATE_PUSHES = 3

export interface LoopDeps {
  clock: Clock
  log: Log
  sampler: Sampler
  /** Read before each push. */
  hostDetails?: HostDetailsReader | undefined
  /** Read before each push too. */
  entities?: Pick<EntityCollector, 'prime' | 'read' | 'takeEvents' | 'returnEvents'> | undefined
  spool: Pick<Spool, 'append' | 'formBatches'>
  pusher: Pick<Pusher, 'wake'>
  /** Intervals set in the config; they override those of the backend. */
  fixed: { sampleSeconds?: number | undefined; pushSeconds?: number | undefined }
}

/** Takes samples on schedule, appends them to the spool, and forms batches on schedule. */
export class Loop {
  readonly skew = new ClockSkew()
  readonly #deps: LoopDeps
  #sampleSeconds: number
  #pushSeconds: number
  #latest: Pick<Reading, 'filesystems' | 'interfaces'> = {}
  /** Sent with one batch only: in a later batch it would look newer than it is. */
  #details: Omit<HostDetails, 'gauges'> = {}
  #entities: Pick<BatchState, 'entities' | 'entities_at'> = {}
  /** What samples contain of the last reading of the details. */
  #host: { gauges: HostDetails['gauges']; atMs: number } = { gauges: undefined, atMs: 0 }
  #lastSampleWallMs = 0
  #lastAtMs = Number.NEGATIVE_INFINITY
  #latestAtMs = Number.NEGATIVE_INFINITY
  #stepsBack = 0
  #lastPushMs = 0
  #cancelSample: (() => void) | undefined
  #cancelPush: (() => void) | undefined
  #reading: Promise<void> | undefined
  #isStopped = false
  #isPushingSoon = false

  constructor(deps: LoopDeps) {
    this.#deps = deps
    this.#sampleSeconds = deps.fixed.sampleSeconds ?? SAMPLE_INTERVAL_SECONDS.default
    this.#pushSeconds = deps.fixed.pushSeconds ?? PUSH_INTERVAL_SECONDS.default
  }

  get intervals(): { sampleSeconds: number; pushSeconds: number } {
    return { sampleSeconds: this.#sampleSeconds, pushSeconds: this.#pushSeconds }
  }

  /** Reads twice, a second apart, pushes that sample at once, then follows the intervals. */
  start(): void {
    this.#deps.sampler.prime()
    void this.#deps.hostDetails?.prime()
    void this.#deps.entities?.prime()
    this.#cancelSample = this.#deps.clock.after(FIRST_INTERVAL_MS, () => void this.#takeFirstSample())
  }

  /** Stops sampling and forms the last batch, with the sample that is being read. */
  async stop(): Promise<void> {
    this.#isStopped = true
    this.#cancelSample?.()
    this.#cancelPush?.()
    await this.#reading
    this.#formBatches()
  }

  /** Learns the backend's clock from an answer and applies its intervals at once. */
  applyAnswer(answer: PushAnswer, localMs: number): void {
    this.#learnSkew(Date.parse(answer.server_time), localMs)
    const { fixed, log } = this.#deps
    const sampleSeconds =
      fixed.sampleSeconds ?? validInterval(answer.sample_interval_seconds, SAMPLE_INTERVAL_SECONDS, this.#sampleSeconds)
    const pushSeconds = fixed.pushSeconds ?? validInterval(answer.push_interval_seconds, PUSH_INTERVAL_SECONDS, this.#pushSeconds)
    if (sampleSeconds === this.#sampleSeconds && pushSeconds === this.#pushSeconds) return
    log('info', 'the backend changed the intervals', { sampleSeconds, pushSeconds })
    this.#sampleSeconds = sampleSeconds
    this.#pushSeconds = pushSeconds
    if (this.#isStopped) return
    this.#scheduleSample()
    this.#schedulePush()
  }

  /** Something happened that people wait for: takes a sample now, and pushes it. */
  pushSoon(): void {
    const { clock } = this.#deps
    if (this.#isStopped || this.#isPushingSoon || this.#lastPushMs === 0) return
    this.#isPushingSoon = true
    clock.after(Math.max(0, this.#lastPushMs + MIN_PUSH_GAP_MS - clock.monotonicMs()), () => void this.#pushNow())
  }

  async #pushNow(): Promise<void> {
    this.#isPushingSoon = false
    if (this.#isStopped) return
    // A sampler takes one reading at a time.
    await this.#reading
    this.#reading = this.#sample()
    this.#scheduleSample()
    await this.#reading
    if (this.#isStopped) return
    this.#lastPushMs = this.#deps.clock.monotonicMs()
    this.#schedulePush()
    await this.#readDetailsAndFormBatches()
  }

  async #takeFirstSample(): Promise<void> {
    this.#reading = this.#sample()
    await this.#reading
    if (this.#isStopped) return
    void this.#readDetailsAndFormBatches()
    this.#scheduleSample()
    this.#lastPushMs = this.#deps.clock.monotonicMs()
    this.#schedulePush()
  }

  async #sample(): Promise<void> {
    const { clock, sampler, spool, log } = this.#deps
    const atMs = clock.now()
    if (this.skew.watch(atMs, clock.monotonicMs())) {
      log('warn', 'the clock of this host was set, or the host was suspended: the clock offset is learnt again')
      this.#formBatches()
    }
    // Corrected here and not when it is sent: an instant that changed between two attempts would turn one sample into two.
    const { correctionMs } = this.skew
    this.#lastSampleWallMs = atMs
    const { values, ...newest } = await sampler.read(this.#sampleSeconds * 1000 * MAX_GAP_INTERVALS)
    this.#latest = newest
    const host = this.#hostGauges()
    spool.append({ atMs: this.#uniqueInstant(atMs + correctionMs), values: host ? { ...values, host } : values })
  }

  #hostGauges(): HostDetails['gauges'] {
    const { gauges, atMs } = this.#host
    const ageMs = this.#deps.clock.monotonicMs() - atMs
    return ageMs <= MAX_STATE_PUSHES * this.#pushSeconds * 1000 ? gauges : undefined
  }

  /**
   * A sample is identified by its instant, and after a step back the clock shows instants that have a sample already: there each
   * step back shifts the samples by one more millisecond.
   */
  #uniqueInstant(atMs: number): number {
    if (atMs <= this.#lastAtMs) this.#stepsBack++
    this.#lastAtMs = atMs
    if (atMs <= this.#latestAtMs) return atMs + this.#stepsBack
    this.#latestAtMs = atMs
    return atMs
  }

  /**
   * The next whole multiple of the interval on the wall clock, computed each time, so that errors do not add up. At least half an
   * interval after the last sample: a timer that fires early must not give two samples for one instant.
   */
  #scheduleSample(): void {
    const { clock } = this.#deps
    const intervalMs = this.#sampleSeconds * 1000
    const nowMs = clock.now()
    const hasLast = this.#lastSampleWallMs <= nowMs && nowMs - this.#lastSampleWallMs < intervalMs
    const earliestMs = hasLast ? Math.max(nowMs + 1, this.#lastSampleWallMs + intervalMs / 2) : nowMs + 1
    this.#cancelSample?.()
    this.#cancelSample = clock.after(
      Math.ceil(earliestMs / intervalMs) * intervalMs - nowMs,
      () => void this.#sampleAndReschedule(),
    )
  }

  async #sampleAndReschedule(): Promise<void> {
    // The next sample is due by the clock, however long this one takes.
    this.#cancelSample = undefined
    this.#reading = this.#sample()
    this.#scheduleSample()
    await this.#reading
  }

  #schedulePush(): void {
    const { clock } = this.#deps
    const dueMs = this.#lastPushMs + this.#pushSeconds * 1000
    this.#cancelPush?.()
    this.#cancelPush = clock.after(Math.max(0, dueMs - clock.monotonicMs()), () => {
      this.#cancelPush = undefined
      // From the due instant, so that delays do not add up; after a suspend from now, so that missed pushes are not made up for.
      const nowMs = clock.monotonicMs()
      this.#lastPushMs = nowMs - dueMs < this.#pushSeconds * 1000 ? dueMs : nowMs
      void this.#readDetailsAndFormBatches()
      this.#schedulePush()
    })
  }

  /** Reading the host details delays no sample: one that is taken meanwhile is in the batch. */
  async #readDetailsAndFormBatches(): Promise<void> {
    const { clock, hostDetails, entities } = this.#deps
    const maxGapMs = this.#pushSeconds * 1000 * MAX_GAP_INTERVALS
    const atMs = clock.now() + this.skew.correctionMs
    const [host, found = []] = await Promise.all([hostDetails?.read(), entities?.read(maxGapMs)])
    if (host) {
      const { gauges, ...details } = withClock(host, this.skew.offsetMs)
      this.#details = details
      this.#host = { gauges, atMs: clock.monotonicMs() }
    }
    if (found.length > 0) this.#entities = { entities: found, entities_at: new Date(atMs).toISOString() }
    // `stop` has formed the last batch already.
    if (!this.#isStopped) this.#formBatches()
  }

  #formBatches(): void {
    const { clock, spool, pusher, entities } = this.#deps
    const nowMs = clock.now() + this.skew.correctionMs
    const events = entities?.takeEvents() ?? []
    const corrected = events.map((event) => ({
      ...event,
      at: new Date(Date.parse(event.at) + this.skew.correctionMs).toISOString(),
    }))
    const state = { ...this.#latest, ...this.#details, ...this.#entities, ...(events.length > 0 && { entity_events: corrected }) }
    if (spool.formBatches(state, nowMs)) pusher.wake()
    else entities?.returnEvents(events)
    this.#details = {}
    this.#entities = {}
  }

  #learnSkew(serverMs: number, localMs: number): void {
    const before = this.skew.correctionMs
    this.skew.learn(serverMs, localMs)
    const { correctionMs } = this.skew
    if (Math.abs(correctionMs - before) < 1_000) return
    const offsetSeconds = Math.round((this.skew.offsetMs ?? 0) / 1000)
    if (correctionMs === 0)
      this.#deps.log('info', "the clock of this host agrees with the backend's again: samples are no longer corrected", {
        offsetSeconds,
      })
    else
      this.#deps.log(
        'warn',
        `the clock of this host is more than ${MAX_SKEW_MS / 1000} s off the backend's: samples are corrected`,
        {
          offsetSeconds,
        },
      )
  }
}

/** The interval of the backend if it is valid, else `current`. */
function validInterval(seconds: unknown, { min, max }: { min: number; max: number }, current: number): number {
  return typeof seconds === 'number' && Number.isInteger(seconds) && seconds >= min && seconds <= max ? seconds : current
}

/** With how far the clock is off, where that is known. */
function withClock(details: HostDetails, offsetMs: number | undefined): HostDetails {
  if (offsetMs === undefined) return details
  return { ...details, host: { ...details.host, clock_offset_seconds: Math.round(Math.abs(offsetMs) / 1_000) } }
}
