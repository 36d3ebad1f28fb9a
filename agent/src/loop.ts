import type { PushAnswer } from '@vedette/shared'
import type { Clock } from './clock.ts'
import { PUSH_INTERVAL_SECONDS, SAMPLE_INTERVAL_SECONDS } from '@vedette/shared/metrics/limits'
import type { Log } from './log.ts'
import type { Pusher } from './pusher.ts'
import type { Spool } from './spool/spool.ts'
import type { HostNews, HostWatch } from './samplers/host-watch.ts'
import type { Reading, Sampler } from './samplers/sampler.ts'
import { ClockSkew, MAX_SKEW_MS } from './skew.ts'

/** Between the first two readings: long enough for rates that mean something, short enough for whoever waits for the host. */
export const FIRST_GAP_MS = 1_000
/** Rates over a longer time than this many intervals hide what happened in it. */
const MAX_GAP_INTERVALS = 3

export interface LoopDeps {
  clock: Clock
  log: Log
  sampler: Sampler
  /** Looked at before each push; absent where there is nothing to look at. */
  watch?: HostWatch | undefined
  spool: Pick<Spool, 'append' | 'cut'>
  pusher: Pick<Pusher, 'wake'>
  /** Intervals that the own config fixes: the backend's wishes are not followed then. */
  fixed: { sampleSeconds?: number | undefined; pushSeconds?: number | undefined }
}

/** Takes samples on time, each into the spool, and has them cut into batches on time. */
export class Loop {
  readonly skew = new ClockSkew()
  readonly #deps: LoopDeps
  #sampleSeconds: number
  #pushSeconds: number
  #newest: Pick<Reading, 'filesystems' | 'interfaces'> = {}
  /** Goes with one batch only: with a later one it would seem newer than it is. */
  #news: HostNews = {}
  #lastSampleWallMs = 0
  #lastPushMs = 0
  #cancelSample: (() => void) | undefined
  #cancelPush: (() => void) | undefined
  #reading: Promise<void> | undefined
  #isStopped = false

  constructor(deps: LoopDeps) {
    this.#deps = deps
    this.#sampleSeconds = deps.fixed.sampleSeconds ?? SAMPLE_INTERVAL_SECONDS.default
    this.#pushSeconds = deps.fixed.pushSeconds ?? PUSH_INTERVAL_SECONDS.default
  }

  get intervals(): { sampleSeconds: number; pushSeconds: number } {
    return { sampleSeconds: this.#sampleSeconds, pushSeconds: this.#pushSeconds }
  }

  /** Reads twice, a second apart, and pushes that sample at once; from then on by the intervals. */
  start(): void {
    this.#deps.sampler.prime()
    void this.#deps.watch?.prime()
    this.#cancelSample = this.#deps.clock.after(FIRST_GAP_MS, () => void this.#first())
  }

  /** Ends sampling; what is in no batch yet, with a sample that is just being read, becomes the last one. */
  async stop(): Promise<void> {
    this.#isStopped = true
    this.#cancelSample?.()
    this.#cancelPush?.()
    await this.#reading
    this.#cut()
  }

  /** Takes the backend's clock and wishes from an answer; new intervals hold at once. */
  follow(answer: PushAnswer, localMs: number): void {
    this.#learnSkew(Date.parse(answer.server_time), localMs)
    const { fixed, log } = this.#deps
    const sampleSeconds =
      fixed.sampleSeconds ?? within(answer.sample_interval_seconds, SAMPLE_INTERVAL_SECONDS, this.#sampleSeconds)
    const pushSeconds = fixed.pushSeconds ?? within(answer.push_interval_seconds, PUSH_INTERVAL_SECONDS, this.#pushSeconds)
    if (sampleSeconds === this.#sampleSeconds && pushSeconds === this.#pushSeconds) return
    log('info', 'intervals changed', { sampleSeconds, pushSeconds })
    this.#sampleSeconds = sampleSeconds
    this.#pushSeconds = pushSeconds
    if (this.#isStopped) return
    this.#scheduleSample()
    this.#schedulePush()
  }

  async #first(): Promise<void> {
    this.#reading = this.#sample()
    await this.#reading
    if (this.#isStopped) return
    void this.#lookAndCut()
    this.#scheduleSample()
    this.#lastPushMs = this.#deps.clock.monotonicMs()
    this.#schedulePush()
  }

  async #sample(): Promise<void> {
    const { clock, sampler, spool, log } = this.#deps
    const atMs = clock.now()
    if (this.skew.watch(atMs, clock.monotonicMs())) {
      log('warn', 'the clock of this host jumped, or the host slept')
      this.#cut()
    }
    // Corrected here and not when it is sent: an instant that changed between two tries would make two samples of one.
    const { correctionMs } = this.skew
    this.#lastSampleWallMs = atMs
    const { values, ...newest } = await sampler.read(this.#sampleSeconds * 1000 * MAX_GAP_INTERVALS)
    this.#newest = newest
    spool.append({ atMs: atMs + correctionMs, values })
  }

  /**
   * The next whole multiple of the interval on the wall clock, counted anew each time, so that nothing adds up. At least half
   * an interval after the last sample: a timer that fires a little early must not give two samples for one instant.
   */
  #scheduleSample(): void {
    const { clock } = this.#deps
    const intervalMs = this.#sampleSeconds * 1000
    const nowMs = clock.now()
    const hasLast = this.#lastSampleWallMs <= nowMs && nowMs - this.#lastSampleWallMs < intervalMs
    const earliestMs = hasLast ? Math.max(nowMs + 1, this.#lastSampleWallMs + intervalMs / 2) : nowMs + 1
    this.#cancelSample?.()
    this.#cancelSample = clock.after(Math.ceil(earliestMs / intervalMs) * intervalMs - nowMs, () => void this.#sampleAndGoOn())
  }

  async #sampleAndGoOn(): Promise<void> {
    // The next one is due by the clock, however long this one takes to read.
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
      // From the instant it was due, so that nothing adds up; from now after a sleep, so that nothing is caught up.
      const nowMs = clock.monotonicMs()
      this.#lastPushMs = nowMs - dueMs < this.#pushSeconds * 1000 ? dueMs : nowMs
      void this.#lookAndCut()
      this.#schedulePush()
    })
  }

  /** The look takes its time off the path of samples: one that is taken meanwhile is in the batch. */
  async #lookAndCut(): Promise<void> {
    const { watch } = this.#deps
    if (watch) this.#news = await watch.look()
    // The last batch of a stop is cut already.
    if (!this.#isStopped) this.#cut()
  }

  #cut(): void {
    const { clock, spool, pusher } = this.#deps
    if (spool.cut({ ...this.#newest, ...this.#news }, clock.now() + this.skew.correctionMs)) pusher.wake()
    this.#news = {}
  }

  #learnSkew(serverMs: number, localMs: number): void {
    const before = this.skew.correctionMs
    this.skew.learn(serverMs, localMs)
    const { correctionMs } = this.skew
    if (Math.abs(correctionMs - before) < 1_000) return
    const offsetSeconds = Math.round((this.skew.offsetMs ?? 0) / 1000)
    if (correctionMs === 0) this.#deps.log('info', 'the clock of this host agrees with the backend again', { offsetSeconds })
    else
      this.#deps.log('warn', `clock more than ${MAX_SKEW_MS / 1000} s off the backend's: samples are corrected`, {
        offsetSeconds,
      })
  }
}

/** The wish, if it is one that an agent can follow. */
function within(wish: unknown, { min, max }: { min: number; max: number }, otherwise: number): number {
  return typeof wish === 'number' && Number.isInteger(wish) && wish >= min && wish <= max ? wish : otherwise
}
